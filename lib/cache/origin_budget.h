// What warm-ups may ask of an origin: requests per second and at once, pods at a time, and when to
// leave it alone.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"

namespace scaledcache::cache {

struct OriginLimits {
  double per_second = 0;  // requests; 0: no limit
  int at_once = 16;       // requests in flight

  bool operator==(const OriginLimits&) const = default;
};

// Thread safe. One for all warm-ups of the operator, and one for each ScaledCache below it.
class OriginBudget {
 public:
  // A leave to send one request; gives its place back when destroyed.
  class Ticket {
   public:
    explicit Ticket(OriginBudget* budget) : budget_(budget) {}

    Ticket(Ticket&& other) noexcept : budget_(other.budget_) { other.budget_ = nullptr; }

    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket();

   private:
    OriginBudget* budget_;
  };

  // `clock` and `above`, whose limits hold as well, must outlive this object.
  OriginBudget(Clock& clock, OriginLimits limits, OriginBudget* above = nullptr);

  // Holds from the next ticket on.
  void set_limits(OriginLimits limits) EXCLUDES(mutex_);

  // Waits for a place and for the rate; nothing when `stop` was requested first. Tickets come at
  // even distances: no burst beyond a tenth of a second's worth.
  [[nodiscard]] std::optional<Ticket> take(std::stop_token stop) EXCLUDES(mutex_);

 private:
  bool enter(const std::stop_token& stop) EXCLUDES(mutex_);
  void leave() EXCLUDES(mutex_);
  void leave_here() EXCLUDES(mutex_);
  // When the next request may go.
  SteadyTime reserve() EXCLUDES(mutex_);

  Clock& clock_;
  OriginBudget* const above_;
  Mutex mutex_;
  std::condition_variable_any left_;
  OriginLimits limits_ GUARDED_BY(mutex_);
  int inside_ GUARDED_BY(mutex_) = 0;
  SteadyTime next_ GUARDED_BY(mutex_);
};

enum class OriginTrouble { None, Errors, Slow };

[[nodiscard]] std::string_view name_of(OriginTrouble trouble);

struct OriginTolerance {
  std::size_t judged = 20;          // of the newest requests
  std::size_t least = 10;           // no verdict on fewer
  double error_share = 0.2;         // more 5xx, time-outs and lost answers than that are trouble
  Milliseconds slow{2'000};         // so is a median of more than that
  Milliseconds rest_after{15'000};  // how long trouble lasts before the origin is tried again
};

// How the origin of one ScaledCache bears the warm-ups, from the first requests for each page.
// Thread safe.
class OriginHealth {
 public:
  // `clock` must outlive this object.
  explicit OriginHealth(Clock& clock, OriginTolerance tolerance = {});

  // One request that the origin had to answer.
  void note(bool failed, Milliseconds took) EXCLUDES(mutex_);

  // Trouble stands until `rest_after` has passed, then the count begins anew.
  [[nodiscard]] OriginTrouble trouble() EXCLUDES(mutex_);

 private:
  struct Answer {
    bool failed = false;
    Milliseconds took{0};
  };

  [[nodiscard]] OriginTrouble judge() const REQUIRES(mutex_);

  Clock& clock_;
  const OriginTolerance tolerance_;
  Mutex mutex_;
  std::deque<Answer> answers_ GUARDED_BY(mutex_);
  OriginTrouble trouble_ GUARDED_BY(mutex_) = OriginTrouble::None;
  SteadyTime until_ GUARDED_BY(mutex_);
};

// So that pods are warmed in waves: at most `at_once` at a time in all, and as many of one
// ScaledCache as its caller says. Thread safe.
class WarmupWaves {
 public:
  explicit WarmupWaves(int at_once) : at_once_(at_once) {}

  // True when one more pod of `key` may be warmed now, which then counts until leave().
  [[nodiscard]] bool try_enter(const std::string& key, int at_once_of_key) EXCLUDES(mutex_);
  void leave(const std::string& key) EXCLUDES(mutex_);

 private:
  const int at_once_;
  Mutex mutex_;
  int warming_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, int> warming_of_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::cache
