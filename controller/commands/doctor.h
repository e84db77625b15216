// `scaledcache doctor`: what keeps the ScaledCaches of a cluster from doing their work.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "controller/commands/cluster.h"
#include "controller/commands/command.h"
#include "controller/commands/console.h"
#include "k8s/hpa.h"

namespace scaledcache::controller {

enum class Health { Good, Odd, Bad };

struct Check {
  Health health = Health::Good;
  std::string what;    // "ScaledCache blog/blog": what was looked at
  std::string told;    // one sentence
  std::string remedy;  // what to do; empty where nothing is
};

// What status, conditions and spec of one cache tell.
[[nodiscard]] std::vector<Check> check_cache(const k8s::ScaledCache& cache, WallTime now);

// Targets that somebody else scales too: another of `caches`, or an HPA.
[[nodiscard]] std::vector<Check> check_targets(std::span<const k8s::ScaledCache> caches,
                                               std::span<const k8s::Hpa> hpas);

// Everything that can be seen through the API server; what may not be read is told as Odd.
// `name_space` is empty for all. An error only where the API server itself cannot be reached.
[[nodiscard]] Result<std::vector<Check>> examine(k8s::KubeClient& client,
                                                 const std::string& name_space,
                                                 WallTime now);

[[nodiscard]] const CommandSpec& doctor_spec();

// `args` without the program and the subcommand. Exit status: 0 when nothing is Bad, 1 when
// something is, 2 for wrong arguments or a cluster that cannot be reached.
[[nodiscard]] int doctor(std::span<const std::string> args,
                         const Console& console,
                         const EnvironmentMap& environment);

}  // namespace scaledcache::controller
