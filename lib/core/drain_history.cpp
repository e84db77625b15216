#include "core/drain.h"

namespace scaledcache::core {

History with_count_standing(const Decision& decision, const History& before, int replicas) {
  History history = decision.history;
  history.replicas = replicas;
  history.last_down = before.last_down;
  history.last_change = before.last_change;
  history.last_own_change = before.last_own_change;
  return history;
}

History with_count_lowered(History history, int from, int to, WallTime now) {
  const Change change{now, from, to, true};
  history.replicas = to;
  history.last_down = now;
  history.last_change = change;
  history.last_own_change = change;
  history.idle = Milliseconds{0};
  return history;
}

}  // namespace scaledcache::core
