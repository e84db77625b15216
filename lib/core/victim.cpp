#include "core/victim.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace scaledcache::core {
namespace {

// Deleted before any pod that runs, whatever its cost says.
bool is_unborn(const Candidate& pod) {
  return pod.node.empty() || pod.phase == PodPhase::Pending;
}

auto worth(const Candidate& pod) {
  return std::make_tuple(pod.ready, pod.warm, pod.hit_ratio.value_or(0), pod.rate.value_or(0),
                         std::cref(pod.name));
}

bool is_worth_less(const Candidate* a, const Candidate* b) {
  return worth(*a) < worth(*b);
}

// How many pods would be left where one more goes.
class Places {
 public:
  explicit Places(std::span<const Candidate> pods) {
    for (const Candidate& pod : pods) {
      if (!is_unborn(pod)) {
        nodes_[pod.node] += pod.ready ? 1 : 0;
        zones_[pod.zone].all += 1;
        zones_[pod.zone].ready += pod.ready ? 1 : 0;
      }
    }
  }

  // Whether something is left after `pod`. A pod that is not ready is nobody's endpoint, so it does
  // not stand in for one that is.
  [[nodiscard]] bool may_leave(const Candidate& pod, const VictimRules& rules) const {
    const bool last_of_node = rules.node_local && pod.ready && nodes_.at(pod.node) < 2;
    const Zone& zone = zones_.at(pod.zone);
    const bool alone = pod.ready ? zone.ready < 2 : zone.all < 2;
    const bool last_of_zone = !pod.zone.empty() && zones_.size() > 1 && alone;
    return rules.must || (!last_of_node && !last_of_zone);
  }

  void leave(const Candidate& pod) {
    nodes_[pod.node] -= pod.ready ? 1 : 0;
    zones_[pod.zone].all -= 1;
    zones_[pod.zone].ready -= pod.ready ? 1 : 0;
  }

 private:
  struct Zone {
    int all = 0;
    int ready = 0;
  };

  std::map<std::string, int> nodes_;  // ready pods
  std::map<std::string, Zone> zones_;
};

void choose_ordinals(std::span<const Candidate> pods, int how_many, Victims& victims) {
  std::vector<const Candidate*> order;
  for (const Candidate& pod : pods) {
    order.push_back(&pod);
  }
  std::sort(order.begin(), order.end(),
            [](const Candidate* a, const Candidate* b) { return a->ordinal > b->ordinal; });
  for (const Candidate* pod : order) {
    if (how_many <= 0) {
      return;
    }
    if (is_unborn(*pod) && victims.drain.empty()) {
      victims.unborn.push_back(pod->uid);
    } else if (pod->gated) {
      victims.drain.push_back(pod->uid);
    } else {
      victims.ungated = how_many;
      return;
    }
    --how_many;
  }
}

}  // namespace

Victims choose_victims(std::span<const Candidate> pods, int how_many, const VictimRules& rules) {
  Victims victims;
  if (rules.stateful_set) {
    choose_ordinals(pods, how_many, victims);
    return victims;
  }
  std::vector<const Candidate*> order;
  for (const Candidate& pod : pods) {
    if (!is_unborn(pod)) {
      order.push_back(&pod);
    } else if (how_many > 0) {
      victims.unborn.push_back(pod.uid);
      --how_many;
    }
  }
  std::sort(order.begin(), order.end(), is_worth_less);
  Places places(pods);
  for (const Candidate* pod : order) {
    if (how_many <= 0) {
      break;
    }
    if (!pod->gated) {
      ++victims.ungated;
    } else if (!places.may_leave(*pod, rules)) {
      ++victims.kept;
    } else {
      places.leave(*pod);
      victims.drain.push_back(pod->uid);
      --how_many;
    }
  }
  return victims;
}

}  // namespace scaledcache::core
