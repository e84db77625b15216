// Deployments, StatefulSets and ReplicaSets: the count, who wrote it, which pods belong to it and
// whether a rollout is under way.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "k8s/object_meta.h"
#include "k8s/pod.h"

namespace scaledcache::k8s {

// Who last wrote spec.replicas, from metadata.managedFields.
struct ReplicasWriter {
  std::string manager;
  std::optional<WallTime> time;

  bool operator==(const ReplicasWriter&) const = default;
};

struct Workload {
  ObjectMeta meta;
  std::string api_version;
  std::string kind;
  std::optional<OwnerRef> owner;
  int replicas = 1;  // spec.replicas; the API server's default is 1
  std::int64_t observed_generation = 0;
  std::string selector;  // spec.selector as a list request takes it: "app=web,tier in (a,b)"
  std::optional<ReplicasWriter> replicas_writer;
  std::string revision;                     // names the newest pod template; "" when unknown
  bool paused = false;                      // Deployment: spec.paused
  bool progress_deadline_exceeded = false;  // Deployment: Progressing is False for that reason
  bool on_delete = false;                   // StatefulSet: updateStrategy OnDelete
  int partition = 0;                        // StatefulSet: updateStrategy.rollingUpdate.partition
  bool ordered_ready = false;               // StatefulSet: podManagementPolicy is not Parallel
  int updated_replicas = 0;                 // StatefulSet: status.updatedReplicas

  bool operator==(const Workload&) const = default;
};

// `api_version` and `kind` are taken from the object where it has them (items of a list do not).
// Protocol when the object has no name or UID, or a count that is no integer from 0 to 2^31 - 1.
[[nodiscard]] Result<Workload> decode_workload(const Json& object,
                                               std::string api_version,
                                               std::string kind);

// The UIDs whose controlled pods belong to `target`: its own, and those of the ReplicaSets (of
// `replica_sets`) that it controls.
[[nodiscard]] std::set<std::string> owner_uids(const Workload& target,
                                               const std::vector<Workload>& replica_sets);

// Whether the pod's controlling owner is one of `owners`; a name that merely fits does not count.
[[nodiscard]] bool is_owned(const Pod& pod, const std::set<std::string>& owners);

// The pods of `pods` that belong to `target`, in their order; Terminating and finished ones too.
[[nodiscard]] std::vector<Pod> owner_pods(const Workload& target,
                                          const std::vector<Workload>& replica_sets,
                                          const std::vector<Pod>& pods);

// Whether a rollout is under way: the controller has not seen the newest spec yet, or the living
// pods of `owned` carry more than one revision. Not while a Deployment is paused or has given up
// (ProgressDeadlineExceeded), nor for a StatefulSet that updates on delete only or has updated all
// pods above its partition.
[[nodiscard]] bool rollout_in_progress(const Workload& target, const std::vector<Pod>& owned);

}  // namespace scaledcache::k8s
