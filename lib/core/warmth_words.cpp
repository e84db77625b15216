#include "core/warmth_words.h"

#include <cstddef>

#include "base/duration.h"

namespace scaledcache::core {
namespace {

struct Words {
  std::string_view name;
  std::string_view sentence;  // "" where it holds numbers
};

// In the order of the enumerators.
constexpr std::array<Words, kAllWarmthReasons.size()> kWords{{
    {"CacheWarm", ""},
    {"WarmupTimeout", ""},
    {"NotManaged", "no ScaledCache looks after this pod"},
    {"Paused", "the ScaledCache is paused"},
    {"GateOff", "warmup.mode is Off"},
    {"FirstPods", "no other pod of the fleet is ready"},
    {"PanicOpen", "the pods that serve are overloaded"},
    {"LastReadyPod", "no other pod of the fleet is ready, so this one goes on serving"},
    {"UncacheableList", ""},
    {"PortNotDeclared", "warmup.port is not a port of any container"},
    {"AddressNotAllowed", "the pod has no address of its own that may be asked"},
    {"ContainersNotReady", "the containers are not ready"},
    {"Waiting", "waits for its warm-up"},
    {"Warming", "the cache is being filled"},
    {"BelowMinHitPercent", ""},
    {"OriginFailing", "the warm-up stopped, to leave the origin alone"},
    {"NoAnswer", "nobody answers the warm-up"},
    {"ContainerRestarted", "a container has restarted, its cache is cold again"},
    {"CacheRestarted", "the cache has restarted inside its container and is cold again"},
    {"ProbesMissed", "the last probes came from the origin: the cache is cold again"},
    {"Draining", "takes no new traffic before it goes"},
    {"Ungated", "the pod has no readiness gate scaledcache.io/cache-warm"},
    {"Terminating", "the pod is on its way out"},
}};

const Words& words_of(WarmthReason reason) {
  return kWords[static_cast<std::size_t>(reason)];
}

std::string percent(int value) {
  return std::to_string(value) + " %";
}

std::string hits_of(const WarmthFacts& facts) {
  const WarmupFacts warmup = facts.warmup.value_or(WarmupFacts{});
  return percent(warmup.hit_percent) + " of " + std::to_string(warmup.cacheable) +
         " cacheable URLs come out of the cache";
}

std::string sentence(const WarmthPolicy& policy, const WarmthFacts& facts, WarmthReason reason) {
  switch (reason) {
    case WarmthReason::CacheWarm:
      return facts.warmup ? hits_of(facts) : "the cache was proven warm before";
    case WarmthReason::BelowMinHitPercent:
      return hits_of(facts) + ", " + percent(policy.min_hit_percent) + " are wanted";
    case WarmthReason::WarmupTimeout:
      return "not proven warm within " + format_duration(policy.timeout);
    case WarmthReason::UncacheableList:
      return facts.warmup && facts.warmup->urls > 0 ? "none of the URLs can be cached"
                                                    : "no URL was found to warm the cache with";
    default:
      return std::string(words_of(reason).sentence);
  }
}

// Where what a warm-up ran into explains the reason.
bool has_trouble(WarmthReason reason) {
  return reason == WarmthReason::OriginFailing || reason == WarmthReason::NoAnswer ||
         reason == WarmthReason::WarmupTimeout || reason == WarmthReason::UncacheableList ||
         reason == WarmthReason::BelowMinHitPercent;
}

}  // namespace

std::string_view name_of(WarmthState state) {
  switch (state) {
    case WarmthState::Cold:
      return "Cold";
    case WarmthState::Warming:
      return "Warming";
    case WarmthState::Warm:
      return "Warm";
    case WarmthState::Draining:
      return "Draining";
    case WarmthState::Ungated:
      return "Ungated";
  }
  return "Cold";
}

std::string_view name_of(GateMove move) {
  switch (move) {
    case GateMove::Open:
      return "Open";
    case GateMove::Closed:
      return "Closed";
    case GateMove::Leave:
      return "Leave";
  }
  return "Leave";
}

std::string_view name_of(WarmthReason reason) {
  return words_of(reason).name;
}

std::string describe(const WarmthPolicy& policy, const WarmthFacts& facts, WarmthReason reason) {
  std::string text = sentence(policy, facts, reason);
  if (has_trouble(reason) && facts.warmup && !facts.warmup->trouble.empty()) {
    text += ": " + facts.warmup->trouble;
  }
  return text;
}

}  // namespace scaledcache::core
