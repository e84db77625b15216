#include "core/drain_books.h"

#include <algorithm>

namespace scaledcache::core {

const DrainPod* find_pod(const DrainFacts& facts, const std::string& uid) {
  const auto found = std::find_if(facts.pods.begin(), facts.pods.end(),
                                  [&](const DrainPod& pod) { return pod.candidate.uid == uid; });
  return found == facts.pods.end() ? nullptr : &*found;
}

DrainBooks balance(const DrainFacts& facts) {
  DrainBooks books;
  for (const DrainIntent& intent : facts.intents) {
    (find_pod(facts, intent.uid) == nullptr ? books.gone : books.remain).push_back(intent);
  }
  const int all = static_cast<int>(facts.intents.size());
  const int gone = static_cast<int>(books.gone.size());
  const int unlowered = facts.goal ? std::clamp(facts.replicas - *facts.goal, 0, all) : all;
  const int lowered = all - unlowered;
  books.went = std::min(gone, lowered);
  books.lowered = lowered - books.went;
  books.pending = all - gone - books.lowered;
  return books;
}

const DrainPod* find_blocking(const DrainFacts& facts, bool begins) {
  const auto leaves = [&](const DrainPod& pod) {
    return std::any_of(facts.intents.begin(), facts.intents.end(),
                       [&](const auto& intent) { return intent.uid == pod.candidate.uid; });
  };
  int highest = -1;
  for (const DrainPod& pod : facts.pods) {
    highest = std::max(highest, pod.candidate.ordinal);
  }
  const auto found = std::find_if(facts.pods.begin(), facts.pods.end(), [&](const DrainPod& pod) {
    const bool goes_next = begins && pod.candidate.ordinal == highest;
    return !pod.candidate.ready && !leaves(pod) && !goes_next;
  });
  return found == facts.pods.end() ? nullptr : &*found;
}

int pending_drains(const DrainFacts& facts) {
  return balance(facts).pending;
}

}  // namespace scaledcache::core
