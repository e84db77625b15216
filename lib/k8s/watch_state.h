// The rules of list and watch for one kind, as a pure state machine: a state and an input give the
// next state and the action to take. It knows no socket and no clock; the watcher drives it.
#pragma once

#include <chrono>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"

namespace scaledcache::k8s {

inline constexpr int kListPageSize = 500;
inline constexpr std::chrono::milliseconds kFirstBackoff{800};
inline constexpr std::chrono::milliseconds kMaxBackoff{30'000};
inline constexpr std::chrono::milliseconds kMaxSlowBackoff{300'000};
inline constexpr std::chrono::milliseconds kShortWatch{1'000};
inline constexpr std::chrono::milliseconds kQuietPeriod{120'000};
inline constexpr int kMaxFailedRewatches = 3;
inline constexpr int kMaxBadFrames = 3;
inline constexpr int kMaxRegressedLists = 3;

// Orders two resource versions of one resource: decimal integers without leading zeros, by length
// and then as text (KEP-5504). Nothing when they differ and one of them has another form.
[[nodiscard]] std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                                            std::string_view b);

struct WatchState {
  enum class Phase { Listing, Watching };

  Phase phase = Phase::Listing;
  bool paged = true;             // false: the next list asks for everything in one answer
  std::string continue_token;    // Listing: the page to ask for; empty: the first
  std::string resource_version;  // Watching: where to go on from
  std::string highest_seen;      // the newest version the store has shown, kept over a re-list
  int failures = 0;              // since the last quiet period: the exponent of the backoff
  int failed_watches = 0;        // that ended badly, since the version last moved
  int bad_frames = 0;            // since the last quiet period
  int regressed_lists = 0;       // in a row
  bool event_seen = false;       // since the watch was opened
  bool token_dropped = false;    // a 401 was answered with one immediate retry already
  bool degraded = false;         // too many bad frames: the store stands, but may be old

  bool operator==(const WatchState&) const = default;
};

// Why a request or a stream failed, as far as the rules care.
struct Fault {
  ErrorCode code = ErrorCode::Unavailable;
  std::optional<std::chrono::milliseconds> retry_after{};
  bool version_too_large = false;  // the server is behind the version that was asked for
};

namespace input {

struct Start {};  // nothing is known yet

struct PageArrived {  // one page of a list, decoded to its end
  std::string resource_version;
  std::string continue_token;
};

struct RequestFailed {  // a list, or opening a watch, gave an HTTP error or no answer
  Fault fault;
};

struct Changed {  // ADDED, MODIFIED or DELETED with a sound envelope
  std::string resource_version;
};

struct Bookmark {
  std::string resource_version;
};

struct ErrorEvent {  // an ERROR inside the stream
  Fault fault;
};

struct BadFrame {};  // no JSON, no envelope to trust, unknown type, or too long

struct CleanEnd {  // the server ended the watch
  std::chrono::milliseconds lived{0};
};

struct Cut {};  // reset, or ended inside a line

struct Silence {};  // the idle timer ended an open watch

struct Quiet {};  // kQuietPeriod passed since the last pause, without a failure

}  // namespace input

using Input = std::variant<input::Start,
                           input::PageArrived,
                           input::RequestFailed,
                           input::Changed,
                           input::Bookmark,
                           input::ErrorEvent,
                           input::BadFrame,
                           input::CleanEnd,
                           input::Cut,
                           input::Silence,
                           input::Quiet>;

// A wait: never shorter than `at_least`, otherwise `backoff` with jitter.
struct Pause {
  std::chrono::milliseconds backoff{0};
  std::chrono::milliseconds at_least{0};

  bool operator==(const Pause&) const = default;
};

// `random` in [0, 1). Jitter takes off up to half of the backoff, so that its cap is a cap.
[[nodiscard]] std::chrono::milliseconds length_of(const Pause& pause, double random);

struct Action {
  enum class Next {
    List,   // ask for the page state.continue_token; the first page drops what was staged
    Watch,  // open a watch at state.resource_version
    Read,   // go on with the stream that is open
  };

  enum class Effect {
    None,
    StagePage,     // keep the items of the page until the list is whole
    ReplaceStore,  // the staged items and this page are the new content
    ApplyEvent,    // put or remove the object of the event
  };

  Next next = Next::Read;
  Effect effect = Effect::None;
  Pause pause{};            // before `next`
  bool drop_token = false;  // read the credentials again before the next request
  bool relist = false;      // count: a watch was given up for a new list
  bool rv_regressed = false;
  bool bad_frame = false;

  bool operator==(const Action&) const = default;
};

struct Step {
  WatchState state;
  Action action;
};

// Total: every input is answered in every state; an input that has no meaning in a state (a page
// while watching) changes nothing.
[[nodiscard]] Step next_step(const WatchState& state, const Input& input);

}  // namespace scaledcache::k8s
