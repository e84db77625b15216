#include "controller/drain.h"

#include <algorithm>

#include "controller/gate_scene.h"
#include "k8s/drain_mark.h"
#include "k8s/gate.h"
#include "k8s/paths.h"
#include "k8s/scale.h"

namespace scaledcache::controller {
namespace {

bool is_closed_for_draining(const k8s::Pod& pod) {
  return pod.gate && !pod.gate->open && pod.gate->reason == k8s::kDrainingReason;
}

// Another writer of the deletion cost, such as Karpenter, would be fought with: the gate alone
// decides then.
bool is_cost_foreign(const std::vector<k8s::Pod>& pods) {
  return std::any_of(pods.begin(), pods.end(), k8s::has_foreign_cost);
}

}  // namespace

Result<void> Drainer::send(const std::string& path,
                           const k8s::Patch& patch,
                           const std::stop_token& stop) {
  const auto answer = parts_.client.patch({path, patch, k8s::kFieldManager}, stop);
  if (answer) {
    parts_.metrics.count_write("pod");
    return {};
  }
  const ErrorCode code = answer.error().code;
  const bool is_gone = code == ErrorCode::NotFound || code == ErrorCode::Conflict;
  return is_gone ? Result<void>() : answer.error();
}

Result<void> Drainer::mark(const k8s::Pod& pod,
                           const std::string& cache,
                           bool with_cost,
                           Memory& memory,
                           const std::stop_token& stop) {
  const bool is_marked =
      memory.drain_marks.contains(pod.uid) || k8s::parse_drain_mark(pod.drain).cache == cache;
  if (is_marked) {
    return {};
  }
  const k8s::DrainMark mark{cache, pod.gate && pod.gate->open ? pod.gate->reason : ""};
  const auto marked = send(k8s::object_path(k8s::pods(), pod.name_space, pod.name),
                           k8s::encode_drain_mark(pod, mark, with_cost), stop);
  if (marked) {
    memory.drain_marks[pod.uid] = k8s::to_text(mark);
  }
  return marked;
}

void Drainer::forget(const std::string& uid) const {
  if (parts_.gates != nullptr) {
    parts_.gates->release_draining(uid);
  }
}

// The gate closes pods that turn cold, at the same time and on other threads: whoever claims first
// leaves the other the last pod that serves. A fleet that is to be empty keeps none.
bool Drainer::may_close(const k8s::Pod& pod, const Look& look) {
  if (parts_.gates == nullptr || look.decision.replicas == 0) {
    return true;
  }
  std::vector<std::string> others;
  for (const k8s::Pod& other : look.gathered.target.pods) {
    if (other.uid != pod.uid && is_serving(other) && !is_draining(other, &look.cache)) {
      others.push_back(other.uid);
    }
  }
  return parts_.gates->claim_draining(pod.uid, others);
}

Result<void> Drainer::close(const k8s::Pod& pod, const Look& look, const std::stop_token& stop) {
  // One that is closed already was not proven warm, and must not say Draining: that vouches for it.
  if (!pod.has_gate || !pod.gate || !pod.gate->open || !may_close(pod, look)) {
    return {};
  }
  // A gate that was not opened by us says of no cache; it is vouched for as it stands now.
  std::string identity = k8s::identity_in(pod.gate->message);
  if (identity.empty()) {
    identity = k8s::cache_identity(pod, look.cache.spec.warmup.port);
  }
  const k8s::GateWrite closed{
      false, std::string(k8s::kDrainingReason),
      k8s::with_identity("takes no new traffic before it leaves", identity)};
  const auto patch = k8s::encode_gate_patch(pod, closed, parts_.clock.wall());
  return patch ? send(k8s::status_path(k8s::pods(), pod.name_space, pod.name), *patch, stop)
               : Result<void>();
}

Result<void> Drainer::drain(const Look& look,
                            const std::vector<core::DrainIntent>& intents,
                            Memory& memory,
                            const std::stop_token& stop) {
  const std::vector<k8s::Pod>& pods = look.gathered.target.pods;
  const bool with_cost = !is_cost_foreign(pods);
  std::map<std::string, std::string> marks;
  for (const core::DrainIntent& intent : intents) {
    const auto pod = std::find_if(pods.begin(), pods.end(), [&](const k8s::Pod& one) {
      return one.uid == intent.uid && one.alive();
    });
    if (pod == pods.end()) {
      continue;
    }
    if (const auto marked = mark(*pod, look.cache.meta.name, with_cost, memory, stop); !marked) {
      return marked;
    }
    if (const auto closed = close(*pod, look, stop); !closed) {
      return closed;
    }
    if (const auto known = memory.drain_marks.find(intent.uid); known != memory.drain_marks.end()) {
      marks.insert(*known);
    }
  }
  memory.drain_marks = std::move(marks);
  return {};
}

Result<void> Drainer::release_one(const k8s::Pod& pod, const std::stop_token& stop) {
  const k8s::DrainMark mark = k8s::parse_drain_mark(pod.drain);
  const std::string identity = pod.gate ? k8s::identity_in(pod.gate->message) : "";
  const bool same_cache = !is_closed_for_draining(pod) || k8s::is_identity_of(pod, identity);
  if (!mark.reason.empty() && same_cache && pod.has_gate && pod.containers_ready) {
    k8s::Pod unread = pod;  // the watch may not have shown yet that the gate is closed
    unread.gate.reset();
    const k8s::GateWrite open{true, mark.reason,
                              k8s::with_identity("serves again: its drain was given up", identity)};
    const auto patch = k8s::encode_gate_patch(unread, open, parts_.clock.wall());
    if (const auto opened =
            send(k8s::status_path(k8s::pods(), pod.name_space, pod.name), *patch, stop);
        !opened) {
      return opened;
    }
  }
  const auto unmarked = send(k8s::object_path(k8s::pods(), pod.name_space, pod.name),
                             k8s::encode_drain_unmark(pod), stop);
  if (unmarked) {
    forget(pod.uid);
  }
  return unmarked;
}

Result<void> Drainer::release(const std::vector<k8s::Pod>& pods, const std::stop_token& stop) {
  Result<void> first;
  for (const k8s::Pod& pod : pods) {
    const auto released = release_one(pod, stop);
    if (released || !first) {
      continue;
    }
    first = released;
    Fields fields;
    fields["pod"] = pod.name_space + "/" + pod.name;
    fields["error"] = released.error().message;
    parts_.log.warn("a drain was not undone", fields);
  }
  return first;
}

std::vector<k8s::Pod> Drainer::strays(const std::string& name_space,
                                      const std::string& cache,
                                      const std::vector<k8s::DrainIntent>& intents) const {
  std::vector<k8s::Pod> found;
  const auto view = parts_.cluster.view(name_space);
  for (const auto& entry : view->pods.in_namespace(name_space)) {
    if (!entry.object || entry.object->drain.empty() || !entry.object->alive()) {
      continue;
    }
    const k8s::Pod& pod = *entry.object;
    const std::string owner = k8s::parse_drain_mark(pod.drain).cache;
    const bool is_ours = owner == cache;
    const bool is_orphan = !is_ours && !parts_.cluster.find_cache(name_space + "/" + owner);
    const bool is_meant =
        is_ours && std::any_of(intents.begin(), intents.end(), [&](const k8s::DrainIntent& intent) {
          return intent.uid == pod.uid;
        });
    if (is_orphan || (is_ours && !is_meant)) {
      found.push_back(pod);
    }
  }
  return found;
}

}  // namespace scaledcache::controller
