// Who else is in charge of what a ScaledCache scales.
#pragma once

#include <string>

#include "controller/watches.h"
#include "core/observation.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

struct Rival {
  core::Contender kind = core::Contender::None;
  std::string name;  // "HorizontalPodAutoscaler web", "ScaledCache blog"; "" where there is none

  bool operator==(const Rival&) const = default;
};

// A HorizontalPodAutoscaler on the target, else an older ScaledCache on it (then the one with the
// smaller UID): that one owns the target.
[[nodiscard]] Rival find_rival(const k8s::ScaledCache& cache,
                               const ClusterView& cluster,
                               const NamespaceView& view);

}  // namespace scaledcache::controller
