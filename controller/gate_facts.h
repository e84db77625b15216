// From what was gathered about one pod to the facts that core::judge_warmth judges. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controller/gate_book.h"
#include "controller/gate_scene.h"
#include "core/warmth.h"
#include "http/address.h"
#include "k8s/pod.h"

namespace scaledcache::controller {

// Everything about one pod at one moment.
struct GateSight {
  std::string key;  // "namespace/pod"
  k8s::Pod pod;     // with our own newest write in it
  std::string identity;
  GateScene scene;
  std::map<std::string, GateRecord> records;  // of the fleet, by UID
  std::vector<std::string> serving;           // UIDs of the other pods that serve
  int other_ready = 0;                        // of them, those whose gate we are not closing
  bool overloaded = false;
  bool warmup_running = false;  // for this identity
  WallTime now;
  SteadyTime steady;
};

// Without a ScaledCache, or with one that cannot be obeyed, nothing is gated.
[[nodiscard]] core::WarmthPolicy warmth_policy(const GateSight& sight);

// Since when a pod that is seen for the first time waits: its containers became ready or, where the
// gate was closed later than that, it was closed. So the limit holds across a restart of the
// operator. No later than `now`, and `now` where the pod does not tell; nothing while its
// containers are not ready.
[[nodiscard]] std::optional<WallTime> cold_since(const k8s::Pod& pod, WallTime now);

// `addresses` says whom we may dial.
[[nodiscard]] core::WarmthFacts warmth_facts(const GateSight& sight,
                                             const GateRecord& record,
                                             const http::AddressPolicy& addresses);

// Whether the pod declares the port that is asked, and its address is ours to dial.
[[nodiscard]] bool may_be_asked(const GateSight& sight, const http::AddressPolicy& addresses);

// Whether a warm-up of the pod makes sense at all; one that is under way is stopped otherwise.
[[nodiscard]] bool may_be_warmed(const GateSight& sight);

// The address of another pod of the fleet that serves and was proven warm; `turn` chooses among
// them.
[[nodiscard]] std::optional<http::Address> warm_peer(const GateSight& sight, std::size_t turn);

// The pod as it is once our own newest write is seen.
[[nodiscard]] k8s::Pod with_own_write(k8s::Pod pod, const std::optional<OwnGateWrite>& written);

}  // namespace scaledcache::controller
