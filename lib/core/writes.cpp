#include "core/writes.h"

#include <algorithm>

#include "core/constants.h"

namespace scaledcache::core {
namespace {

constexpr Milliseconds kClockGrain{2'000};  // managedFields know whole seconds

void change_count(History& history, const Change& change) {
  if (change.to > change.from) {
    history.last_up = change.time;
    history.last_up_is_start = false;
  } else {
    history.last_down = change.time;
  }
  history.last_change = change;
  history.idle = Milliseconds{0};
}

// Back to where our last change came from, or beyond.
bool undoes_ours(const History& history, int count) {
  if (!history.last_own_change) {
    return false;
  }
  const Change& ours = *history.last_own_change;
  return ours.to > ours.from ? count <= ours.from : count >= ours.from;
}

void note_foreign(History& history, const Change& change) {
  const bool fighting = is_fight(history, change.time);
  if (fighting || undoes_ours(history, change.to)) {
    history.undone.push_back(change.time);
    if (history.undone.size() > kFightWrites) {
      history.undone.erase(history.undone.begin());
    }
  }
  change_count(history, change);
}

// A write of somebody else that is no newer than the last tick was seen before: the count differs
// because ours is still on its way (pods drain first).
bool is_old(const Tick& tick) {
  const auto& write = tick.observation.last_write;
  return tick.next.last_tick && write && write->time &&
         *write->time + kClockGrain <= *tick.next.last_tick;
}

}  // namespace

bool is_fight(const History& history, WallTime now) {
  return history.undone.size() == kFightWrites &&
         history.undone.back() - history.undone.front() <= kFightMemory &&
         now - history.undone.back() < kFightMemory;
}

void note_writes(Tick& tick) {
  History& history = tick.next;
  const int count = tick.observation.replicas;
  if (tick.policy.dry_run || !history.replicas) {
    history.replicas = count;
    return;
  }
  if (*history.replicas == count) {
    return;
  }
  const auto& write = tick.observation.last_write;
  const bool ours = write && write->ours;
  Change change{tick.now, *history.replicas, count, ours};
  history.replicas = count;
  if (ours) {
    change.time = std::min(write->time.value_or(tick.now), tick.now);
    change_count(history, change);
  } else if (!is_old(tick) && !(tick.observation.draining > 0 && !write)) {
    note_foreign(history, change);
  }
}

void note_decision(Tick& tick, int replicas) {
  History& history = tick.next;
  const Change change{tick.now, tick.serving, replicas, true};
  change_count(history, change);
  history.last_own_change = change;
  if (tick.policy.dry_run) {
    history.shadow = replicas;
  } else {
    const int draining = tick.observation.draining;
    history.replicas = replicas > tick.serving ? std::max(tick.observation.replicas, replicas)
                                               : replicas + draining;
  }
}

}  // namespace scaledcache::core
