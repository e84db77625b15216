#include "k8s/pod_status.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rfc3339.h"
#include "k8s/object_meta.h"
#include "k8s/replica_count.h"
#include "k8s/utf8.h"

namespace scaledcache::k8s {
namespace {

// What the schema takes, in bytes.
constexpr std::size_t kMaxPodMessage = 256;
constexpr double kLongest = 1e9;  // seconds; more is nonsense

Json to_json(const PodStatus& pod) {
  Json object{{"name", pod.name}, {"state", pod.state}};
  if (pod.hit_percent) {
    object["hitPercent"] = *pod.hit_percent;
  }
  if (pod.seconds && std::isfinite(*pod.seconds)) {
    object["seconds"] = std::round(*pod.seconds * 10) / 10;
  }
  if (!pod.message.empty()) {
    object["message"] = cut_utf8(pod.message, kMaxPodMessage);
  }
  return object;
}

PodStatus pod_from_json(const Json& object) {
  PodStatus pod;
  pod.name = string_member(object, "name");
  pod.state = string_member(object, "state");
  if (find_member(object, "hitPercent") != nullptr) {
    pod.hit_percent = count_member(object, "hitPercent", 0);
  }
  const Json* seconds = find_member(object, "seconds");
  if (seconds != nullptr && seconds->is_number()) {
    const double number = seconds->get<double>();
    if (number >= 0 && number < kLongest) {
      pod.seconds = number;
    }
  }
  pod.message = string_member(object, "message");
  return pod;
}

template <class T, class Read>
std::vector<T> list_from_json(const Json* list, Read read) {
  std::vector<T> entries;
  if (list == nullptr || !list->is_array()) {
    return entries;
  }
  for (const Json& item : *list) {
    if (entries.size() == kMaxPodsInStatus) {
      break;
    }
    if (auto entry = read(item)) {
      entries.push_back(std::move(*entry));
    }
  }
  return entries;
}

}  // namespace

Json to_json(const std::vector<PodStatus>& pods) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(pods.size(), kMaxPodsInStatus); ++i) {
    list.push_back(to_json(pods[i]));
  }
  return list;
}

Json to_json(const std::vector<DrainIntent>& drains) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(drains.size(), kMaxPodsInStatus); ++i) {
    list.push_back({{"pod", drains[i].pod},
                    {"uid", drains[i].uid},
                    {"since", format_micro_time(drains[i].since)}});
  }
  return list;
}

std::vector<PodStatus> pods_from_json(const Json* list) {
  return list_from_json<PodStatus>(list, [](const Json& item) -> std::optional<PodStatus> {
    PodStatus pod = pod_from_json(item);
    return pod.name.empty() ? std::nullopt : std::optional(std::move(pod));
  });
}

std::vector<DrainIntent> drains_from_json(const Json* list) {
  return list_from_json<DrainIntent>(list, [](const Json& item) -> std::optional<DrainIntent> {
    const auto since = time_member(item, "since");
    DrainIntent drain{string_member(item, "pod"), string_member(item, "uid"),
                      since.value_or(WallTime{})};
    const bool whole = since && !drain.pod.empty() && !drain.uid.empty();
    return whole ? std::optional(std::move(drain)) : std::nullopt;
  });
}

}  // namespace scaledcache::k8s
