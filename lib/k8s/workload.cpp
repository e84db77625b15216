#include "k8s/workload.h"

#include <algorithm>
#include <utility>

#include "k8s/replica_count.h"

namespace scaledcache::k8s {
namespace {

const Json& member_or_empty(const Json& object, std::string_view key) {
  static const Json nothing = Json::object();
  const Json* member = find_member(object, key);
  return member == nullptr ? nothing : *member;
}

std::string joined(const Json& values) {
  std::string text;
  for (const Json& value : values) {
    if (value.is_string()) {
      text += (text.empty() ? "" : ",") + value.get<std::string>();
    }
  }
  return text;
}

std::string requirement_text(const Json& requirement) {
  const std::string key = string_member(requirement, "key");
  const std::string op = string_member(requirement, "operator");
  if (op == "Exists") {
    return key;
  }
  if (op == "DoesNotExist") {
    return "!" + key;
  }
  const std::string values = "(" + joined(member_or_empty(requirement, "values")) + ")";
  return key + (op == "NotIn" ? " notin " : " in ") + values;
}

std::string selector_text(const Json& selector) {
  std::string text;
  const auto append = [&text](const std::string& part) {
    text += (text.empty() ? "" : ",") + part;
  };
  const Json& labels = member_or_empty(selector, "matchLabels");
  if (labels.is_object()) {
    for (const auto& [name, value] : labels.items()) {
      append(name + "=" + (value.is_string() ? value.get<std::string>() : ""));
    }
  }
  const Json& expressions = member_or_empty(selector, "matchExpressions");
  if (expressions.is_array()) {
    for (const Json& requirement : expressions) {
      append(requirement_text(requirement));
    }
  }
  return text;
}

bool owns_replicas(const Json& managed) {
  const Json& fields = member_or_empty(managed, "fieldsV1");
  return find_member(member_or_empty(fields, "f:spec"), "f:replicas") != nullptr;
}

// Several managers may own the field when they applied the same value: the last one counts.
std::optional<ReplicasWriter> newest_writer(const Json& metadata) {
  std::optional<ReplicasWriter> newest;
  const Json& managers = member_or_empty(metadata, "managedFields");
  if (!managers.is_array()) {
    return newest;
  }
  for (const Json& managed : managers) {
    if (!owns_replicas(managed)) {
      continue;
    }
    ReplicasWriter writer{string_member(managed, "manager"), time_member(managed, "time")};
    if (!newest || writer.time >= newest->time) {
      newest = std::move(writer);
    }
  }
  return newest;
}

bool progress_deadline_exceeded(const Json& status) {
  const Json& conditions = member_or_empty(status, "conditions");
  return conditions.is_array() &&
         std::any_of(conditions.begin(), conditions.end(), [](const Json& condition) {
           return string_member(condition, "type") == "Progressing" &&
                  string_member(condition, "status") == "False" &&
                  string_member(condition, "reason") == "ProgressDeadlineExceeded";
         });
}

std::string revision_of(const Json& object, const std::string& kind) {
  const Json& metadata = member_or_empty(object, "metadata");
  if (kind == "Deployment") {
    return string_member(member_or_empty(metadata, "annotations"),
                         "deployment.kubernetes.io/revision");
  }
  if (kind == "ReplicaSet") {
    return string_member(member_or_empty(metadata, "labels"), "pod-template-hash");
  }
  return string_member(member_or_empty(object, "status"), "updateRevision");
}

void read_update_facts(const Json& spec, const Json& status, Workload& workload) {
  const Json* paused = find_member(spec, "paused");
  workload.paused = paused != nullptr && paused->is_boolean() && paused->get<bool>();
  workload.progress_deadline_exceeded = progress_deadline_exceeded(status);
  const Json& strategy = member_or_empty(spec, "updateStrategy");
  workload.on_delete = string_member(strategy, "type") == "OnDelete";
  workload.ordered_ready =
      workload.kind == "StatefulSet" && string_member(spec, "podManagementPolicy") != "Parallel";
  workload.partition =
      count_member(member_or_empty(strategy, "rollingUpdate"), "partition", 0).value_or(0);
  workload.updated_replicas = count_member(status, "updatedReplicas", 0).value_or(0);
}

}  // namespace

Result<Workload> decode_workload(const Json& object, std::string api_version, std::string kind) {
  auto meta = decode_meta(object);
  if (!meta) {
    return meta.error();
  }
  const Json& spec = member_or_empty(object, "spec");
  const Json& status = member_or_empty(object, "status");
  const auto replicas = count_member(spec, "replicas", 1);
  if (!replicas) {
    return Error{ErrorCode::Protocol, "a workload whose spec.replicas is no count"};
  }
  Workload workload;
  workload.meta = *std::move(meta);
  const std::string own_version = string_member(object, "apiVersion");
  const std::string own_kind = string_member(object, "kind");
  workload.api_version = own_version.empty() ? std::move(api_version) : own_version;
  workload.kind = own_kind.empty() ? std::move(kind) : own_kind;
  workload.owner = decode_controller(object);
  workload.replicas = *replicas;
  workload.observed_generation = integer_member(status, "observedGeneration", 0);
  workload.selector = selector_text(member_or_empty(spec, "selector"));
  workload.replicas_writer = newest_writer(member_or_empty(object, "metadata"));
  workload.revision = revision_of(object, workload.kind);
  read_update_facts(spec, status, workload);
  return workload;
}

std::set<std::string> owner_uids(const Workload& target,
                                 const std::vector<Workload>& replica_sets) {
  std::set<std::string> uids{target.meta.uid};
  for (const Workload& replica_set : replica_sets) {
    if (replica_set.owner && replica_set.owner->uid == target.meta.uid) {
      uids.insert(replica_set.meta.uid);
    }
  }
  return uids;
}

bool is_owned(const Pod& pod, const std::set<std::string>& owners) {
  return pod.owner && owners.contains(pod.owner->uid);
}

std::vector<Pod> owner_pods(const Workload& target,
                            const std::vector<Workload>& replica_sets,
                            const std::vector<Pod>& pods) {
  const std::set<std::string> owners = owner_uids(target, replica_sets);
  std::vector<Pod> owned;
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(owned),
               [&](const Pod& pod) { return is_owned(pod, owners); });
  return owned;
}

bool rollout_in_progress(const Workload& target, const std::vector<Pod>& owned) {
  if (target.paused || target.progress_deadline_exceeded || target.on_delete) {
    return false;
  }
  if (target.meta.generation > target.observed_generation) {
    return true;
  }
  if (target.kind == "StatefulSet" &&
      target.updated_replicas >= target.replicas - target.partition) {
    return false;
  }
  std::set<std::string> revisions;
  for (const Pod& pod : owned) {
    if (!pod.deleted && !pod.revision.empty()) {
      revisions.insert(pod.revision);
    }
  }
  return revisions.size() > 1;
}

}  // namespace scaledcache::k8s
