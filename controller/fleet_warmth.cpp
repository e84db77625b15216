#include "controller/fleet_warmth.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "controller/gate_scene.h"

namespace scaledcache::controller {
namespace {

using core::WarmthReason;
using core::WarmthState;

// One living pod of the fleet.
struct Member {
  const k8s::Pod& pod;
  WarmthState state = WarmthState::Cold;
  const GateRecord* record = nullptr;  // nullptr: not looked at yet
};

WarmthState state_of(const k8s::ScaledCache& cache, const k8s::Pod& pod, const GateRecord* record) {
  if (is_draining(pod, &cache)) {
    return WarmthState::Draining;
  }
  if (!pod.has_gate) {
    return WarmthState::Ungated;
  }
  return record == nullptr ? WarmthState::Cold : record->state;
}

std::vector<Member> members_of(const k8s::ScaledCache& cache,
                               const std::vector<k8s::Pod>& pods,
                               const std::map<std::string, GateRecord>& records) {
  std::vector<Member> members;
  for (const k8s::Pod& pod : pods) {
    if (pod.alive()) {
      const auto found = records.find(pod.uid);
      const GateRecord* record = found == records.end() ? nullptr : &found->second;
      members.push_back({pod, state_of(cache, pod, record), record});
    }
  }
  return members;
}

double seconds_between(WallTime from, WallTime to) {
  return std::chrono::duration<double>(std::max(to - from, Milliseconds{0})).count();
}

k8s::PodStatus status_of(const Member& member, WallTime now) {
  k8s::PodStatus status;
  status.name = member.pod.name;
  status.state = core::name_of(member.state);
  if (member.state == WarmthState::Ungated) {
    status.message = "its template has no readiness gate " + std::string(k8s::kGateCondition);
  }
  if (member.record == nullptr || member.state == WarmthState::Ungated) {
    return status;
  }
  const GateRecord& record = *member.record;
  status.message = record.message;
  if (record.progress && record.progress->urls > 0) {
    const cache::WarmupProgress& done = *record.progress;
    status.hit_percent = static_cast<int>(100LL * done.hits / done.urls);
    status.message = std::to_string(done.fetched) + " of " + std::to_string(done.urls) +
                     " URLs fetched, " + std::to_string(done.hits) + " proven";
  } else if (record.warmup && record.warmup->finished) {
    status.hit_percent = record.warmup->hit_percent;
  }
  if (record.cold_since && member.state != WarmthState::Draining) {
    status.seconds = seconds_between(*record.cold_since, record.warm_since.value_or(now));
  }
  return status;
}

void sort_worst_first(std::vector<k8s::PodStatus>& pods) {
  constexpr std::array<std::string_view, 5> kOrder{"Cold", "Warming", "Ungated", "Draining",
                                                   "Warm"};
  const auto rank = [&](const k8s::PodStatus& pod) {
    const auto* const at = std::find(kOrder.begin(), kOrder.end(), pod.state);
    return std::make_tuple(at - kOrder.begin(), pod.hit_percent.value_or(0), pod.name);
  };
  std::sort(pods.begin(), pods.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

// Being filled, or held back until it can be. A pod whose gate was opened without a proof serves,
// and holds nothing up.
bool is_warming(const Member& member) {
  const bool cold = member.state == WarmthState::Cold || member.state == WarmthState::Warming;
  return cold && (!is_serving(member.pod) || (member.record != nullptr && member.record->progress));
}

int count_reason(const std::vector<Member>& members, WarmthReason reason) {
  return static_cast<int>(std::count_if(members.begin(), members.end(), [&](const Member& member) {
    return member.record != nullptr && member.state != WarmthState::Draining &&
           member.record->reason == reason;
  }));
}

std::string pods_text(int count, const char* what) {
  return std::to_string(count) + (count == 1 ? " pod " : " pods ") + what;
}

// What keeps pods from being warm, the gravest first.
std::optional<k8s::ConditionValue> trouble_of(const std::vector<Member>& members,
                                              const FleetWarmth& fleet) {
  struct Row {
    WarmthReason reason;
    const char* name;
    const char* what;
  };

  constexpr std::array kRows{
      Row{WarmthReason::PortNotDeclared, "PortNotDeclared",
          "not asked: no container declares warmup.port"},
      Row{WarmthReason::AddressNotAllowed, "AddressNotAllowed",
          "not asked: no address of its own that may be dialled"},
      Row{WarmthReason::OriginFailing, "OriginFailing", "not warmed on, to leave the origin alone"},
      Row{WarmthReason::UncacheableList, "UncacheableList",
          "opened: nothing on the list can be cached"},
      Row{WarmthReason::WarmupTimeout, "WarmupTimeout", "not proven warm within warmup.timeout"},
      Row{WarmthReason::PanicOpen, "PanicOpen", "opened cold: the fleet refuses work"}};
  for (const Row& row : kRows) {
    if (const int count = count_reason(members, row.reason); count > 0) {
      return k8s::ConditionValue{"Warm", k8s::ConditionStatus::False, row.name,
                                 pods_text(count, row.what)};
    }
  }
  const auto ungated = fleet.states.find(WarmthState::Ungated);
  if (ungated != fleet.states.end()) {
    return k8s::ConditionValue{"Warm", k8s::ConditionStatus::False, "UngatedPods",
                               pods_text(ungated->second, "without the readiness gate")};
  }
  const auto unlabelled =
      static_cast<int>(std::count_if(members.begin(), members.end(), [](const Member& member) {
        return member.record != nullptr && member.record->lacks_label;
      }));
  if (unlabelled > 0) {
    return k8s::ConditionValue{
        "Warm", k8s::ConditionStatus::False, "GateWithoutLabel",
        pods_text(unlabelled, "with the gate but without the label scaledcache.io/gated=true")};
  }
  return std::nullopt;
}

k8s::ConditionValue condition_of(const std::vector<Member>& members, const FleetWarmth& fleet) {
  if (auto trouble = trouble_of(members, fleet)) {
    return std::move(*trouble);
  }
  const auto all = static_cast<int>(members.size());
  const int cold =
      static_cast<int>(std::count_if(members.begin(), members.end(), [](const Member& member) {
        return member.state == WarmthState::Cold || member.state == WarmthState::Warming;
      }));
  const std::string text = std::to_string(fleet.warm) + " of " + pods_text(all, "warm");
  return cold > 0 ? k8s::ConditionValue{"Warm", k8s::ConditionStatus::False, "Warming", text}
                  : k8s::ConditionValue{"Warm", k8s::ConditionStatus::True, "AllWarm", text};
}

}  // namespace

FleetWarmth survey_fleet(const k8s::ScaledCache& cache,
                         const std::vector<k8s::Pod>& pods,
                         const std::map<std::string, GateRecord>& records,
                         WallTime now) {
  FleetWarmth fleet;
  const std::vector<Member> members = members_of(cache, pods, records);
  for (const Member& member : members) {
    ++fleet.states[member.state];
    if (member.state == WarmthState::Warm && is_serving(member.pod)) {
      ++fleet.warm;
      fleet.proven.insert(member.pod.uid);
    }
    if (is_warming(member)) {
      const auto since = member.record == nullptr ? std::nullopt : member.record->cold_since;
      fleet.cold_since.emplace(member.pod.uid, since.value_or(now));
    }
    fleet.pods.push_back(status_of(member, now));
  }
  sort_worst_first(fleet.pods);
  fleet.condition = condition_of(members, fleet);
  return fleet;
}

}  // namespace scaledcache::controller
