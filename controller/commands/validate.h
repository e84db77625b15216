// `scaledcache validate`: manifests judged offline, as the API server and the operator would.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/commands/command.h"
#include "controller/commands/console.h"
#include "controller/commands/documents.h"

namespace scaledcache::controller {

// One sentence about one place of a file.
struct Finding {
  std::string file;
  int line = 0;
  std::string object;   // "ScaledCache blog/varnish"
  std::string path;     // "spec.minReplicas"
  std::string message;  // "is 12, must not be above spec.maxReplicas (10)"
  bool advice = false;  // else it would be refused, or not obeyed
};

struct Judged {
  int manifests = 0;  // ScaledCaches
  int ignored = 0;    // objects of other kinds
  std::vector<Finding> findings;

  [[nodiscard]] int problems() const;
  [[nodiscard]] int advice() const;
};

// Each ScaledCache on its own, then those that name the same target or have the same name. Nothing
// is read but `documents`.
[[nodiscard]] Judged judge(const std::vector<Document>& documents,
                           std::optional<Milliseconds> scrape_interval);

[[nodiscard]] const CommandSpec& validate_spec();

// `args` without the program and the subcommand. Exit status: 0 when every manifest would be
// obeyed, 1 when one would not (with --strict: or there is advice), 2 for wrong arguments or a file
// that cannot be read.
[[nodiscard]] int validate(std::span<const std::string> args, const Console& console);

}  // namespace scaledcache::controller
