#include "core/drain.h"

#include <algorithm>
#include <array>

#include "core/constants.h"
#include "core/drain_books.h"

namespace scaledcache::core {
namespace {

Milliseconds age(WallTime since, WallTime now) {
  return std::max(Milliseconds{0}, now - since);
}

// The steps of one look, each working on what the one before has left.
class Planning {
 public:
  Planning(const DrainPolicy& policy, const DrainFacts& facts, WallTime now)
      : policy_(policy), facts_(facts), now_(now), books_(balance(facts)) {
    // In the order in which a lowered count takes them: the pods that left the Service first or, of
    // a StatefulSet, the highest ordinals.
    std::stable_sort(books_.remain.begin(), books_.remain.end(),
                     [&](const DrainIntent& a, const DrainIntent& b) {
                       return policy_.victims.stateful_set ? ordinal(a) > ordinal(b)
                                                           : unready_since(a) < unready_since(b);
                     });
    for (DrainIntent& intent : books_.remain) {
      intent.since = std::min(intent.since, now_);
    }
    lowered_.assign(books_.remain.begin(), books_.remain.begin() + books_.lowered);
    pending_.assign(books_.remain.begin() + books_.lowered, books_.remain.end());
  }

  DrainPlan plan() {
    close_gone();
    check_victims();
    give_up();
    lower();
    begin();
    conclude();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] WallTime unready_since(const DrainIntent& intent) const {
    const DrainPod* pod = find_pod(facts_, intent.uid);
    return pod != nullptr && !pod->candidate.ready ? pod->unready_since.value_or(now_)
                                                   : WallTime::max();
  }

  [[nodiscard]] int ordinal(const DrainIntent& intent) const {
    return find_pod(facts_, intent.uid)->candidate.ordinal;
  }

  void end(const DrainIntent& intent, DrainEnd how) { plan_.ended.push_back({intent, how}); }

  void end_pending(std::size_t index, DrainEnd how) {
    end(pending_[index], how);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(index));
  }

  void close_gone() {
    for (std::size_t i = 0; i < books_.gone.size(); ++i) {
      end(books_.gone[i], static_cast<int>(i) < books_.went ? DrainEnd::Completed : DrainEnd::Lost);
    }
  }

  // As many pods as the lowered count asks for, and ours is still among them: another one went.
  void check_victims() {
    if (lowered_.empty()) {
      return;
    }
    // A lowering that nobody got to write down is not older than the drains that it was for.
    const WallTime begun = lowered_.front().since;
    const Milliseconds since = age(std::max(facts_.last_lowering.value_or(begun), begun), now_);
    const bool settled = static_cast<int>(facts_.pods.size()) <= facts_.replicas;
    if (since >= kVictimLimit || (settled && since >= kVictimGrace)) {
      for (const DrainIntent& intent : lowered_) {
        end(intent, settled ? DrainEnd::Unexpected : DrainEnd::Expired);
      }
      lowered_.clear();
    }
  }

  [[nodiscard]] int serving() const { return facts_.replicas - static_cast<int>(pending_.size()); }

  // What costs nothing is undone first: pods that still serve, then the ones that left last.
  void give_up() {
    while (!pending_.empty() && (facts_.veto != DrainVeto::None || serving() < facts_.wanted)) {
      end_pending(pending_.size() - 1, DrainEnd::Cancelled);
    }
    for (std::size_t i = pending_.size(); i-- > 0;) {
      if (!facts_.must && age(pending_[i].since, now_) >= 2 * policy_.period + kDrainGrace) {
        end_pending(i, DrainEnd::Expired);
      }
    }
  }

  [[nodiscard]] bool is_unready(const DrainIntent& intent) const {
    return !find_pod(facts_, intent.uid)->candidate.ready;
  }

  [[nodiscard]] bool is_drained(const DrainIntent& intent) const {
    if (facts_.must && age(intent.since, now_) >= policy_.period) {
      return true;
    }
    const DrainPod& pod = *find_pod(facts_, intent.uid);
    if (pod.candidate.ready || !pod.unready_since) {
      return false;
    }
    const Milliseconds out = age(*pod.unready_since, now_);
    const bool silent = pod.rate_since && *pod.rate_since >= *pod.unready_since &&
                        pod.candidate.rate.value_or(kServing + 1) <= kServing;
    return out >= policy_.period || (silent && out >= kShortestDrain);
  }

  // Of two pods that are not Ready Kubernetes may take either, so none goes before all of them are
  // drained. A StatefulSet gives up its highest ordinals, so there the whole batch goes at once.
  void lower() {
    const auto drained = [&](const DrainIntent& intent) { return is_drained(intent); };
    const bool one_is_not_done =
        std::any_of(pending_.begin(), pending_.end(), [&](const DrainIntent& intent) {
          return (is_unready(intent) || policy_.victims.stateful_set) && !drained(intent);
        });
    const auto count = std::count_if(pending_.begin(), pending_.end(), drained);
    const DrainPod* const in_the_way = count > 0 ? blocking() : nullptr;
    if (in_the_way != nullptr) {
      plan_.blocked_by = in_the_way->candidate.name;
    } else if (count > 0 && !one_is_not_done && (facts_.data_ok || facts_.must)) {
      plan_.lower_to = facts_.replicas - static_cast<int>(count);
    }
  }

  [[nodiscard]] const DrainPod* blocking() const {
    const bool in_order = policy_.ordered_ready && !facts_.must;
    const bool begins = lowered_.empty() && pending_.empty();
    return in_order ? find_blocking(facts_, begins) : nullptr;
  }

  [[nodiscard]] bool may_begin() {
    if (!lowered_.empty() || !pending_.empty() || facts_.veto != DrainVeto::None ||
        facts_.wanted >= facts_.replicas) {
      return false;
    }
    const DrainPod* const in_the_way = blocking();
    if (in_the_way != nullptr) {
      plan_.blocked_by = in_the_way->candidate.name;
    }
    const bool settled = static_cast<int>(facts_.pods.size()) <= facts_.replicas;
    return facts_.must || (settled && in_the_way == nullptr);
  }

  // To take the last pods that serve out of the Service is an outage, whatever the count says.
  [[nodiscard]] bool leaves_nobody(const std::vector<Candidate>& candidates,
                                   const std::vector<std::string>& leaving) const {
    const auto leaves = [&](const Candidate& pod) {
      return std::find(leaving.begin(), leaving.end(), pod.uid) != leaving.end();
    };
    const auto count = [&](bool of_leaving) {
      return std::count_if(candidates.begin(), candidates.end(), [&](const Candidate& pod) {
        return pod.ready && leaves(pod) == of_leaving;
      });
    };
    return facts_.wanted > 0 && count(true) > 0 && count(false) == 0;
  }

  void begin() {
    if (!may_begin()) {
      return;
    }
    std::vector<Candidate> candidates;
    for (const DrainPod& pod : facts_.pods) {
      const auto& uid = pod.candidate.uid;
      const bool just_ended = std::any_of(plan_.ended.begin(), plan_.ended.end(),
                                          [&](const EndedDrain& e) { return e.intent.uid == uid; });
      if (just_ended) {
        return;  // decide again first
      }
      candidates.push_back(pod.candidate);
    }
    const int most = policy_.ordered_ready ? 1 : std::max(1, policy_.max_concurrent);
    const int batch =
        std::min({facts_.replicas - facts_.wanted, most, static_cast<int>(kMostDrains)});
    VictimRules rules = policy_.victims;
    rules.must = facts_.must;
    const Victims victims = choose_victims(candidates, batch, rules);
    plan_.kept = victims.kept;
    if (!victims.unborn.empty()) {
      plan_.lower_to = facts_.replicas - static_cast<int>(victims.unborn.size());
      return;
    }
    if (!facts_.must && leaves_nobody(candidates, victims.drain)) {
      plan_.kept = static_cast<int>(victims.drain.size()) + victims.kept;
      return;
    }
    for (const std::string& uid : victims.drain) {
      plan_.start.push_back({find_pod(facts_, uid)->candidate.name, uid, now_});
    }
    if (plan_.start.empty() && victims.kept == 0) {
      plan_.at_once = true;
      plan_.lower_to = facts_.wanted;
    }
  }

  // The goal follows from what is left; a lowering of this look brings the count to it.
  void conclude() {
    plan_.intents = lowered_;
    plan_.intents.insert(plan_.intents.end(), pending_.begin(), pending_.end());
    plan_.intents.insert(plan_.intents.end(), plan_.start.begin(), plan_.start.end());
    if (plan_.intents.empty()) {
      return;
    }
    plan_.goal =
        facts_.replicas - static_cast<int>(pending_.size()) - static_cast<int>(plan_.start.size());
    constexpr Milliseconds kSoon{1'000};
    plan_.again_after = std::max(policy_.period, kSoon);
    for (const DrainIntent& intent : plan_.intents) {
      const DrainPod& pod = *find_pod(facts_, intent.uid);
      const Milliseconds left = pod.candidate.ready || !pod.unready_since
                                    ? kSoon
                                    : policy_.period - age(*pod.unready_since, now_);
      plan_.again_after = std::min(*plan_.again_after, std::max(left, kSoon));
    }
  }

  const DrainPolicy& policy_;
  const DrainFacts& facts_;
  const WallTime now_;
  DrainBooks books_;
  std::vector<DrainIntent> lowered_;
  std::vector<DrainIntent> pending_;
  DrainPlan plan_;
};

}  // namespace

std::string_view name_of(DrainEnd end) {
  constexpr std::array<std::string_view, 5> kNames{"Completed", "Cancelled", "Unexpected",
                                                   "Expired", "Lost"};
  return kNames.at(static_cast<std::size_t>(end));
}

DrainPlan plan_drain(const DrainPolicy& policy, const DrainFacts& facts, WallTime now) {
  return Planning(policy, facts, now).plan();
}

}  // namespace scaledcache::core
