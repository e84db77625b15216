// `scaledcache convert`: ScaledObjects of KEDA and HorizontalPodAutoscalers as ScaledCaches.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "controller/commands/command.h"
#include "controller/commands/console.h"
#include "controller/commands/documents.h"
#include "controller/commands/draft.h"
#include "k8s/problem.h"

namespace scaledcache::controller {

// What became of one object.
struct Conversion {
  std::string file;
  int line = 0;
  std::string title;                    // "ScaledObject blog/varnish"
  std::optional<OrderedJson> manifest;  // nothing: it cannot be one, or is only part of others
  Comments comments;
  std::vector<std::string> carried;  // paths
  std::vector<Ledger::Dropped> dropped;
  std::vector<std::string> chores;
  k8s::Problems problems;  // of the manifest, as `validate` tells them
  std::string obstacle;    // why there is no manifest, where there should be one

  // Of the fields that ask for something, those that were carried; 1 where there are none.
  [[nodiscard]] double share() const;
};

struct ConvertOptions {
  bool dry_run = false;  // spec.dryRun: true in every manifest
};

// Objects of other kinds are left out. TriggerAuthentications have no manifest of their own.
[[nodiscard]] std::vector<Conversion> convert_documents(std::span<const Document> documents,
                                                        const ConvertOptions& options);

[[nodiscard]] const CommandSpec& convert_spec();

// `args` without the program and the subcommand. Exit status: 0 when every object became a manifest
// that would be obeyed, 1 when one did not (with --strict: or a field was dropped), 2 for wrong
// arguments or a file that cannot be read.
[[nodiscard]] int convert(std::span<const std::string> args, const Console& console);

}  // namespace scaledcache::controller
