// Who may ask a backend now: at most so many queries per backend and in all, and none while the
// backend cannot be reached. A slow backend holds up those who wait for it, never the others.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "prom/backend.h"
#include "prom/circuit_breaker.h"

namespace scaledcache::prom {

struct AdmissionLimits {
  std::size_t per_backend = 8;
  std::size_t in_all = 32;
  // A full backend is waited for only as long as its oldest query has been under way for less.
  Milliseconds patience{1'000};
};

// What two questions must have in common to go to the same backend: all but the poll interval.
// Holds secrets: for comparing only.
[[nodiscard]] std::string identity_of(const Backend& backend);

// Thread safe; must outlive its passes.
class Admission {
 public:
  // One query under way. Ends when it is destroyed.
  class Pass {
   public:
    Pass(Admission& admission, std::string backend, SteadyTime since, bool is_probe);
    Pass(Pass&& other) noexcept;
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass& operator=(Pass&&) = delete;
    ~Pass();

    void set_outcome(CircuitBreaker::Outcome outcome) { outcome_ = outcome; }

   private:
    friend class Admission;

    Admission* admission_;  // nullptr once moved from
    std::string backend_;
    SteadyTime since_;
    bool is_probe_;
    CircuitBreaker::Outcome outcome_ = CircuitBreaker::Outcome::Unknown;
  };

  struct Load {
    std::size_t under_way = 0;
    std::size_t waiting = 0;
    std::size_t unreachable_backends = 0;
  };

  // `clock` must outlive this object.
  Admission(Clock& clock, AdmissionLimits limits) : clock_(clock), limits_(limits) {}

  // Blocks for at most `patience` while the limits are reached. Unavailable, with retry_after,
  // while the backend counts as unreachable; RateLimited when no query ended in time; Cancelled.
  [[nodiscard]] Result<Pass> enter(const Backend& backend, const std::stop_token& stop);

  [[nodiscard]] Load load() const;

 private:
  struct State {
    std::vector<SteadyTime> under_way{};  // since when, oldest first
    CircuitBreaker breaker{};
    SteadyTime last_used{};
  };

  void leave(const Pass& pass);
  State& state_of(const std::string& backend, SteadyTime now) REQUIRES(mutex_);
  [[nodiscard]] bool has_room(const State& state) const REQUIRES(mutex_);
  [[nodiscard]] SteadyTime give_up_time(const State& state, SteadyTime since) const
      REQUIRES(mutex_);
  void wait_for_room(MutexLock& lock, SteadyTime until, const std::stop_token& stop)
      REQUIRES(mutex_);

  Clock& clock_;
  const AdmissionLimits limits_;

  mutable Mutex mutex_;
  std::unordered_map<std::string, State> states_ GUARDED_BY(mutex_);
  std::size_t under_way_ GUARDED_BY(mutex_) = 0;
  std::list<std::stop_source> waiting_ GUARDED_BY(mutex_);  // a stop request ends the wait
};

}  // namespace scaledcache::prom
