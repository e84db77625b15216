// What a sound manifest would still be better without: nothing here keeps it from being obeyed.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "k8s/problem.h"
#include "k8s/spec.h"

namespace scaledcache::controller {

// For a spec without problems. `scrape_interval` is that of the caches; where it is not known,
// nothing is said about it. Each message goes on after the path: "spec.minReplicas is 1: …".
[[nodiscard]] k8s::Problems advise(const k8s::Spec& spec,
                                   const std::string& path,
                                   std::optional<Milliseconds> scrape_interval);

}  // namespace scaledcache::controller
