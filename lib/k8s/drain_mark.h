// How a pod that is to leave is marked: an annotation that says who drains it and what its gate
// said before, and a deletion cost, so that it goes before any other pod that is not ready.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "k8s/patch.h"
#include "k8s/pod.h"

namespace scaledcache::k8s {

inline constexpr std::string_view kDrainDeletionCost = "-1000";
inline constexpr std::string_view kDrainingReason = "Draining";  // of the closed gate

// The value of the annotation scaledcache.io/drain.
struct DrainMark {
  std::string cache;   // name of the ScaledCache
  std::string reason;  // of the gate while it was open; "": it was not

  bool operator==(const DrainMark&) const = default;
};

// "web/CacheWarm".
[[nodiscard]] std::string to_text(const DrainMark& mark);

// Any text is a mark: without a '/', all of it is the name.
[[nodiscard]] DrainMark parse_drain_mark(std::string_view text);

// Whether somebody else writes the pod's deletion cost.
[[nodiscard]] bool has_foreign_cost(const Pod& pod);

// Merge patches for the pod, guarded by its UID (409 when it is another one by now). `with_cost`
// sets the deletion cost as well; unmarking removes it only where it is ours.
[[nodiscard]] Patch encode_drain_mark(const Pod& pod, const DrainMark& mark, bool with_cost);
[[nodiscard]] Patch encode_drain_unmark(const Pod& pod);

}  // namespace scaledcache::k8s
