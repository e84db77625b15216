#include "k8s/scaled_cache.h"

#include <charconv>

#include "k8s/object_reader.h"

namespace scaledcache::k8s {
namespace {

const std::string* annotation(const ObjectMeta& meta, const char* name) {
  const auto found = meta.annotations.find(name);
  return found == meta.annotations.end() ? nullptr : &found->second;
}

Problem annotation_problem(const char* name, const std::string& text, const char* allowed) {
  return {"metadata.annotations[" + std::string(name) + "]",
          "is " + shown(text) + ", must be " + allowed};
}

// `unreadable` is what a text that is neither "true" nor "false" counts as.
bool read_switch(const ObjectMeta& meta, const char* name, bool unreadable, Problems& problems) {
  const std::string* text = annotation(meta, name);
  if (text == nullptr || *text == "false") {
    return false;
  }
  if (*text == "true") {
    return true;
  }
  problems.push_back(annotation_problem(name, *text, R"("true" or "false")"));
  return unreadable;
}

std::optional<int> parse_count(const std::string& text) {
  int count = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end || count < 0 ||
      count > kMaxReplicas) {
    return std::nullopt;
  }
  return count;
}

}  // namespace

PauseAnnotations read_pause(const ObjectMeta& meta) {
  PauseAnnotations pause;
  Problems& problems = pause.problems;
  pause.paused = read_switch(meta, "scaledcache.io/paused", true, problems);
  pause.scale_up_paused = read_switch(meta, "scaledcache.io/paused-scale-up", true, problems);
  pause.scale_down_paused = read_switch(meta, "scaledcache.io/paused-scale-down", true, problems);
  pause.force_activation = read_switch(meta, "scaledcache.io/force-activation", false, problems);
  constexpr const char* kCount = "scaledcache.io/paused-replicas";
  if (const std::string* text = annotation(meta, kCount)) {
    pause.replicas = parse_count(*text);
    if (!pause.replicas) {
      pause.paused = true;
      problems.push_back(annotation_problem(kCount, *text, "a count from 0 to 10000"));
    }
  }
  return pause;
}

ObjectRef ScaledCache::reference() const {
  return {kApiVersion, kKind, meta.name_space, meta.name, meta.uid};
}

ObjectRef ScaledCache::target() const {
  return {spec.target.api_version, spec.target.kind, meta.name_space, spec.target.name, ""};
}

Result<ScaledCache> scaled_cache_from_json(const Json& object) {
  auto meta = decode_meta(object);
  if (!meta) {
    return meta.error();
  }
  if (meta->name_space.empty()) {
    return Error{ErrorCode::Protocol, "a ScaledCache without metadata.namespace"};
  }
  ScaledCache cache;
  cache.meta = *std::move(meta);
  cache.pause = read_pause(cache.meta);
  if (const Json* status = find_member(object, "status")) {
    cache.status = status_from_json(*status);
  }
  const Json* spec = find_member(object, "spec");
  if (spec == nullptr) {
    cache.problems.push_back({"spec", "is required"});
    return cache;
  }
  cache.spec = spec_from_json(*spec, "spec", cache.problems);
  if (cache.problems.empty()) {
    cache.problems = validate(cache.spec);
  }
  return cache;
}

}  // namespace scaledcache::k8s
