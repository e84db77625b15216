#include "k8s/watcher.h"

#include <algorithm>
#include <utility>

#include "k8s/api_error.h"
#include "k8s/frame_splitter.h"
#include "k8s/paths.h"

namespace scaledcache::k8s {
namespace {

constexpr int kServerErrorCode = 500;  // of an ERROR event that names none
constexpr int kMinWatchSeconds = 240;
constexpr int kWatchSecondsSpread = 51;

std::size_t index_of(ErrorCode code) {
  const auto* found = std::find(kAllErrorCodes.begin(), kAllErrorCodes.end(), code);
  return static_cast<std::size_t>(found - kAllErrorCodes.begin());
}

bool is_success(const http::Response& response) {
  return response.status >= 200 && response.status <= 299;
}

}  // namespace

Watcher::Watcher(WatchTarget target, Parts parts)
    : Watcher(std::move(target), std::move(parts), {}) {}

Watcher::Watcher(WatchTarget target, Parts parts, Limits limits)
    : target_(std::move(target)), parts_(std::move(parts)), limits_(limits) {}

void Watcher::run(std::stop_token stop) {
  quiet_since_ = parts_.clock.steady();
  Action action = feed(input::Start{});
  while (pause(action.pause, stop)) {
    if (action.drop_token) {
      parts_.server.drop_token();
    }
    action = action.next == Action::Next::List ? list(stop) : watch(stop);
  }
}

WatchProgress Watcher::progress() const {
  MutexLock lock(mutex_);
  return progress_;
}

Action Watcher::list(const std::stop_token& stop) {
  if (state_.continue_token.empty()) {
    parts_.sink.begin_list();
  }
  http::Request request = parts_.server.request(http::Method::Get, list_path());
  request.timeout = limits_.list_timeout;
  request.max_body_bytes = limits_.max_list_bytes;
  const auto answer = parts_.transport.send(request, stop);
  if (stop.stop_requested()) {
    return {};
  }
  if (!answer) {
    return request_failed(answer.error());
  }
  if (!is_success(*answer)) {
    return refused(*answer);
  }
  const auto head = decode_list(answer->body, [this](const Json& item) -> Result<void> {
    auto envelope = decode_envelope(item);
    if (!envelope) {
      return envelope.error();
    }
    parts_.sink.stage(std::move(*envelope), item);
    return {};
  });
  if (!head) {
    return request_failed(head.error());
  }
  const Action action = feed(input::PageArrived{head->resource_version, head->continue_token});
  if (action.rv_regressed) {
    report({ErrorCode::Protocol, "a list older than what was seen before"});
  }
  if (action.effect == Action::Effect::ReplaceStore) {
    parts_.sink.commit_list();
    note_data(true);
  }
  return action;
}

Action Watcher::watch(const std::stop_token& stop) {
  http::Request request = parts_.server.request(http::Method::Get, watch_path());
  request.timeout = limits_.head_timeout;
  FrameSplitter splitter;
  std::optional<Action> verdict;  // of the frame that ended the stream
  const auto take = [&](std::string_view frame) {
    const Action action = take_frame(frame);
    if (action.next != Action::Next::Read) {
      verdict = action;
    }
    return !verdict.has_value();
  };
  const SteadyTime opened = parts_.clock.steady();
  const auto end = parts_.transport.stream(
      request, limits_.idle_timeout,
      [&](std::string_view bytes) {
        if (splitter.feed(bytes, take) == FrameSplitter::Fed::TooLong) {
          verdict = bad_frame({ErrorCode::Protocol, "a watch event longer than 16 MiB"});
        }
        return !verdict.has_value();
      },
      stop);
  if (verdict || stop.stop_requested()) {
    return verdict.value_or(Action{});
  }
  return take_end(end, opened, splitter.has_partial());
}

Action Watcher::take_end(const Result<http::Response>& end, SteadyTime opened, bool cut) {
  const auto lived =
      std::chrono::duration_cast<std::chrono::milliseconds>(parts_.clock.steady() - opened);
  if (!end) {
    // Before the head came, a timeout is shorter than the idle timer.
    if (end.error().code == ErrorCode::Timeout && lived >= limits_.idle_timeout) {
      report(end.error());
      return feed(input::Silence{});
    }
    return request_failed(end.error());
  }
  if (!is_success(*end)) {
    return refused(*end);
  }
  if (cut) {
    report({ErrorCode::Unavailable, "the watch ended inside an event"});
    return feed(input::Cut{});
  }
  return feed(input::CleanEnd{lived});
}

Action Watcher::take_frame(std::string_view frame) {
  const auto event = decode_event(frame);
  if (!event) {
    return bad_frame(event.error());
  }
  if (event->type == EventType::Error) {
    const ApiStatus status = decode_status(event->object, kServerErrorCode);
    const Error error = to_error(status);
    report(error);
    return feed(input::ErrorEvent{{error.code, error.retry_after, status.version_too_large}});
  }
  return take_object(event->type, event->object);
}

Action Watcher::take_object(EventType type, const Json& object) {
  if (type == EventType::Bookmark) {
    const Json* metadata = find_member(object, "metadata");
    std::string version = metadata ? string_member(*metadata, "resourceVersion") : std::string();
    if (version.empty()) {
      return bad_frame({ErrorCode::Protocol, "a bookmark without a resource version"});
    }
    return saw(feed(input::Bookmark{std::move(version)}));
  }
  auto envelope = decode_envelope(object);
  if (!envelope) {
    return bad_frame(envelope.error());
  }
  const Action action = saw(feed(input::Changed{envelope->resource_version}));
  if (action.effect == Action::Effect::ApplyEvent && type == EventType::Deleted) {
    parts_.sink.remove(*envelope);
  } else if (action.effect == Action::Effect::ApplyEvent) {
    parts_.sink.put(std::move(*envelope), object);
  }
  return action;
}

Action Watcher::saw(const Action& action) {
  if (action.rv_regressed) {
    report({ErrorCode::Protocol, "a watch event older than what was seen before"});
  } else {
    note_data(false);
  }
  return action;
}

Action Watcher::bad_frame(const Error& error) {
  report(error);
  return feed(input::BadFrame{});
}

Action Watcher::request_failed(const Error& error, bool version_too_large) {
  report(error);
  return feed(input::RequestFailed{{error.code, error.retry_after, version_too_large}});
}

Action Watcher::refused(const http::Response& response) {
  const ApiStatus status = decode_status(response);
  return request_failed(to_error(status), status.version_too_large);
}

Action Watcher::feed(const Input& input) {
  const SteadyTime now = parts_.clock.steady();
  if (now - quiet_since_ >= kQuietPeriod) {
    state_ = next_step(state_, input::Quiet{}).state;
    quiet_since_ = now;
  }
  const int failures_before = state_.failures;
  Step step = next_step(state_, input);
  state_ = std::move(step.state);
  if (state_.failures > failures_before) {
    quiet_since_ = now;
  }
  MutexLock lock(mutex_);
  progress_.last_attempt = now;
  progress_.degraded = state_.degraded;
  progress_.relists += step.action.relist ? 1 : 0;
  progress_.rv_regressed += step.action.rv_regressed ? 1 : 0;
  progress_.bad_frames += step.action.bad_frame ? 1 : 0;
  return step.action;
}

bool Watcher::pause(const Pause& pause, const std::stop_token& stop) {
  const auto length = length_of(pause, parts_.random());
  if (length.count() > 0) {
    static_cast<void>(parts_.clock.wait_for(length, stop));
    quiet_since_ = parts_.clock.steady();
  }
  return !stop.stop_requested();
}

void Watcher::report(const Error& error) {
  {
    MutexLock lock(mutex_);
    ++progress_.errors[index_of(error.code)];
    progress_.last_error = error;
  }
  if (parts_.on_fault) {
    parts_.on_fault(error);
  }
}

void Watcher::note_data(bool is_whole_list) {
  const SteadyTime now = parts_.clock.steady();
  MutexLock lock(mutex_);
  progress_.last_data = now;
  progress_.last_error.reset();
  progress_.synced = progress_.synced || is_whole_list;
}

std::string Watcher::list_path() const {
  return with_query(target_.path, {{"labelSelector", target_.label_selector},
                                   {"fieldSelector", target_.field_selector},
                                   {"limit", state_.paged ? std::to_string(kListPageSize) : ""},
                                   {"continue", state_.continue_token}});
}

std::string Watcher::watch_path() const {
  const int seconds = kMinWatchSeconds + static_cast<int>(parts_.random() * kWatchSecondsSpread);
  return with_query(target_.path, {{"watch", "true"},
                                   {"labelSelector", target_.label_selector},
                                   {"fieldSelector", target_.field_selector},
                                   {"resourceVersion", state_.resource_version},
                                   {"allowWatchBookmarks", "true"},
                                   {"timeoutSeconds", std::to_string(seconds)}});
}

}  // namespace scaledcache::k8s
