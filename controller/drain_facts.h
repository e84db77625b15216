// From a look and what status keeps to the facts that core::plan_drain plans from. Pure.
#pragma once

#include "controller/look.h"
#include "controller/memory.h"
#include "core/drain.h"

namespace scaledcache::controller {

// Whether pods of this resource are drained before the count falls.
[[nodiscard]] bool drains(const k8s::ScaledCache& cache);

// What core::Observation::draining is to be.
[[nodiscard]] int pending_drains(const k8s::Status& status, const Target& target);

[[nodiscard]] core::DrainPolicy drain_policy(const Look& look);

// `memory` has a status and a history.
[[nodiscard]] core::DrainFacts drain_facts(const Look& look, const Memory& memory);

}  // namespace scaledcache::controller
