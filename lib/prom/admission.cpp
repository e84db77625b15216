#include "prom/admission.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace scaledcache::prom {
namespace {

// States of backends that nobody asks any more are forgotten once there are this many.
constexpr std::size_t kManyBackends = 256;
constexpr std::chrono::minutes kForgetAfter{10};

void append_part(std::string& identity, std::string_view part) {
  identity += std::to_string(part.size()) + ":";  // the length keeps parts from running together
  identity += part;
}

}  // namespace

std::string identity_of(const Backend& backend) {
  std::string identity;
  append_part(identity, backend.url);
  append_part(identity, std::to_string(backend.timeout.count()));
  for (const http::Header& header : backend.headers) {
    append_part(identity, header.name);
    append_part(identity, header.value);
  }
  identity += '|';
  for (const SecretHeader& header : backend.secret_headers) {
    append_part(identity, header.name);
    append_part(identity, header.value.reveal());
  }
  append_part(identity, backend.tls ? backend.tls->fingerprint() : "");
  identity += '|';
  for (const Parameter& parameter : backend.parameters) {
    append_part(identity, parameter.name);
    append_part(identity, parameter.value);
  }
  return identity;
}

Admission::Pass::Pass(Admission& admission, std::string backend, SteadyTime since, bool is_probe)
    : admission_(&admission), backend_(std::move(backend)), since_(since), is_probe_(is_probe) {}

Admission::Pass::Pass(Pass&& other) noexcept
    : admission_(std::exchange(other.admission_, nullptr)),
      backend_(std::move(other.backend_)),
      since_(other.since_),
      is_probe_(other.is_probe_),
      outcome_(other.outcome_) {}

Admission::Pass::~Pass() {
  if (admission_ != nullptr) {
    admission_->leave(*this);
  }
}

Result<Admission::Pass> Admission::enter(const Backend& backend, const std::stop_token& stop) {
  const std::string identity = identity_of(backend);
  MutexLock lock(mutex_);
  const SteadyTime since = clock_.steady();
  while (!stop.stop_requested()) {
    const SteadyTime now = clock_.steady();
    State& state = state_of(identity, now);
    if (const auto pause = state.breaker.pause(now, backend.poll_interval)) {
      return Error{ErrorCode::Unavailable,
                   "the backend could not be reached five times in a row and is left alone for a "
                   "moment",
                   pause};
    }
    if (has_room(state)) {
      state.under_way.push_back(now);
      ++under_way_;
      return Pass(*this, identity, now, state.breaker.begin());
    }
    const SteadyTime give_up = give_up_time(state, since);
    if (now >= give_up) {
      return Error{ErrorCode::RateLimited,
                   "too many queries are under way, and the backend is slow to answer them"};
    }
    wait_for_room(lock, give_up, stop);
  }
  return Error{ErrorCode::Cancelled, "stopping"};
}

Admission::Load Admission::load() const {
  MutexLock lock(mutex_);
  const auto unreachable = std::count_if(states_.begin(), states_.end(), [](const auto& entry) {
    return entry.second.breaker.is_open();
  });
  return {under_way_, waiting_.size(), static_cast<std::size_t>(unreachable)};
}

void Admission::leave(const Pass& pass) {
  std::list<std::stop_source> waiting;
  {
    MutexLock lock(mutex_);
    const SteadyTime now = clock_.steady();
    State& state = state_of(pass.backend_, now);
    state.breaker.end(pass.is_probe_, pass.outcome_, now);
    state.under_way.erase(std::find(state.under_way.begin(), state.under_way.end(), pass.since_));
    --under_way_;
    waiting.swap(waiting_);
  }
  for (std::stop_source& waiter : waiting) {
    waiter.request_stop();
  }
}

Admission::State& Admission::state_of(const std::string& backend, SteadyTime now) {
  if (states_.size() >= kManyBackends && !states_.contains(backend)) {
    std::erase_if(states_, [&](const auto& entry) {
      const State& state = entry.second;
      return state.under_way.empty() &&
             (state.breaker.is_fresh() || now - state.last_used > kForgetAfter);
    });
  }
  State& state = states_[backend];
  state.last_used = now;
  return state;
}

bool Admission::has_room(const State& state) const {
  return state.under_way.size() < limits_.per_backend && under_way_ < limits_.in_all;
}

SteadyTime Admission::give_up_time(const State& state, SteadyTime since) const {
  const bool is_full = state.under_way.size() >= limits_.per_backend;
  return (is_full ? std::min(since, state.under_way.front()) : since) + limits_.patience;
}

// Returns when a query ended, at `until`, or when `stop` is requested. The lock is open meanwhile.
void Admission::wait_for_room(MutexLock& lock, SteadyTime until, const std::stop_token& stop) {
  std::stop_source alarm;
  waiting_.push_back(alarm);
  lock.unlock();
  {
    const std::stop_callback forward(stop, [&alarm] { alarm.request_stop(); });
    clock_.wait_until(until, alarm.get_token());
  }
  lock.lock();
  waiting_.remove(alarm);
}

}  // namespace scaledcache::prom
