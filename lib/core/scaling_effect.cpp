#include "core/scaling_effect.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace scaledcache::core {
namespace {

constexpr std::array<std::string_view, kAllEffects.size()> kNames{
    "NoEvidence",    "Effective",   "NoTrafficToNewPods", "SingleNodeFunnel",
    "AtEgressLimit", "OriginBound", "BottleneckUpstream"};

constexpr double kLeastRate = 1;  // requests per second; of less nothing can be told

struct Mean {
  double sum = 0;
  int count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }

  [[nodiscard]] double value() const { return count == 0 ? 0 : sum / count; }
};

bool newcomers_starve(std::span<const PodShare> pods) {
  Mean old_pods;
  Mean new_pods;
  for (const PodShare& pod : pods) {
    (pod.is_new ? new_pods : old_pods).add(pod.rate);
  }
  return new_pods.count > 0 && old_pods.value() >= kLeastRate &&
         new_pods.value() < kLeastShare * old_pods.value();
}

// One node of several takes all requests, and none of the new pods is on it.
bool one_node_takes_all(std::span<const PodShare> pods) {
  std::map<std::string, double> nodes;
  double all = 0;
  for (const PodShare& pod : pods) {
    nodes[pod.node] += pod.rate;
    all += pod.rate;
  }
  const auto top = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (nodes.size() < 2 || top->second < kFunnelShare * all) {
    return false;
  }
  return std::none_of(pods.begin(), pods.end(),
                      [&](const PodShare& pod) { return pod.is_new && pod.node == top->first; });
}

bool knows_served(const Dip& dip) {
  return dip.load_before.served && dip.load_after.served && *dip.load_before.served >= kLeastRate;
}

double served_factor(const Dip& dip) {
  return dip.load_after.served.value_or(0) / dip.load_before.served.value_or(1);
}

// Of what as many more pods should serve more, what they do.
double gain(const Dip& dip) {
  const double pods = static_cast<double>(dip.load_after.pods) / std::max(1, dip.load_before.pods);
  return (served_factor(dip) - 1) / (pods - 1);
}

bool hits_fell(const Dip& dip) {
  return dip.before.hit_ratio && dip.after.hit_ratio &&
         *dip.before.hit_ratio - *dip.after.hit_ratio >= kHitsFell;
}

bool origin_bears_more(const Dip& dip) {
  const auto& before = dip.before.origin_rate;
  const auto& after = dip.after.origin_rate;
  return before && after && *after >= kLeastRate && *after > *before * served_factor(dip);
}

bool road_is_full(const Dip& dip, const GuardLimits& limits) {
  return limits.max_egress && dip.after.egress &&
         *dip.after.egress >= kRoadFull * *limits.max_egress;
}

std::string number(const std::optional<double>& value, double factor, const char* unit) {
  if (!value) {
    return "unknown";
  }
  std::array<char, 48> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.1f%s", *value * factor, unit);
  return {text.data(), static_cast<std::size_t>(std::max(0, length))};
}

std::string_view meaning_of(Effect effect) {
  switch (effect) {
    case Effect::NoEvidence:
      return "nothing can be told from it";
    case Effect::Effective:
      return "it helped";
    case Effect::NoTrafficToNewPods:
      return "the new pods get next to no requests";
    case Effect::SingleNodeFunnel:
      return "one node takes all requests, and the new pods are on others";
    case Effect::AtEgressLimit:
      return "requests are still refused, and the road to the visitors is full";
    case Effect::OriginBound:
      return "the origin has to answer more than before";
    case Effect::BottleneckUpstream:
      return "requests are still refused and no more are served: something beside the caches is "
             "the limit";
  }
  return "";
}

}  // namespace

std::string_view name_of(Effect effect) {
  return kNames.at(static_cast<std::size_t>(effect));
}

Effect effect_named(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  return found == kNames.end() ? Effect::NoEvidence
                               : kAllEffects.at(static_cast<std::size_t>(found - kNames.begin()));
}

Effect judge_effect(const Dip& dip, const GuardLimits& limits, std::span<const PodShare> pods) {
  if (dip.to <= dip.from || !dip.warm_after || dip.load_after.pods <= dip.load_before.pods) {
    return Effect::NoEvidence;
  }
  if (newcomers_starve(pods)) {
    return one_node_takes_all(pods) ? Effect::SingleNodeFunnel : Effect::NoTrafficToNewPods;
  }
  if (hits_fell(dip)) {
    return Effect::OriginBound;
  }
  if (!knows_served(dip)) {
    return Effect::NoEvidence;
  }
  if (!dip.load_after.refuses || gain(dip) >= kLeastGain) {
    return Effect::Effective;
  }
  if (road_is_full(dip, limits)) {
    return Effect::AtEgressLimit;
  }
  return origin_bears_more(dip) ? Effect::OriginBound : Effect::BottleneckUpstream;
}

std::string describe_effect(const Dip& dip, Effect effect) {
  return std::to_string(dip.from) + " → " + std::to_string(dip.to) +
         " replicas: " + std::string(meaning_of(effect)) + " (served " +
         number(dip.load_before.served, 1, " req/s") + " before, " +
         number(dip.load_after.served, 1, " req/s") + " after; hit ratio " +
         number(dip.before.hit_ratio, 100, " %") + ", " + number(dip.after.hit_ratio, 100, " %") +
         "; to the origin " + number(dip.before.origin_rate, 1, " req/s") + ", " +
         number(dip.after.origin_rate, 1, " req/s") + ")";
}

void note_effect(EffectRecord& record, const Dip& dip, Effect effect) {
  if (effect == Effect::NoEvidence) {
    return;
  }
  record.newest = effect;
  record.failed_steps =
      is_failure(effect) ? std::min(record.failed_steps + dip.steps, kFailedSteps) : 0;
  record.evidence = describe_effect(dip, effect);
}

void note_shrink(EffectRecord& record) {
  if (is_failure(record.newest)) {
    record = EffectRecord{};
  }
}

std::optional<Reason> effect_veto(const EffectRecord& record,
                                  std::optional<WallTime> last_up,
                                  WallTime now) {
  const bool is_held = record.ineffective() && last_up && now - *last_up < kEffectHold;
  return is_held ? std::optional(Reason::ScalingIneffective) : std::nullopt;
}

}  // namespace scaledcache::core
