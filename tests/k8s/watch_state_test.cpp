#include "k8s/watch_state.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace scaledcache::k8s {
namespace {

using std::chrono::milliseconds;
using Effect = Action::Effect;
using Next = Action::Next;
using Phase = WatchState::Phase;

constexpr Pause kNow{};
constexpr Pause kFirst{kFirstBackoff, milliseconds{0}};

WatchState listing() {
  return {};
}

WatchState listing_page_two() {
  WatchState state;
  state.continue_token = "page-2";
  return state;
}

WatchState watching() {
  WatchState state;
  state.phase = Phase::Watching;
  state.resource_version = "100";
  state.highest_seen = "100";
  return state;
}

WatchState with(WatchState state, int failures) {
  state.failures = failures;
  return state;
}

input::RequestFailed request_failed(ErrorCode code, std::optional<milliseconds> retry_after = {}) {
  return {Fault{.code = code, .retry_after = retry_after}};
}

input::ErrorEvent error_event(ErrorCode code, std::optional<milliseconds> retry_after = {}) {
  return {Fault{.code = code, .retry_after = retry_after}};
}

Fault too_large(std::optional<milliseconds> retry_after) {
  return Fault{.code = ErrorCode::Timeout, .retry_after = retry_after, .version_too_large = true};
}

struct Row {
  const char* name;
  WatchState from;
  Input input;
  Next next;
  Effect effect = Effect::None;
  Pause pause = kNow;
  std::string resource_version{};  // afterwards; empty: dropped
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const Step step = next_step(row.from, row.input);
      CHECK(step.action.next == row.next);
      CHECK(step.action.effect == row.effect);
      CHECK(step.action.pause.backoff.count() == row.pause.backoff.count());
      CHECK(step.action.pause.at_least.count() == row.pause.at_least.count());
      CHECK(step.state.resource_version == row.resource_version);
    }
  }
}

TEST_CASE("the list: each row of the table") {
  check({
      {"the start lists at once", listing(), input::Start{}, Next::List},
      {"a page with a token asks for the next one", listing(), input::PageArrived{"7", "page-2"},
       Next::List, Effect::StagePage},
      {"the last page replaces the store and opens the watch at the list's version",
       listing_page_two(), input::PageArrived{"7", ""}, Next::Watch, Effect::ReplaceStore, kNow,
       "7"},
      {"429 with Retry-After 7 waits at least that long",
       listing(),
       request_failed(ErrorCode::RateLimited, milliseconds{7000}),
       Next::List,
       Effect::None,
       {kFirstBackoff, milliseconds{7000}}},
      {"429 without Retry-After backs off", listing(), request_failed(ErrorCode::RateLimited),
       Next::List, Effect::None, kFirst},
      {"a lost connection backs off", listing(), request_failed(ErrorCode::Unavailable), Next::List,
       Effect::None, kFirst},
      {"the first 401 is retried at once", listing(), request_failed(ErrorCode::Unauthorized),
       Next::List},
      {"403 backs off as far as five minutes",
       with(listing(), 20),
       request_failed(ErrorCode::Forbidden),
       Next::List,
       Effect::None,
       {kMaxSlowBackoff, milliseconds{0}}},
      {"D9: 404 backs off as far as five minutes",
       with(listing(), 20),
       request_failed(ErrorCode::NotFound),
       Next::List,
       Effect::None,
       {kMaxSlowBackoff, milliseconds{0}}},
      {"a body that ends early backs off", listing(), request_failed(ErrorCode::Protocol),
       Next::List, Effect::None, kFirst},
      {"a list without a version backs off and replaces nothing", listing(),
       input::PageArrived{"", ""}, Next::List, Effect::None, kFirst},
      {"a token that repeats itself is no progress", listing_page_two(),
       input::PageArrived{"7", "page-2"}, Next::List, Effect::None, kFirst},
  });
}

TEST_CASE("the watch: each row of the table") {
  WatchState event_seen = watching();
  event_seen.event_seen = true;
  check({
      {"an event is applied and moves the version", watching(), input::Changed{"101"}, Next::Read,
       Effect::ApplyEvent, kNow, "101"},
      {"an event of the same version is applied", watching(), input::Changed{"100"}, Next::Read,
       Effect::ApplyEvent, kNow, "100"},
      {"a version that is no number is taken as it comes", watching(), input::Changed{"abc"},
       Next::Read, Effect::ApplyEvent, kNow, "abc"},
      {"D17: a bookmark moves the version and nothing else", watching(), input::Bookmark{"250"},
       Next::Read, Effect::None, kNow, "250"},
      {"D1: the first 410 in the stream lists again at once", watching(),
       error_event(ErrorCode::Gone), Next::List},
      {"D3: a 410 soon after another failure backs off",
       with(watching(), 1),
       error_event(ErrorCode::Gone),
       Next::List,
       Effect::None,
       {kFirstBackoff * 2, milliseconds{0}}},
      {"D2: a 410 on opening lists again at once", watching(), request_failed(ErrorCode::Gone),
       Next::List},
      {"D4: a version that is too large for the server lists again after its hint",
       watching(),
       input::ErrorEvent{too_large(milliseconds{1000})},
       Next::List,
       Effect::None,
       {kFirstBackoff, milliseconds{1000}}},
      {"D4: the same as a plain answer", watching(), input::RequestFailed{too_large({})},
       Next::List, Effect::None, kFirst},
      {"429 in the stream backs off and keeps the version",
       watching(),
       error_event(ErrorCode::RateLimited, milliseconds{7000}),
       Next::Watch,
       Effect::None,
       {kFirstBackoff, milliseconds{7000}},
       "100"},
      {"D6: another error in the stream backs off and lists again", watching(),
       error_event(ErrorCode::Unavailable), Next::List, Effect::None, kFirst},
      {"E3: a clean end opens the watch again at once", watching(),
       input::CleanEnd{milliseconds{270'000}}, Next::Watch, Effect::None, kNow, "100"},
      {"D20: a clean end within a second and without an event backs off", watching(),
       input::CleanEnd{milliseconds{999}}, Next::Watch, Effect::None, kFirst, "100"},
      {"a clean end within a second after an event is no failure", event_seen,
       input::CleanEnd{milliseconds{10}}, Next::Watch, Effect::None, kNow, "100"},
      {"a cut backs off and keeps the version", watching(), input::Cut{}, Next::Watch, Effect::None,
       kFirst, "100"},
      {"the idle timer keeps the version and does not grow the backoff", with(watching(), 5),
       input::Silence{}, Next::Watch, Effect::None, kFirst, "100"},
      {"a server that refuses the connection keeps the version", watching(),
       request_failed(ErrorCode::Unavailable), Next::Watch, Effect::None, kFirst, "100"},
      {"429 on opening keeps the version", watching(), request_failed(ErrorCode::RateLimited),
       Next::Watch, Effect::None, kFirst, "100"},
      {"D7: the first 401 on opening is retried at once and keeps the version", watching(),
       request_failed(ErrorCode::Unauthorized), Next::Watch, Effect::None, kNow, "100"},
      {"D8: 403 on opening goes back to the list, slowly",
       with(watching(), 20),
       request_failed(ErrorCode::Forbidden),
       Next::List,
       Effect::None,
       {kMaxSlowBackoff, milliseconds{0}}},
      {"a frame that cannot be decoded backs off and lists again", watching(), input::BadFrame{},
       Next::List, Effect::None, kFirst},
      {"an event older than the store lists again", watching(), input::Changed{"99"}, Next::List},
      {"a bookmark older than the store lists again", watching(), input::Bookmark{"9"}, Next::List},
  });
}

TEST_CASE("D2: a 410 on a later page asks for the whole list in one answer, once") {
  Step step = next_step(listing_page_two(), request_failed(ErrorCode::Gone));
  CHECK(step.action.next == Next::List);
  CHECK(step.action.pause == kFirst);
  CHECK(step.state.continue_token.empty());
  CHECK_FALSE(step.state.paged);
  step = next_step(step.state, input::PageArrived{"9", ""});
  CHECK(step.action.effect == Effect::ReplaceStore);
  CHECK(step.state.paged);
}

TEST_CASE("a page that failed for a moment is asked for again, not the whole list") {
  const Step step = next_step(listing_page_two(), request_failed(ErrorCode::Unavailable));
  CHECK(step.state.continue_token == "page-2");
}

TEST_CASE("a page that was cut off starts the list again") {
  const Step step = next_step(listing_page_two(), request_failed(ErrorCode::Protocol));
  CHECK(step.state.continue_token.empty());
  CHECK(step.state.paged);
}

TEST_CASE("D7: a 401 drops the token, is retried once at once, then backs off") {
  for (const WatchState& from : {listing(), watching()}) {
    Step step = next_step(from, request_failed(ErrorCode::Unauthorized));
    CHECK(step.action.drop_token);
    CHECK(step.action.pause == kNow);
    step = next_step(step.state, request_failed(ErrorCode::Unauthorized));
    CHECK(step.action.drop_token);
    CHECK(step.action.pause == kFirst);
    CHECK(step.state.phase == from.phase);
  }
}

TEST_CASE("a token that worked again earns the next 401 its immediate retry") {
  WatchState state = watching();
  state.token_dropped = true;
  for (const Input& success : std::vector<Input>{input::Changed{"101"}, input::Bookmark{"101"},
                                                 input::CleanEnd{milliseconds{60'000}}}) {
    CHECK_FALSE(next_step(state, success).state.token_dropped);
  }
}

TEST_CASE("the backoff doubles from 0.8 s to 30 s and starts again after a quiet period") {
  WatchState state = listing();
  std::vector<milliseconds::rep> pauses;
  for (int i = 0; i < 8; ++i) {
    const Step step = next_step(state, request_failed(ErrorCode::Unavailable));
    pauses.push_back(step.action.pause.backoff.count());
    state = step.state;
  }
  CHECK(pauses ==
        std::vector<milliseconds::rep>{800, 1600, 3200, 6400, 12'800, 25'600, 30'000, 30'000});
  state = next_step(state, input::Quiet{}).state;
  CHECK(next_step(state, request_failed(ErrorCode::Unavailable)).action.pause == kFirst);
}

TEST_CASE("a success does not end the backoff of a watch that keeps failing") {
  Step step = next_step(listing(), request_failed(ErrorCode::Unavailable));
  step = next_step(step.state, input::PageArrived{"100", ""});
  step = next_step(step.state, input::Changed{"101"});
  step = next_step(step.state, input::Cut{});
  CHECK(step.action.pause.backoff == kFirstBackoff * 2);
}

TEST_CASE("three failed re-watches from one version end in a new list") {
  for (const Input& failure :
       std::vector<Input>{input::Cut{}, input::Silence{}, input::CleanEnd{milliseconds{0}},
                          request_failed(ErrorCode::Unavailable)}) {
    Step step{watching(), {}};
    for (int rewatch = 0; rewatch < kMaxFailedRewatches; ++rewatch) {
      step = next_step(step.state, failure);
      CHECK(step.action.next == Next::Watch);
      CHECK_FALSE(step.action.relist);
    }
    step = next_step(step.state, failure);
    CHECK(step.action.next == Next::List);
    CHECK(step.action.relist);
    CHECK(step.state.resource_version.empty());
  }
}

TEST_CASE("a version that moves starts the count of failed re-watches again") {
  Step step{watching(), {}};
  for (int version = 101; version < 110; ++version) {
    step = next_step(step.state, input::Cut{});
    REQUIRE(step.action.next == Next::Watch);
    step = next_step(step.state, input::Cut{});
    REQUIRE(step.action.next == Next::Watch);
    step = next_step(step.state, input::Bookmark{std::to_string(version)});
  }
}

TEST_CASE("a server that asks for patience is never answered with a new list") {
  Step step{watching(), {}};
  for (int i = 0; i < 10; ++i) {
    step = next_step(step.state, request_failed(ErrorCode::RateLimited));
    CHECK(step.action.next == Next::Watch);
  }
  CHECK(step.state.resource_version == "100");
}

TEST_CASE("three bad frames mark the kind as degraded until a quiet period") {
  Step step{watching(), {}};
  for (int frame = 1; frame <= kMaxBadFrames; ++frame) {
    step = next_step(step.state, input::BadFrame{});
    CHECK(step.action.bad_frame);
    CHECK(step.action.effect == Effect::None);
    CHECK(step.state.degraded == (frame == kMaxBadFrames));
    step = next_step(step.state, input::PageArrived{"100", ""});
  }
  CHECK(step.state.degraded);
  CHECK_FALSE(next_step(step.state, input::Quiet{}).state.degraded);
}

TEST_CASE("B2: a list older than what was seen is counted and asked for again") {
  Step step = next_step(watching(), error_event(ErrorCode::Gone));
  for (int i = 0; i < kMaxRegressedLists; ++i) {
    step = next_step(step.state, input::PageArrived{"99", ""});
    CHECK(step.action.rv_regressed);
    CHECK(step.action.effect == Effect::None);
    CHECK(step.action.pause.backoff > milliseconds{0});
    CHECK(step.action.next == Next::List);
  }
  SUBCASE("a server that has caught up is believed") {
    step = next_step(step.state, input::PageArrived{"100", ""});
    CHECK(step.action.effect == Effect::ReplaceStore);
    CHECK_FALSE(step.action.rv_regressed);
  }
  SUBCASE("one that stays behind was restored from a backup: taken, and counted") {
    step = next_step(step.state, input::PageArrived{"99", ""});
    CHECK(step.action.effect == Effect::ReplaceStore);
    CHECK(step.action.rv_regressed);
    CHECK(step.state.highest_seen == "99");
    CHECK(step.state.regressed_lists == 0);
  }
}

TEST_CASE("an event older than the store is counted, and soon again costs a pause") {
  Step step = next_step(watching(), input::Changed{"99"});
  CHECK(step.action.rv_regressed);
  CHECK(step.action.relist);
  CHECK(step.action.pause == kNow);
  step = next_step(step.state, input::PageArrived{"100", ""});
  step = next_step(step.state, input::Changed{"99"});
  CHECK(step.action.pause.backoff > milliseconds{0});
}

TEST_CASE("only giving up a watch counts as a re-list") {
  CHECK_FALSE(next_step(listing(), input::Start{}).action.relist);
  CHECK_FALSE(next_step(listing(), request_failed(ErrorCode::Gone)).action.relist);
  CHECK(next_step(watching(), error_event(ErrorCode::Gone)).action.relist);
}

TEST_CASE("inputs without a meaning in a state change nothing") {
  for (const Input& stray :
       std::vector<Input>{input::Changed{"1"}, input::Bookmark{"1"}, input::CleanEnd{},
                          input::Cut{}, input::Silence{}, error_event(ErrorCode::Gone)}) {
    const Step step = next_step(listing(), stray);
    CHECK(step.state == listing());
    CHECK(step.action == Action{});
  }
  CHECK(next_step(watching(), input::PageArrived{"1", ""}).state == watching());
}

TEST_CASE("resource versions are ordered by length, then as text") {
  struct Order {
    const char* name;
    const char* a;
    const char* b;
    std::optional<std::strong_ordering> want;
  };

  const std::vector<Order> rows{
      {"a shorter number is smaller", "99", "100", std::strong_ordering::less},
      {"a longer number is larger", "100", "99", std::strong_ordering::greater},
      {"the same length compares as text", "123", "124", std::strong_ordering::less},
      {"numbers beyond 64 bits", "99999999999999999999998", "99999999999999999999999",
       std::strong_ordering::less},
      {"equal numbers", "7", "7", std::strong_ordering::equal},
      {"equal texts", "abc", "abc", std::strong_ordering::equal},
      {"other texts have no order", "abc", "abd", std::nullopt},
      {"a leading zero is no version", "07", "8", std::nullopt},
      {"zero itself is a number", "0", "1", std::strong_ordering::less},
      {"the empty version has no order", "", "1", std::nullopt},
      {"a sign is no digit", "-1", "1", std::nullopt},
  };
  for (const Order& row : rows) {
    SUBCASE(row.name) {
      CHECK((compare_resource_versions(row.a, row.b) == row.want));
    }
  }
}

TEST_CASE("jitter takes off up to half of the backoff, never of what the server asked for") {
  const Pause backoff{milliseconds{1000}, milliseconds{0}};
  CHECK(length_of(backoff, 0.0) == milliseconds{1000});
  CHECK(length_of(backoff, 0.5) == milliseconds{750});
  CHECK(length_of(Pause{milliseconds{1000}, milliseconds{7000}}, 0.9) == milliseconds{7000});
  CHECK(length_of(Pause{milliseconds{30'000}, milliseconds{1000}}, 0.0) == milliseconds{30'000});
  CHECK(length_of(Pause{}, 0.5) == milliseconds{0});
}

}  // namespace
}  // namespace scaledcache::k8s
