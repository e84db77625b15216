#include "controller/commands/explanation.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "controller/commands/cluster.h"
#include "k8s/resource_samples.h"

#include "commands/cache_sample.h"
#include "commands/run.h"
#include "commands/server.h"

namespace scaledcache::controller::test {
namespace {

Explanation explained(const k8s::ScaledCache& cache, std::vector<PastEvent> events = {}) {
  return explain_cache(cache, std::move(events), kNow + std::chrono::seconds{12});
}

const ToldRule* spoken(const Explanation& explanation) {
  const auto found =
      std::find_if(explanation.rules.begin(), explanation.rules.end(),
                   [](const ToldRule& rule) { return rule.state == RuleState::Spoke; });
  return found == explanation.rules.end() ? nullptr : &*found;
}

TEST_CASE("the text tells decision, signals, rules and what would change them") {
  const std::string text = to_text(explained(cache_with(1900, 1950)), {});
  for (const char* part :
       {"web/blog scales Deployment varnish: 10 replicas, 2 to 20, 10 ready",
        "13:58:00 UTC, 12s ago: 10 -> 10, Steady", "1900 req/s need 10 replicas", "SHORT (30s)",
        "PEAK (5m)", "1,900", "1,950", "> Steady              the short window needs what is there",
        "grows at 2,001 req/s, to 11", "shrinks once the rate stays below 1,7",
        "next shrink not before 14:0"}) {
    CHECK_MESSAGE(has(text, part), part, " in\n", text);
  }
  CHECK_MESSAGE(text.find("What would change it") < text.find("Signals"),
                "first what is asked first");
}

TEST_CASE("rules before the one that spoke were silent, those after it not asked") {
  const Explanation explanation = explained(cache_with(1900, 1950));
  REQUIRE(spoken(explanation) != nullptr);
  CHECK(spoken(explanation)->rule == core::Reason::Steady);
  CHECK(explanation.rules.front().state == RuleState::Silent);
  CHECK(explanation.rules.back().state == RuleState::NotAsked);
}

TEST_CASE("the operator's own reason stands, even where status cannot show why") {
  for (const core::Reason reason : core::kAllReasons) {
    k8s::ScaledCache cache = cache_with(1900, 1950);
    cache.status.last_decision->reason = std::string(core::name_of(reason));
    const Explanation explanation = explained(cache);
    CAPTURE(cache.status.last_decision->reason);
    REQUIRE(spoken(explanation) != nullptr);
    CHECK(explanation.rules.size() > 20);
  }
}

TEST_CASE("a cache that never decided, or cannot be obeyed, says so") {
  k8s::ScaledCache cache = cache_with(0, 0);
  cache.status = {};
  CHECK(has(to_text(explained(cache), {}), "Nothing was decided yet."));
  k8s::ScaledCache broken = cache_with(1900, 1950);
  broken.problems = {{"spec.minReplicas", "is 30, must not be above spec.maxReplicas (20)"}};
  const std::string text = to_text(explained(broken), {});
  CHECK(has(text, "spec.minReplicas is 30, must not be above"));
  CHECK_FALSE(has(text, "What would change it"));
}

TEST_CASE("an operator that went silent is noticed") {
  const Explanation late =
      explain_cache(cache_with(1900, 1950), {}, kNow + std::chrono::minutes{12});
  CHECK(has(to_text(late, {}), "the operator last wrote 12m ago"));
}

TEST_CASE("colours are only put where they are allowed") {
  const Explanation explanation = explained(cache_with(1900, 1950));
  CHECK_FALSE(has(to_text(explanation, {}), "\x1b["));
  CHECK(has(to_text(explanation, {.on = true}), "\x1b[1mweb/blog\x1b[0m"));
}

TEST_CASE("the last ten events come newest first, from both forms of the API") {
  std::vector<Json> events;
  for (int i = 0; i < 12; ++i) {
    events.push_back({{"regarding", {{"kind", "ScaledCache"}, {"name", "blog"}}},
                      {"eventTime", "2026-01-01T13:00:" + std::to_string(10 + i) + ".000000Z"},
                      {"type", "Normal"},
                      {"reason", "ScaledUp"},
                      {"note", std::to_string(i)}});
  }
  events.push_back({{"involvedObject", {{"kind", "ScaledCache"}, {"name", "blog"}}},
                    {"lastTimestamp", "2026-01-01T13:30:00Z"},
                    {"type", "Warning"},
                    {"reason", "MetricsLost"},
                    {"message", "gone"}});
  events.push_back(
      {{"regarding", {{"kind", "Pod"}, {"name", "blog"}}}, {"eventTime", "2026-01-01T13:59:00Z"}});
  const auto past = past_of(events, cache_with(1, 1));
  REQUIRE(past.size() == 10);
  CHECK(past[0].reason == "MetricsLost");
  CHECK(past[0].warning);
  CHECK(past[1].note == "11");
  CHECK(has(to_text(explained(cache_with(1900, 1950), past), {}), "MetricsLost        gone"));
}

TEST_CASE("scripts get the same as JSON") {
  const OrderedJson told = to_json(explained(cache_with(1900, 1950)));
  CHECK(told["decision"]["reason"] == "Steady");
  CHECK(told["signals"][0]["peak"] == 1950);
  CHECK(told["outlook"]["grows"][0]["to"] == 11);
  CHECK(told["outlook"]["shrinks"]["heldBy"] == "CoolingDown");
  CHECK(told["rules"].size() > 20);
}

constexpr const char* kCachePath = "/apis/scaledcache.io/v1alpha1/namespaces/web/scaledcaches/blog";
constexpr const char* kEventsPath =
    "/apis/events.k8s.io/v1/namespaces/web/events?fieldSelector=regarding.name%3Dblog&limit=500";

TEST_CASE("one cache and its events are read; events that may not be read are left out") {
  for (const int status : {200, 403}) {
    Server api;
    api.answer(kCachePath, 200, k8s::scaled_cache_object(k8s::minimal_spec()).dump());
    api.answer(kEventsPath, status,
               status == 200 ? R"({"kind":"EventList","apiVersion":"events.k8s.io/v1",
                                   "metadata":{"resourceVersion":"1"},"items":[{"note":"x"}]})"
                             : R"({"kind":"Status","code":403,"reason":"Forbidden"})");
    const auto seen = fetch_cache(api.client, "web", "blog");
    REQUIRE(seen);
    CHECK(seen->cache.meta.name == "blog");
    CHECK(seen->events.size() == (status == 200 ? 1 : 0));
  }
}

TEST_CASE("a cache that is not there is an error") {
  Server api;
  api.answer(kCachePath, 404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  const auto seen = fetch_cache(api.client, "web", "blog");
  REQUIRE_FALSE(seen);
  CHECK(seen.error().code == ErrorCode::NotFound);
}

}  // namespace
}  // namespace scaledcache::controller::test
