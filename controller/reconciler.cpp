#include "controller/reconciler.h"

#include <algorithm>
#include <compare>

#include "controller/decision_log.h"
#include "controller/dip_watch.h"
#include "controller/requeue.h"
#include "controller/status_report.h"
#include "core/decide.h"
#include "core/describe.h"
#include "k8s/kept_status.h"
#include "k8s/watch_state.h"

namespace scaledcache::controller {
namespace {

constexpr int kPanicTicks = 2;  // in a row that pods refuse work before cold ones are let in

constexpr Milliseconds kReleaseAgain{1'000};

// The status to compare with: ours, until the watch shows one at least as new.
void refresh_status(const k8s::ScaledCache& cache, Memory& memory) {
  const auto order =
      k8s::compare_resource_versions(cache.meta.resource_version, memory.status_version);
  const bool watch_is_behind = memory.status && order && std::is_lt(*order);
  if (!watch_is_behind) {
    memory.status = cache.status;
  }
}

// A first look, a look after a restart, or another resource under the same name.
void recall(const k8s::ScaledCache& cache, Memory& memory, WallTime now, SteadyTime steady_now) {
  if (memory.uid != cache.meta.uid) {
    memory = Memory{};
    memory.uid = cache.meta.uid;
  }
  refresh_status(cache, memory);
  if (!memory.history) {
    memory.history = k8s::has_memory(cache.status)
                         ? core::restore(k8s::kept_from_status(cache.status), now)
                         : core::first_history(now);
    if (!cache.status.drains.empty() && cache.status.replicas) {
      memory.history->replicas = cache.status.replicas;  // desired is what the drains lead to
    }
    recall_dip(cache.status, now, memory);
    memory.status_written = steady_now;
  }
}

// What happens in healthy operation and heals at the next look: stopping, a count that moved under
// us, watches that are just starting.
bool is_routine(const Error& error, int failures) {
  constexpr int kFewLooks = 5;
  const bool heals = error.code == ErrorCode::Conflict || error.code == ErrorCode::Unavailable;
  return error.code == ErrorCode::Cancelled || (heals && failures < kFewLooks);
}

}  // namespace

std::optional<Milliseconds> Reconciler::reconcile(const std::string& key,
                                                  const std::stop_token& stop) {
  const auto cache = parts_.cluster.find_cache(key);
  if (!cache) {
    const std::size_t slash = key.find('/');
    if (!parts_.actuator.release_drains(key.substr(0, slash), key.substr(slash + 1), stop)) {
      return kReleaseAgain;
    }
    memories_.forget(key);
    parts_.metrics.forget(key);
    if (parts_.gates != nullptr) {
      parts_.gates->forget_cache(key);
    }
    if (parts_.page != nullptr) {
      parts_.page->forget(key);
    }
    parts_.cluster.drop_unused_views();
    return std::nullopt;
  }
  const auto memory = memories_.of(key);
  const SteadyTime begun = parts_.clock.steady();
  recall(*cache, *memory, parts_.clock.wall(), begun);
  if (cache->meta.deleting) {
    return let_go(*cache, *memory, stop);
  }
  const auto again = look_at(*cache, *memory, stop);
  parts_.metrics.observe_reconcile(
      std::chrono::duration_cast<Milliseconds>(parts_.clock.steady() - begun));
  if (!again) {
    say_why(*cache, *memory, again.error(), stop);
    return give_up(*cache, *memory, again.error());
  }
  memory->failures = 0;
  return *again;
}

// A finalizer, ours or somebody else's, still holds the resource.
std::optional<Milliseconds> Reconciler::let_go(const k8s::ScaledCache& cache,
                                               Memory& memory,
                                               const std::stop_token& stop) {
  auto done = parts_.actuator.release_drains(cache.meta.name_space, cache.meta.name, stop);
  if (done && parts_.restorer != nullptr) {
    done = parts_.restorer->release(cache, stop);
  }
  if (!done) {
    return give_up(cache, memory, done.error());
  }
  memory.failures = 0;
  return std::max<Milliseconds>(cache.spec.poll_interval, kReleaseAgain);
}

// Scaling does not wait for a finalizer.
void Reconciler::hold(const k8s::ScaledCache& cache, const std::stop_token& stop) const {
  if (parts_.restorer == nullptr) {
    return;
  }
  const auto held = parts_.restorer->hold(cache, stop);
  if (!held && held.error().code != ErrorCode::Cancelled) {
    parts_.metrics.count_error(held.error().code);
    Fields fields;
    fields["key"] = cache.meta.name_space + "/" + cache.meta.name;
    fields["code"] = scaledcache::name_of(held.error().code);
    fields["error"] = held.error().message;
    parts_.log.warn("finalizer not written", fields);
  }
}

Result<Milliseconds> Reconciler::look_at(const k8s::ScaledCache& cache,
                                         Memory& memory,
                                         const std::stop_token& stop) {
  if (!cache.valid()) {
    const Failure failure{"InvalidSpec", k8s::join(cache.problems)};
    const auto released =
        parts_.actuator.release_drains(cache.meta.name_space, cache.meta.name, stop);
    k8s::Status next = report_failure(*memory.status, cache, failure, parts_.clock.wall());
    if (released) {
      next.drains.clear();
      next.drain_goal.reset();
    }
    const auto written = parts_.actuator.write_status(cache, memory, std::move(next), false, stop);
    show_failure(cache, memory, {ErrorCode::Invalid, failure.message});
    return written ? Result<Milliseconds>(cache.spec.poll_interval) : written.error();
  }
  hold(cache, stop);
  const auto gathered = parts_.observer.observe(cache, memory, stop);
  if (!gathered) {
    return gathered.error();
  }
  const WallTime now = parts_.clock.wall();
  const core::Decision decision =
      core::decide(gathered->policy, gathered->observation, *memory.history, now);
  const Look look{cache, *gathered, decision,
                  core::describe(gathered->policy, gathered->observation, decision, now), now};
  const std::string key = cache.meta.name_space + "/" + cache.meta.name;
  parts_.metrics.count_decision(decision.reason);
  parts_.metrics.set_replicas(key, gathered->target.replicas, decision.replicas);
  parts_.metrics.set_rate(key, decision.signals.empty() ? 0 : decision.signals.front().short_rate);
  log_decision(key, look, memory);
  tell_gate(key, look);
  const auto applied = parts_.actuator.apply(look, memory, stop);
  if (parts_.page != nullptr) {
    parts_.page->note_look(look, *memory.status);
  }
  if (applied) {
    watch_dip(look, memory, stop);
  }
  return applied
             ? Result<Milliseconds>(std::min(decision.look_again_after,
                                             memory.look_again.value_or(decision.look_again_after)))
             : applied.error();
}

// The windows of a reading that follows a change at once still tell of the time before it.
void Reconciler::watch_dip(const Look& look, Memory& memory, const std::stop_token& stop) {
  const bool changed = memory.history->replicas != look.gathered.target.replicas;
  if (changed) {
    memory.logged_reason.clear();  // the same change again is news
  }
  if (!changed && !memory.dip) {
    return;
  }
  const core::FleetReading reading =
      look.gathered.fleet
          ? *look.gathered.fleet
          : parts_.observer.read_fleet(look.cache, look.gathered.policy, *memory.history, stop);
  if (const auto dip = follow_dip(look, reading, memory)) {
    parts_.metrics.observe_dip(*dip);
    if (dip->to > dip->from) {
      parts_.metrics.count_growth(judge_growth(look, *dip, memory));
    }
    parts_.actuator.tell(look.cache, {dip_event(look.cache, *dip, look.now)}, stop);
  }
}

// What the gate cannot know by itself: whether the pods that serve are too few.
void Reconciler::tell_gate(const std::string& key, const Look& look) const {
  if (parts_.gates == nullptr || !look.gathered.warmth) {
    return;
  }
  parts_.metrics.set_pods(key, look.gathered.warmth->states);
  const auto& signals = look.decision.history.signals;
  const bool overloaded = std::any_of(signals.begin(), signals.end(), [](const auto& signal) {
    return signal.saturated_ticks >= kPanicTicks;
  });
  parts_.gates->note_load(key, overloaded);
}

// A change is logged once, holds when their reason changes, the rest at debug.
void Reconciler::log_decision(const std::string& key, const Look& look, Memory& memory) const {
  const core::Decision& decision = look.decision;
  std::string said(core::name_of(decision.reason));
  if (decision.replicas != decision.from) {
    said += " " + std::to_string(decision.from) + " > " + std::to_string(decision.replicas);
  }
  const bool news = memory.logged_reason != said;
  memory.logged_reason = said;
  if (news) {
    parts_.log.info("decision", decision_fields(key, look, *memory.history));
  } else if (parts_.log.wants_debug()) {
    parts_.log.debug("decision", decision_fields(key, look, *memory.history));
  }
}

void Reconciler::show_failure(const k8s::ScaledCache& cache,
                              const Memory& memory,
                              const Error& error) const {
  if (parts_.page != nullptr) {
    parts_.page->note_failure(cache, *memory.status, error, parts_.clock.wall());
  }
}

void Reconciler::say_why(const k8s::ScaledCache& cache,
                         Memory& memory,
                         const Error& error,
                         const std::stop_token& stop) {
  const auto failure = failure_of(error);
  if (!failure) {
    return;
  }
  const auto written = parts_.actuator.write_status(
      cache, memory, report_failure(*memory.status, cache, *failure, parts_.clock.wall()), false,
      stop);
  if (!written) {
    Fields fields;
    fields["key"] = cache.meta.name_space + "/" + cache.meta.name;
    fields["error"] = written.error().message;
    parts_.log.warn("status not written", fields);
  }
}

Milliseconds Reconciler::give_up(const k8s::ScaledCache& cache,
                                 Memory& memory,
                                 const Error& error) {
  ++memory.failures;
  parts_.metrics.count_error(error.code);
  const std::string code(scaledcache::name_of(error.code));
  if (!is_routine(error, memory.failures)) {
    show_failure(cache, memory, error);
  }
  if (!is_routine(error, memory.failures) && memory.logged_reason != code + error.message) {
    memory.logged_reason = code + error.message;
    Fields fields;
    fields["key"] = cache.meta.name_space + "/" + cache.meta.name;
    fields["code"] = code;
    fields["error"] = error.message;
    parts_.log.warn("nothing decided", fields);
  }
  return requeue_after(error, memory.failures, cache.spec.poll_interval);
}

}  // namespace scaledcache::controller
