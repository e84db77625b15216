#include "k8s/watch_state.h"

#include <algorithm>

namespace scaledcache::k8s {
namespace {

using std::chrono::milliseconds;
using Phase = WatchState::Phase;

bool is_plain_number(std::string_view text) {
  return !text.empty() && (text.front() != '0' || text.size() == 1) &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_older(std::string_view version, std::string_view than) {
  return compare_resource_versions(version, than) == std::strong_ordering::less;
}

// The next step of the doubling series; grows it.
Pause back_off(WatchState& state,
               std::optional<milliseconds> at_least = {},
               milliseconds cap = kMaxBackoff) {
  constexpr int kMaxDoublings = 9;  // 0.8 s · 2⁹ is above every cap
  const milliseconds backoff = kFirstBackoff * (1 << std::min(state.failures, kMaxDoublings));
  ++state.failures;
  return Pause{std::min(backoff, cap), at_least.value_or(milliseconds{0})};
}

// A first failure costs no time; a second one in the same quiet period does.
Pause back_off_if_repeated(WatchState& state) {
  if (state.failures > 0) {
    return back_off(state);
  }
  ++state.failures;
  return Pause{};
}

// Right or kind is missing, or the request itself is refused: only a person can help.
bool needs_a_person(ErrorCode code) {
  return code == ErrorCode::Forbidden || code == ErrorCode::NotFound || code == ErrorCode::Invalid;
}

Action list_from_page_one(WatchState& state, Pause pause) {
  const bool was_watching = state.phase == Phase::Watching;
  state.phase = Phase::Listing;
  state.continue_token.clear();
  state.resource_version.clear();
  state.failed_watches = 0;
  state.event_seen = false;
  Action action{.next = Action::Next::List};
  action.pause = pause;
  action.relist = was_watching;
  return action;
}

Action watch_again(WatchState& state, Pause pause) {
  state.event_seen = false;
  Action action{.next = Action::Next::Watch};
  action.pause = pause;
  return action;
}

// The watch ended badly and the version may still be good.
Action watch_failed(WatchState& state, Pause pause) {
  ++state.failed_watches;
  // The first failure is the watch itself; the others are of re-watches.
  return state.failed_watches > kMaxFailedRewatches ? list_from_page_one(state, pause)
                                                    : watch_again(state, pause);
}

Action unauthorized(WatchState& state, const Fault& fault) {
  const Pause pause = state.token_dropped ? back_off(state, fault.retry_after) : Pause{};
  state.token_dropped = true;
  Action action{.next = state.phase == Phase::Listing ? Action::Next::List : Action::Next::Watch};
  action.pause = pause;
  action.drop_token = true;
  return action;
}

Action list_failed(WatchState& state, const Fault& fault) {
  if (needs_a_person(fault.code)) {
    return list_from_page_one(state, back_off(state, fault.retry_after, kMaxSlowBackoff));
  }
  if (fault.code == ErrorCode::Gone && !state.continue_token.empty()) {
    state.paged = false;
  }
  if (fault.code == ErrorCode::Gone || fault.code == ErrorCode::Protocol) {
    return list_from_page_one(state, back_off(state, fault.retry_after));
  }
  Action action{.next = Action::Next::List};  // the same page: its token lives for minutes
  action.pause = back_off(state, fault.retry_after);
  return action;
}

// What an HTTP answer and an ERROR event have in common.
std::optional<Action> watch_refused(WatchState& state, const Fault& fault) {
  if (fault.code == ErrorCode::Gone) {
    return list_from_page_one(state, back_off_if_repeated(state));
  }
  if (fault.version_too_large) {
    return list_from_page_one(state, back_off(state, fault.retry_after));
  }
  if (fault.code == ErrorCode::RateLimited) {
    return watch_again(state, back_off(state, fault.retry_after));
  }
  return std::nullopt;
}

// Answers one input; `state` is the one that becomes the next.
struct Advance {
  WatchState& state;

  Action operator()(const input::Start&) const { return list_from_page_one(state, Pause{}); }

  Action operator()(const input::PageArrived& page) const {
    if (state.phase != Phase::Listing) {
      return {};
    }
    const bool repeats =
        !page.continue_token.empty() && page.continue_token == state.continue_token;
    if (page.resource_version.empty() || repeats) {
      return list_failed(state, Fault{.code = ErrorCode::Protocol});
    }
    const bool regressed = is_older(page.resource_version, state.highest_seen);
    if (regressed && state.regressed_lists < kMaxRegressedLists) {
      ++state.regressed_lists;  // a server that lags catches up; an etcd restored from backup never
      Action action = list_from_page_one(state, back_off(state));
      action.rv_regressed = true;
      return action;
    }
    if (!page.continue_token.empty()) {
      state.continue_token = page.continue_token;
      Action action{.next = Action::Next::List};
      action.effect = Action::Effect::StagePage;
      return action;
    }
    return list_complete(page.resource_version, regressed);
  }

  Action operator()(const input::RequestFailed& failed) const {
    if (failed.fault.code == ErrorCode::Unauthorized) {
      return unauthorized(state, failed.fault);
    }
    if (state.phase == Phase::Listing) {
      return list_failed(state, failed.fault);
    }
    if (auto action = watch_refused(state, failed.fault)) {
      return *action;
    }
    if (needs_a_person(failed.fault.code)) {
      return list_from_page_one(state, back_off(state, failed.fault.retry_after, kMaxSlowBackoff));
    }
    return watch_failed(state, back_off(state, failed.fault.retry_after));
  }

  Action operator()(const input::ErrorEvent& error) const {
    if (state.phase != Phase::Watching) {
      return {};
    }
    if (auto action = watch_refused(state, error.fault)) {
      return *action;
    }
    return list_from_page_one(state, back_off(state, error.fault.retry_after));
  }

  Action operator()(const input::Changed& changed) const {
    return saw(changed.resource_version, Action::Effect::ApplyEvent);
  }

  Action operator()(const input::Bookmark& bookmark) const {
    return saw(bookmark.resource_version, Action::Effect::None);
  }

  Action operator()(const input::BadFrame&) const {
    if (state.phase != Phase::Watching) {
      return {};
    }
    ++state.bad_frames;
    state.degraded = state.bad_frames >= kMaxBadFrames;
    Action action = list_from_page_one(state, back_off(state));
    action.bad_frame = true;
    return action;
  }

  Action operator()(const input::CleanEnd& end) const {
    if (state.phase != Phase::Watching) {
      return {};
    }
    if (end.lived < kShortWatch && !state.event_seen) {
      return watch_failed(state, back_off(state));
    }
    state.token_dropped = false;
    return watch_again(state, Pause{});
  }

  Action operator()(const input::Cut&) const {
    return state.phase == Phase::Watching ? watch_failed(state, back_off(state)) : Action{};
  }

  Action operator()(const input::Silence&) const {
    // The silence itself was the wait, so this does not grow the backoff.
    return state.phase == Phase::Watching ? watch_failed(state, Pause{kFirstBackoff, {}})
                                          : Action{};
  }

  Action operator()(const input::Quiet&) const {
    state.failures = 0;
    state.bad_frames = 0;
    state.degraded = false;
    return {};
  }

 private:
  [[nodiscard]] Action list_complete(const std::string& version, bool regressed) const {
    state.phase = Phase::Watching;
    state.paged = true;
    state.continue_token.clear();
    state.resource_version = version;
    state.highest_seen = version;
    state.regressed_lists = 0;
    state.failed_watches = 0;
    state.token_dropped = false;
    Action action{.next = Action::Next::Watch};
    action.effect = Action::Effect::ReplaceStore;
    action.rv_regressed = regressed;
    return action;
  }

  [[nodiscard]] Action saw(const std::string& version, Action::Effect effect) const {
    if (state.phase != Phase::Watching) {
      return {};
    }
    if (is_older(version, state.resource_version)) {
      Action action = list_from_page_one(state, back_off_if_repeated(state));
      action.rv_regressed = true;
      return action;
    }
    state.resource_version = version;
    state.highest_seen = version;
    state.failed_watches = 0;
    state.event_seen = true;
    state.token_dropped = false;
    Action action{.next = Action::Next::Read};
    action.effect = effect;
    return action;
  }
};

}  // namespace

std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b) {
  if (a == b) {
    return std::strong_ordering::equal;
  }
  if (!is_plain_number(a) || !is_plain_number(b)) {
    return std::nullopt;
  }
  if (a.size() != b.size()) {
    return a.size() <=> b.size();
  }
  return a < b ? std::strong_ordering::less : std::strong_ordering::greater;
}

milliseconds length_of(const Pause& pause, double random) {
  const double jittered = static_cast<double>(pause.backoff.count()) * (1.0 - random / 2);
  return std::max(pause.at_least, milliseconds{static_cast<milliseconds::rep>(jittered)});
}

Step next_step(const WatchState& state, const Input& input) {
  Step step{state, {}};
  step.action = std::visit(Advance{step.state}, input);
  return step;
}

}  // namespace scaledcache::k8s
