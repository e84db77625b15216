#include "controller/commands/explanation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rfc3339.h"

namespace scaledcache::controller {
namespace {

constexpr std::size_t kMostEvents = 10;

std::optional<WallTime> time_of(const Json& event) {
  if (const Json* series = find_member(event, "series"); series != nullptr && series->is_object()) {
    if (const auto time = parse_time(string_member(*series, "lastObservedTime"))) {
      return time;
    }
  }
  for (const char* key : {"eventTime", "deprecatedLastTimestamp", "lastTimestamp"}) {
    if (const auto time = parse_time(string_member(event, key))) {
      return time;
    }
  }
  return std::nullopt;
}

bool regards(const Json& event, const k8s::ScaledCache& cache) {
  const Json* regarding = find_member(event, "regarding");
  regarding = regarding == nullptr ? find_member(event, "involvedObject") : regarding;
  return regarding != nullptr && string_member(*regarding, "kind") == k8s::kKind &&
         string_member(*regarding, "name") == cache.meta.name;
}

// Which rule gave the operator's reason: the walk on what status keeps tells, where both agree;
// else the first rule that is known by that name.
std::size_t speaker(const std::vector<core::RuleVerdict>& walked, const std::string& reason) {
  const auto first = std::find_if(walked.begin(), walked.end(),
                                  [](const core::RuleVerdict& rule) { return rule.speaks; });
  if (first != walked.end() && core::name_of(first->reason) == reason) {
    return static_cast<std::size_t>(first - walked.begin());
  }
  for (const bool by_name : {true, false}) {
    for (std::size_t i = 0; i < walked.size(); ++i) {
      const core::Reason known = by_name ? walked[i].rule : walked[i].reason;
      if (core::name_of(known) == reason) {
        return i;
      }
    }
  }
  // Reasons that a rule gives beside its own name.
  const core::Reason own = reason == core::name_of(core::Reason::Fallback) ? core::Reason::NoData
                           : reason == core::name_of(core::Reason::ScaleUpLimited)
                               ? core::Reason::Grow
                               : core::Reason::Shrink;
  const auto named = std::find_if(walked.begin(), walked.end(),
                                  [&](const core::RuleVerdict& rule) { return rule.rule == own; });
  return static_cast<std::size_t>(named - walked.begin());
}

std::vector<ToldRule> rules_of(const Situation& situation, const std::string& reason) {
  const auto walked =
      core::walk_rules(situation.policy, situation.observation, situation.history, situation.now);
  const std::size_t spoke = speaker(walked, reason);
  std::vector<ToldRule> rules;
  for (std::size_t i = 0; i < walked.size(); ++i) {
    const RuleState state = i < spoke    ? RuleState::Silent
                            : i == spoke ? RuleState::Spoke
                                         : RuleState::NotAsked;
    rules.push_back({i == spoke ? walked[i].reason : walked[i].rule, state});
  }
  return rules;
}

std::string_view name_of(RuleState state) {
  switch (state) {
    case RuleState::Silent:
      return "silent";
    case RuleState::Spoke:
      return "spoke";
    case RuleState::NotAsked:
      break;
  }
  return "not asked";
}

OrderedJson signals_json(const k8s::ScaledCache& cache) {
  OrderedJson list = OrderedJson::array();
  for (const k8s::SignalSpec& spec : cache.spec.signals) {
    OrderedJson signal = {{"name", spec.name},
                          {"requestsPerReplica", spec.requests_per_replica},
                          {"planned", spec.planned_per_replica()}};
    for (const k8s::SignalStatus& status : cache.status.signals) {
      if (status.name == spec.name) {
        signal["health"] = status.health;
        const auto put = [&](const char* key, const auto& value) {
          if (value) {
            signal[key] = *value;
          }
        };
        put("short", status.short_rate);
        put("peak", status.peak);
        put("perReplica", status.per_replica);
        put("wish", status.wish);
        put("coverage", status.coverage);
      }
    }
    list.push_back(std::move(signal));
  }
  return list;
}

OrderedJson outlook_json(const Explanation& explanation) {
  OrderedJson grows = OrderedJson::array();
  for (const Growth& growth : explanation.growth) {
    OrderedJson one = {{"signal", growth.signal}};
    if (growth.at) {
      one["above"] = *growth.at;
      one["to"] = growth.to;
    } else {
      one["heldBy"] = core::name_of(growth.held_by);
    }
    grows.push_back(std::move(one));
  }
  OrderedJson outlook = {{"grows", std::move(grows)}};
  if (const auto& shrinking = explanation.shrinking) {
    OrderedJson shrinks = {{"heldBy", core::name_of(shrinking->held_by)}};
    if (shrinking->due) {
      shrinks["due"] = format_time(*shrinking->due);
      shrinks["to"] = shrinking->to;
    }
    if (shrinking->below) {
      shrinks["belowShare"] = *shrinking->below;
    }
    if (shrinking->earliest) {
      shrinks["notBefore"] = format_time(*shrinking->earliest);
    }
    outlook["shrinks"] = std::move(shrinks);
  }
  return outlook;
}

}  // namespace

std::vector<PastEvent> past_of(const std::vector<Json>& events, const k8s::ScaledCache& cache) {
  std::vector<PastEvent> past;
  for (const Json& event : events) {
    const auto time = time_of(event);
    if (time && regards(event, cache)) {
      const std::string note = string_member(event, "note");
      past.push_back({*time, string_member(event, "type") == "Warning",
                      string_member(event, "reason"),
                      note.empty() ? string_member(event, "message") : note});
    }
  }
  std::stable_sort(past.begin(), past.end(),
                   [](const PastEvent& a, const PastEvent& b) { return a.time > b.time; });
  past.resize(std::min(past.size(), kMostEvents));
  return past;
}

Explanation explain_cache(k8s::ScaledCache cache, std::vector<PastEvent> events, WallTime now) {
  Explanation explanation;
  explanation.now = now;
  explanation.events = std::move(events);
  if (cache.valid() && cache.status.last_decision) {
    const k8s::LastDecision& last = *cache.status.last_decision;
    explanation.rules = rules_of(situation_of(cache, std::min(last.time, now)), last.reason);
    const Situation situation = situation_of(cache, now);
    explanation.growth = when_it_grows(situation);
    explanation.shrinking = when_it_shrinks(situation);
  }
  explanation.cache = std::move(cache);
  return explanation;
}

OrderedJson to_json(const Explanation& explanation) {
  const k8s::ScaledCache& cache = explanation.cache;
  OrderedJson object = {{"name", cache.meta.name},
                        {"namespace", cache.meta.name_space},
                        {"target", cache.spec.target.kind + "/" + cache.spec.target.name},
                        {"minReplicas", cache.spec.min_replicas},
                        {"maxReplicas", cache.spec.max_replicas}};
  if (cache.status.replicas) {
    object["replicas"] = *cache.status.replicas;
  }
  OrderedJson problems = OrderedJson::array();
  for (const k8s::Problem& problem : cache.problems) {
    problems.push_back(problem.sentence());
  }
  object["problems"] = std::move(problems);
  if (const auto& last = cache.status.last_decision) {
    object["decision"] = {{"time", format_time(last->time)},
                          {"from", last->from},
                          {"to", last->to},
                          {"reason", last->reason},
                          {"message", last->message}};
  }
  object["signals"] = signals_json(cache);
  OrderedJson rules = OrderedJson::array();
  for (const ToldRule& rule : explanation.rules) {
    rules.push_back({{"rule", core::name_of(rule.rule)},
                     {"watches", core::meaning_of(rule.rule)},
                     {"verdict", name_of(rule.state)}});
  }
  object["rules"] = std::move(rules);
  object["outlook"] = outlook_json(explanation);
  OrderedJson events = OrderedJson::array();
  for (const PastEvent& event : explanation.events) {
    events.push_back({{"time", format_time(event.time)},
                      {"type", event.warning ? "Warning" : "Normal"},
                      {"reason", event.reason},
                      {"note", event.note}});
  }
  object["events"] = std::move(events);
  return object;
}

}  // namespace scaledcache::controller
