// Which pods are to be gated, read from what the watches keep. The webhook asks it for every pod
// that is created, so it answers from memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/watches.h"
#include "controller/webhook.h"
#include "k8s/label_selector.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// The pod selectors of those Deployments and StatefulSets of `view` that a valid, gating
// ScaledCache of `caches` scales; not in a dry run. One that is paused gates too, since its gates
// are opened at once and can be used again after the pause. `view` may be nullptr, and need not be
// whole: what it does not show yet is left out. Selectors that cannot be read or select everything
// are left out too, so that no stranger's pod is held back.
[[nodiscard]] std::vector<k8s::LabelSelector> gated_selectors(
    const std::vector<std::shared_ptr<const k8s::ScaledCache>>& caches, const NamespaceView* view);

// Thread safe.
class GateIndex final : public GatedTargets {
 public:
  explicit GateIndex(const Watches& watches) : watches_(watches) {}

  [[nodiscard]] std::vector<k8s::LabelSelector> selectors(
      const std::string& name_space) const override;

 private:
  const Watches& watches_;
};

}  // namespace scaledcache::controller
