#include "controller/restorer.h"

#include <algorithm>
#include <chrono>

#include "k8s/paths.h"
#include "k8s/scale.h"

namespace scaledcache::controller {
namespace {

constexpr std::chrono::minutes kTryAgain{1};

std::string path_of(const k8s::ScaledCache& cache) {
  return k8s::object_path(k8s::scaled_caches(), cache.meta.name_space, cache.meta.name);
}

std::vector<std::string> finalizers_of(const Json& object) {
  std::vector<std::string> finalizers;
  const Json* metadata = find_member(object, "metadata");
  const Json* list = metadata == nullptr ? nullptr : find_member(*metadata, "finalizers");
  if (list != nullptr && list->is_array()) {
    for (const Json& one : *list) {
      if (one.is_string()) {
        finalizers.push_back(one.get<std::string>());
      }
    }
  }
  return finalizers;
}

// What no later try makes better.
bool is_final(ErrorCode code) {
  return code == ErrorCode::NotFound || code == ErrorCode::Invalid ||
         code == ErrorCode::Forbidden || code == ErrorCode::Protocol;
}

}  // namespace

Result<void> Restorer::hold(const k8s::ScaledCache& cache, const std::stop_token& stop) {
  const bool wanted = cache.spec.restore_replicas_on_delete;
  Known known;
  {
    MutexLock lock(mutex_);
    const auto found = known_.find(cache.meta.uid);
    known = found == known_.end() ? Known{} : found->second;
  }
  const SteadyTime now = parts_.clock.steady();
  const bool settled = known.held ? *known.held == wanted : !wanted;
  if (settled || (known.failed && now - *known.failed < kTryAgain)) {
    return {};
  }
  const auto set = set_finalizer(cache, wanted, stop);
  note(cache.meta.uid, set ? Known{wanted, std::nullopt} : Known{known.held, now});
  return set;
}

Result<void> Restorer::release(const k8s::ScaledCache& cache, const std::stop_token& stop) {
  const auto object = parts_.client.get(path_of(cache), stop);
  if (!object) {
    return object.error().code == ErrorCode::NotFound ? Result<void>() : object.error();
  }
  const std::vector<std::string> finalizers = finalizers_of(*object);
  if (std::find(finalizers.begin(), finalizers.end(), kRestoreFinalizer) == finalizers.end()) {
    return {};
  }
  const auto& count = cache.status.original_replicas;
  if (cache.spec.restore_replicas_on_delete && !cache.spec.dry_run && count) {
    const auto written = write_count(cache, *count, stop);
    if (!written && !is_final(written.error().code)) {
      return written.error();
    }
  }
  const auto set = set_finalizer(cache, false, stop);
  if (set) {
    MutexLock lock(mutex_);
    known_.erase(cache.meta.uid);
  }
  return set;
}

Result<void> Restorer::set_finalizer(const k8s::ScaledCache& cache,
                                     bool wanted,
                                     const std::stop_token& stop) {
  const auto object = parts_.client.get(path_of(cache), stop);
  if (!object) {
    return object.error();
  }
  const auto meta = k8s::decode_meta(*object);
  if (!meta || meta->uid != cache.meta.uid) {
    return Error{ErrorCode::Conflict, "another resource has taken the name"};
  }
  std::vector<std::string> finalizers = finalizers_of(*object);
  const auto at = std::find(finalizers.begin(), finalizers.end(), kRestoreFinalizer);
  if ((at != finalizers.end()) == wanted) {
    return {};
  }
  if (wanted) {
    finalizers.emplace_back(kRestoreFinalizer);
  } else {
    finalizers.erase(at);
  }
  // The resource version makes it safe to send the whole list.
  const Json body = {{"metadata",
                      {{"uid", meta->uid},
                       {"resourceVersion", meta->resource_version},
                       {"finalizers", finalizers}}}};
  const auto patched = parts_.client.patch(
      {path_of(cache), {k8s::kMergePatch, dump_json(body)}, k8s::kFieldManager}, stop);
  const bool gone = !patched && patched.error().code == ErrorCode::NotFound;
  return patched || gone ? Result<void>() : patched.error();
}

Result<void> Restorer::write_count(const k8s::ScaledCache& cache,
                                   int count,
                                   const std::stop_token& stop) {
  const auto target = parts_.targets.find(cache, *parts_.cluster.view(cache.meta.name_space), stop);
  if (!target) {
    return target.error();
  }
  if (target->replicas == count) {
    return {};
  }
  const k8s::ScaleChange change{target->reference.uid, target->resource_version, target->replicas,
                                count};
  const auto patched = parts_.client.patch(
      {k8s::scale_path(target->type, cache.meta.name_space, target->reference.name),
       k8s::encode_scale_patch(change), k8s::kFieldManager, k8s::Unprocessable::Conflict},
      stop);
  return patched ? Result<void>() : patched.error();
}

void Restorer::note(const std::string& uid, const Known& known) {
  MutexLock lock(mutex_);
  known_[uid] = known;
}

}  // namespace scaledcache::controller
