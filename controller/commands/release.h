// `scaledcache release`: undoes what only a running operator would undo, for when it goes for good.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/commands/cluster.h"
#include "controller/commands/command.h"
#include "controller/commands/console.h"

namespace scaledcache::controller {

struct Released {
  std::vector<std::string> pods;      // "namespace/name" whose gate was opened
  std::vector<std::string> caches;    // "namespace/name" that lost the finalizer
  std::vector<std::string> failures;  // sentences
};

// Opens our readiness gate on every living pod that has it, whoever put it there, and takes our
// finalizer off every ScaledCache; `name_space` is empty for all. Looks again until there is
// nothing left, because an operator that is on its way out may still shut a gate. What others
// changed or deleted meanwhile is no failure, nor is a cluster without our resource. An error only
// where pods cannot be listed.
[[nodiscard]] Result<Released> release_all(k8s::KubeClient& client,
                                           const std::string& name_space,
                                           WallTime now);

[[nodiscard]] const CommandSpec& release_spec();

// `args` without the program and the subcommand. Exit status: 0 when nothing is held any more, 1
// when something still is, 2 for wrong arguments or a cluster that cannot be reached.
[[nodiscard]] int release(std::span<const std::string> args,
                          const Console& console,
                          const EnvironmentMap& environment);

}  // namespace scaledcache::controller
