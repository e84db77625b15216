// What a look at draining leaves behind: the status, the history, the events. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/look.h"
#include "controller/memory.h"
#include "core/drain.h"
#include "k8s/event.h"
#include "k8s/status.h"

namespace scaledcache::controller {

// The count to write; the present one where nothing is to be written.
[[nodiscard]] int next_count(const Look& look, const core::DrainPlan& plan);

// The decision as the plan carries it out: serving pods, and the history after `count` was written.
[[nodiscard]] core::Decision carried_out(const Look& look,
                                         const core::DrainPlan& plan,
                                         const core::History& before,
                                         int count);

// `status` with the drains of the plan.
[[nodiscard]] k8s::Status with_drains(k8s::Status status, const core::DrainPlan& plan);

// The decision's sentence, and what the plan adds to it.
[[nodiscard]] std::string sentence_of(const Look& look, const core::DrainPlan& plan);

// In the order in which a person would tell them. `memory` as it was before the look.
[[nodiscard]] std::vector<k8s::Event> drain_events(const Look& look,
                                                   const core::DrainPlan& plan,
                                                   const Memory& memory);

// The pods of `look` that live, by the UIDs of drains that ended.
[[nodiscard]] std::vector<k8s::Pod> pods_to_release(const Look& look,
                                                    const core::DrainPlan& plan,
                                                    const Memory& memory);

}  // namespace scaledcache::controller
