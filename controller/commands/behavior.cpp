#include "controller/commands/behavior.h"

#include <algorithm>
#include <cmath>

#include "base/duration.h"

namespace scaledcache::controller {
namespace {

constexpr std::int64_t kLeastWindow = 5;  // seconds

// What the policies of one direction come to.
struct Steps {
  std::optional<std::int64_t> percent;
  std::optional<std::int64_t> pods;
  std::int64_t period = 0;  // seconds, the longest
};

bool is_min(const Json& rules) {
  return string_member(rules, "selectPolicy") == "Min";
}

bool is_disabled(const Json& rules) {
  return string_member(rules, "selectPolicy") == "Disabled";
}

void take(std::optional<std::int64_t>& into, std::int64_t value, bool smallest) {
  if (!into || (smallest ? value < *into : value > *into)) {
    into = value;
  }
}

Steps steps_of(const Json& rules, std::int64_t max_replicas) {
  Steps steps;
  const Json* policies = find_member(rules, "policies");
  if (policies == nullptr || !policies->is_array()) {
    return steps;
  }
  const bool smallest = is_min(rules);
  for (const Json& policy : *policies) {
    const std::int64_t value = std::max<std::int64_t>(1, integer_member(policy, "value", 1));
    take(string_member(policy, "type") == "Pods" ? steps.pods : steps.percent, value, smallest);
    steps.period = std::max(steps.period, integer_member(policy, "periodSeconds", 0));
  }
  // With Min the tighter of the two stands, as they compare where the fleet is largest.
  if (smallest && steps.percent && steps.pods) {
    const bool pods_are_fewer = *steps.pods * 100 < *steps.percent * max_replicas;
    (pods_are_fewer ? steps.percent : steps.pods).reset();
  }
  return steps;
}

std::int64_t max_replicas_of(const Draft& draft) {
  return draft.spec.value("maxReplicas", std::int64_t{1});
}

// A direction that is switched off altogether.
bool carry_disabled(const Json& rules,
                    const std::string& path,
                    const char* annotation,
                    Draft& draft) {
  if (!is_disabled(rules)) {
    return false;
  }
  draft.metadata["annotations"][annotation] = "true";
  draft.ledger.carry(path);
  return true;
}

void carry_tolerance(const Json& rules, const std::string& path, OrderedJson& into, Draft& draft) {
  if (const auto tolerance = quantity_of(find_member(rules, "tolerance"))) {
    into["tolerancePercent"] = std::clamp<long>(std::lround(*tolerance * 100), 0, 100);
    draft.ledger.carry(path + ".tolerance");
  }
}

void carry_select(const std::string& path, Draft& draft) {
  draft.ledger.carry(path + ".selectPolicy");
}

void carry_growth_steps(const Json& rules, const std::string& path, Draft& draft) {
  const Steps steps = steps_of(rules, max_replicas_of(draft));
  if (!steps.percent && !steps.pods) {
    return;
  }
  OrderedJson& up = draft.spec["scaleUp"];
  up["maxFactor"] = std::clamp<std::int64_t>(1 + (steps.percent.value_or(0) + 99) / 100, 1, 1000);
  up["maxPods"] = std::clamp<std::int64_t>(steps.pods.value_or(1), 1, 10'000);
  if (steps.percent && *steps.percent % 100 != 0) {
    draft.comment("spec.scaleUp.maxFactor",
                  std::to_string(*steps.percent) + " % a step, rounded up to a whole factor");
  }
  if (steps.period > 0) {
    up["cooldown"] = seconds_text(steps.period);
    draft.comment("spec.scaleUp.cooldown",
                  "periodSeconds of the policies; 0s would let a spike grow at every poll");
  }
  draft.ledger.carry(path + ".policies");
}

void carry_growth(const Json& rules, const std::string& path, Draft& draft) {
  if (carry_disabled(rules, path, "scaledcache.io/paused-scale-up", draft)) {
    return;
  }
  carry_select(path, draft);
  carry_growth_steps(rules, path, draft);
  OrderedJson tolerance = OrderedJson::object();
  carry_tolerance(rules, path, tolerance, draft);
  if (!tolerance.empty()) {
    draft.spec["scaleUp"].update(tolerance);
  }
  const std::int64_t window = integer_member(rules, "stabilizationWindowSeconds", 0);
  if (window > 0) {
    draft.spec["shortWindow"] = seconds_text(std::max(window, kLeastWindow));
    draft.comment("spec.shortWindow",
                  "scaleUp.stabilizationWindowSeconds: growth has to last so long");
  }
  draft.ledger.carry(path + ".stabilizationWindowSeconds");
}

void carry_shrink_steps(const Json& rules, const std::string& path, Draft& draft) {
  const std::int64_t most = max_replicas_of(draft);
  const Steps steps = steps_of(rules, most);
  std::optional<std::int64_t> percent = steps.percent;
  if (steps.pods) {
    take(percent, std::clamp<std::int64_t>(100 * *steps.pods / most, 1, 100), is_min(rules));
    draft.comment("spec.scaleDown.stepPercent", "policy of " + std::to_string(*steps.pods) +
                                                    " pods, as a share of " + std::to_string(most) +
                                                    "; at least one pod goes");
  }
  if (!percent) {
    return;
  }
  draft.spec["scaleDown"]["stepPercent"] = std::clamp<std::int64_t>(*percent, 1, 100);
  if (steps.period > 0) {
    draft.spec["scaleDown"]["interval"] = seconds_text(steps.period);
  }
  draft.ledger.carry(path + ".policies");
}

// The highest recommendation of the window is what the long window is for.
void carry_lull(const Json& rules, const std::string& path, Draft& draft) {
  const Json* seconds = find_member(rules, "stabilizationWindowSeconds");
  if (seconds == nullptr) {
    return;
  }
  const std::string text = draft.spec.value("shortWindow", std::string("30s"));
  const Milliseconds least = parse_duration(text).value_or(Milliseconds{30'000});
  const Milliseconds window = std::chrono::seconds{count_of(seconds).value_or(300)};
  draft.spec["longWindow"] = format_duration(std::max(window, least));
  draft.comment("spec.longWindow",
                window < least ? "scaleDown.stabilizationWindowSeconds, at least shortWindow"
                               : "scaleDown.stabilizationWindowSeconds");
  draft.ledger.carry(path + ".stabilizationWindowSeconds");
}

void carry_shrink(const Json& rules, const std::string& path, Draft& draft) {
  if (carry_disabled(rules, path, "scaledcache.io/paused-scale-down", draft)) {
    return;
  }
  carry_select(path, draft);
  carry_shrink_steps(rules, path, draft);
  OrderedJson tolerance = OrderedJson::object();
  carry_tolerance(rules, path, tolerance, draft);
  if (!tolerance.empty()) {
    draft.spec["scaleDown"].update(tolerance);
  }
  carry_lull(rules, path, draft);
}

}  // namespace

void carry_behavior(const Json& behavior, const std::string& path, Draft& draft) {
  if (const Json* up = find_member(behavior, "scaleUp"); up != nullptr && up->is_object()) {
    carry_growth(*up, path + ".scaleUp", draft);
  }
  if (const Json* down = find_member(behavior, "scaleDown"); down != nullptr && down->is_object()) {
    carry_shrink(*down, path + ".scaleDown", draft);
  }
  const std::string window = draft.spec.value("shortWindow", std::string());
  if (!window.empty() && !draft.spec.contains("longWindow") &&
      parse_duration(window).value_or(Milliseconds{0}) > std::chrono::minutes{5}) {
    draft.spec["longWindow"] = window;
  }
}

}  // namespace scaledcache::controller
