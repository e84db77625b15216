// What the doctor looks at, and what it makes of it.
#include <array>
#include <charconv>
#include <map>

#include "base/duration.h"
#include "controller/commands/doctor.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kHeartbeat{600'000};  // two of what the operator promises
constexpr Milliseconds kPatience{60'000};    // for the first look at a new cache
constexpr int kOldestMinor = 30;

std::string title_of(const k8s::ScaledCache& cache) {
  return "ScaledCache " + cache.meta.name_space + "/" + cache.meta.name;
}

// What a condition means for whoever wants to know whether all is well.
struct Reading {
  const char* type;
  k8s::ConditionStatus when;
  Health health;
};

constexpr std::array kReadings{
    Reading{"Ready", k8s::ConditionStatus::False, Health::Bad},
    Reading{"MetricsReady", k8s::ConditionStatus::False, Health::Bad},
    Reading{"Fallback", k8s::ConditionStatus::True, Health::Bad},
    Reading{"Contested", k8s::ConditionStatus::True, Health::Bad},
    Reading{"Paused", k8s::ConditionStatus::True, Health::Odd},
    Reading{"ScalingLimited", k8s::ConditionStatus::True, Health::Odd},
    Reading{"Warm", k8s::ConditionStatus::False, Health::Odd},
    Reading{"CacheTooSmall", k8s::ConditionStatus::True, Health::Odd},
    Reading{"ScalingEffective", k8s::ConditionStatus::False, Health::Odd}};

void check_conditions(const k8s::ScaledCache& cache, std::vector<Check>& checks) {
  for (const Reading& reading : kReadings) {
    const k8s::Condition* condition = k8s::find_condition(cache.status.conditions, reading.type);
    if (condition == nullptr || condition->status != reading.when) {
      continue;
    }
    checks.push_back({reading.health, title_of(cache),
                      std::string(reading.type) + " is " +
                          std::string(k8s::name_of(condition->status)) + " (" + condition->reason +
                          "): " + condition->message,
                      "docs/operations.md tells what to do for each reason"});
  }
}

std::optional<Check> silence_of(const k8s::ScaledCache& cache, WallTime now) {
  const auto written = cache.status.measured_time;
  if (!cache.status.last_decision && cache.status.conditions.empty()) {
    const bool is_new = cache.meta.created && now - *cache.meta.created < kPatience;
    return is_new
               ? std::nullopt
               : std::optional(Check{Health::Bad, title_of(cache), "no operator has looked at it",
                                     "see that the operator runs and watches this namespace"});
  }
  if (written && now - *written > kHeartbeat) {
    const auto age = std::chrono::duration_cast<std::chrono::minutes>(now - *written);
    return Check{Health::Bad, title_of(cache),
                 "the operator last wrote " + format_duration(age) + " ago",
                 "see whether the operator runs, and its log"};
  }
  return std::nullopt;
}

Check check_version(const Json& version) {
  std::string minor = string_member(version, "minor");
  int number = 0;
  (void)std::from_chars(minor.data(), minor.data() + minor.size(), number);
  const std::string shown = "Kubernetes " + string_member(version, "gitVersion");
  return number >= kOldestMinor ? Check{Health::Good, "API server", shown, ""}
                                : Check{Health::Odd, "API server", shown + " is older than 1.30",
                                        "upgrade the cluster"};
}

Check check_resource(const Result<Json>& served) {
  if (served) {
    return {Health::Good, "CustomResourceDefinition", "scaledcache.io/v1alpha1 is served", ""};
  }
  return {Health::Bad, "CustomResourceDefinition",
          "scaledcache.io/v1alpha1 is not served: " + served.error().message,
          "kubectl apply --server-side -f crds/"};
}

Check check_operator(const Result<k8s::ObjectList>& deployments) {
  if (!deployments) {
    return {Health::Odd, "operator", "cannot be looked for: " + deployments.error().message, ""};
  }
  std::string name;
  for (const Json& object : deployments->items) {
    const Json* status = find_member(object, "status");
    const Json* meta = find_member(object, "metadata");
    name = meta == nullptr ? ""
                           : string_member(*meta, "namespace") + "/" + string_member(*meta, "name");
    if (status != nullptr && integer_member(*status, "availableReplicas", 0) > 0) {
      return {Health::Good, "operator", "Deployment " + name + " is available", ""};
    }
  }
  return {Health::Bad, "operator",
          name.empty() ? "no Deployment is labelled app.kubernetes.io/name=scaledcache"
                       : "Deployment " + name + " has no available replica",
          name.empty() ? "install it: docs/install.md" : "kubectl describe it, and read its log"};
}

// Of the namespaces in which there is a cache.
std::vector<k8s::Hpa> hpas_beside(k8s::KubeClient& client,
                                  std::span<const k8s::ScaledCache> caches,
                                  std::vector<Check>& checks) {
  static const k8s::ResourceType kHpas{"autoscaling", "v2", "horizontalpodautoscalers"};
  std::map<std::string, bool> spaces;
  std::vector<k8s::Hpa> hpas;
  for (const k8s::ScaledCache& cache : caches) {
    if (!spaces.emplace(cache.meta.name_space, true).second) {
      continue;
    }
    const auto list = client.list(k8s::collection_path(kHpas, cache.meta.name_space));
    if (!list) {
      checks.push_back({Health::Odd, "namespace " + cache.meta.name_space,
                        "HorizontalPodAutoscalers cannot be read: " + list.error().message, ""});
      continue;
    }
    for (const Json& object : list->items) {
      if (auto hpa = k8s::decode_hpa(object)) {
        hpas.push_back(*std::move(hpa));
      }
    }
  }
  return hpas;
}

}  // namespace

std::vector<Check> check_cache(const k8s::ScaledCache& cache, WallTime now) {
  std::vector<Check> checks;
  for (const k8s::Problem& problem : cache.problems) {
    checks.push_back({Health::Bad, title_of(cache), problem.sentence(),
                      "mend it; `scaledcache validate` tells all of a manifest's problems"});
  }
  for (const k8s::Problem& problem : cache.pause.problems) {
    checks.push_back(
        {Health::Bad, title_of(cache), problem.sentence() + "; it counts as paused", ""});
  }
  if (auto silence = silence_of(cache, now)) {
    checks.push_back(*std::move(silence));
  }
  check_conditions(cache, checks);
  if (checks.empty()) {
    const auto& last = cache.status.last_decision;
    checks.push_back({Health::Good, title_of(cache),
                      last ? last->reason + ": " + last->message : "was not decided on yet", ""});
  }
  return checks;
}

std::vector<Check> check_targets(std::span<const k8s::ScaledCache> caches,
                                 std::span<const k8s::Hpa> hpas) {
  std::vector<Check> checks;
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const k8s::ObjectRef target = caches[i].target();
    const std::string shown = target.kind + " " + target.name;
    for (std::size_t k = 0; k < i; ++k) {
      if (k8s::same_target(target, caches[k].target())) {
        checks.push_back({Health::Bad, title_of(caches[i]),
                          shown + " is also scaled by " + title_of(caches[k]),
                          "delete one of the two: the older one owns the target"});
      }
    }
    for (const k8s::Hpa& hpa : hpas) {
      if (k8s::same_target(target, hpa.target) && !caches[i].spec.dry_run) {
        checks.push_back({Health::Bad, title_of(caches[i]),
                          shown + " is also scaled by HorizontalPodAutoscaler " + hpa.name,
                          "delete it, or the ScaledObject that made it: docs/gitops.md"});
      }
    }
  }
  return checks;
}

Result<std::vector<Check>> examine(k8s::KubeClient& client,
                                   const std::string& name_space,
                                   WallTime now) {
  const auto version = client.get("/version");
  if (!version) {
    return version.error();
  }
  std::vector<Check> checks{check_version(*version)};
  checks.push_back(check_resource(client.get(k8s::version_path("scaledcache.io", "v1alpha1"))));
  checks.push_back(check_operator(
      client.list(k8s::with_query(k8s::collection_path(k8s::deployments(), ""),
                                  {{"labelSelector", "app.kubernetes.io/name=scaledcache"}}))));
  const auto list = client.list(k8s::collection_path(k8s::scaled_caches(), name_space));
  if (!list) {
    checks.push_back({Health::Bad, "ScaledCaches", "cannot be read: " + list.error().message, ""});
    return checks;
  }
  std::vector<k8s::ScaledCache> caches;
  for (const Json& object : list->items) {
    if (auto cache = k8s::scaled_cache_from_json(object)) {
      const std::vector<Check> own = check_cache(*cache, now);
      checks.insert(checks.end(), own.begin(), own.end());
      caches.push_back(*std::move(cache));
    }
  }
  if (caches.empty()) {
    checks.push_back(
        {Health::Odd, "ScaledCaches", "there are none", "kubectl apply -f examples/minimal.yaml"});
  }
  const std::vector<k8s::Hpa> hpas = hpas_beside(client, caches, checks);
  const std::vector<Check> targets = check_targets(caches, hpas);
  checks.insert(checks.end(), targets.begin(), targets.end());
  return checks;
}

}  // namespace scaledcache::controller
