#include "controller/page_book.h"

#include <limits>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "controller/page_json.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kStart{std::chrono::milliseconds{1'800'000'000'000}};

// A book that is told of looks at blog/web.
struct Told {
  PageBook book;
  k8s::ScaledCache cache = cache_of("web");
  k8s::Status status;

  void look(Milliseconds after,
            int from,
            int to,
            core::Reason reason = core::Reason::Steady,
            double rate = 100) {
    Gathered gathered;
    gathered.target.replicas = from;
    core::Decision decision;
    decision.from = from;
    decision.replicas = to;
    decision.reason = reason;
    core::SignalVerdict verdict;
    verdict.name = "requests";
    verdict.health = core::Health::Fresh;
    verdict.short_rate = rate;
    verdict.q = 200;
    decision.signals = {verdict};
    book.note_look({cache, gathered, decision, "at " + std::to_string(rate), kStart + after},
                   status);
  }

  [[nodiscard]] PageDetail detail() const {
    const auto found = book.find("blog/web");
    REQUIRE(found);
    return *found;
  }
};

TEST_CASE("the past is bounded, and the newest point is the newest look") {
  Told told;
  for (int i = 0; i < 1'000; ++i) {
    told.look(i * 5s, 2, 2, core::Reason::Steady, i);
  }
  const PageDetail detail = told.detail();
  CHECK(detail.points.size() == kMaxPagePoints);
  CHECK(detail.points.back().rate == 999);
  CHECK(detail.points.front().rate == 999 - (static_cast<int>(kMaxPagePoints) - 1));
  CHECK(detail.decisions.size() == 1);
}

TEST_CASE("looks that follow quickly share a point") {
  Told told;
  for (int i = 0; i <= 20; ++i) {
    told.look(i * 1s, 2, 2, core::Reason::Steady, i);
  }
  const PageDetail detail = told.detail();
  CHECK(detail.points.size() == 6);  // 0, 4, 8 … 20
  CHECK(detail.points.back().rate == 20);
}

TEST_CASE("a decision that lasts stays one entry, with its newest sentence") {
  Told told;
  told.look(0s, 2, 2);
  told.look(5s, 2, 2, core::Reason::Steady, 150);
  told.look(10s, 2, 4, core::Reason::Grow);
  told.look(15s, 4, 6, core::Reason::Grow);
  told.look(20s, 6, 6);
  const auto decisions = told.detail().decisions;
  REQUIRE(decisions.size() == 4);
  CHECK(decisions[0].to == 6);
  CHECK(decisions[1].from == 4);
  CHECK(decisions[2].from == 2);
  CHECK(decisions[3].since == kStart);
  CHECK(decisions[3].sentence == "at " + std::to_string(150.0));
}

TEST_CASE("changes are told once, a ScaledCache that went as well") {
  Told told;
  told.look(0s, 2, 2);
  told.look(5s, 2, 2);
  CHECK(told.book.take_changes().caches.size() == 1);
  CHECK(told.book.take_changes().caches.empty());
  told.book.forget("blog/web");
  told.book.forget("blog/never-seen");
  const PageChanges changes = told.book.take_changes();
  CHECK(changes.caches.empty());
  CHECK(changes.gone == std::vector<std::string>{"blog/web"});
  CHECK_FALSE(told.book.find("blog/web"));
  CHECK(told.book.all().empty());
}

TEST_CASE("a failure is a change, and leaves the past alone") {
  Told told;
  told.look(0s, 2, 2);
  (void)told.book.take_changes();
  told.book.note_failure(told.cache, told.status, {ErrorCode::Forbidden, "no"}, kStart + 5s);
  CHECK(told.book.take_changes().caches.size() == 1);
  CHECK(told.detail().points.size() == 1);
  CHECK(told.detail().cache->sentence == "no");
}

TEST_CASE("an event holds rows and nothing that would end it early") {
  Told told;
  told.cache.meta.name = "line\nbreak";
  told.look(0s, 2, 3, core::Reason::Grow, 1234.56789);
  const std::string event =
      page_event("all", {"1.2.3", "pod-0", true, kStart}, {told.book.all(), {"blog/old"}});
  REQUIRE(event.starts_with("event: all\ndata: "));
  REQUIRE(event.ends_with("}\n\n"));
  CHECK(event.find('\n', 17) == event.size() - 2);
  const Json data = Json::parse(event.substr(17));
  CHECK(data["leads"] == true);
  CHECK(data["now"] == kStart.time_since_epoch().count());
  CHECK(data["gone"] == Json::array({"blog/old"}));
  REQUIRE(data["rows"].size() == 1);
  CHECK(data["rows"][0]["key"] == "blog/line\nbreak");
  CHECK(data["rows"][0]["rate"] == 1234.568);
  CHECK(data["rows"][0]["desired"] == 3);
}

TEST_CASE("the detail has the points in columns and numbers that JSON can hold") {
  Told told;
  told.look(0s, 2, 2, core::Reason::Steady, std::numeric_limits<double>::infinity());
  told.look(5s, 2, 2);
  const Json detail = page_detail(told.detail());
  CHECK(detail["points"]["second"].size() == 2);
  CHECK(detail["points"]["rate"][0].is_null());
  CHECK(detail["points"]["rate"][1] == 100);
  CHECK(detail["points"]["perReplica"][1] == 200);
  CHECK(detail["signals"][0]["name"] == "requests");
  CHECK(detail["decisions"][0]["reason"] == core::name_of(core::Reason::Steady));
}

}  // namespace
}  // namespace scaledcache::controller
