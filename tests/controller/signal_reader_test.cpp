// What one signal asks of its backend, and how the answers become a reading.
#include "controller/signal_reader.h"

#include <functional>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "k8s/base64.h"
#include "k8s/credentials.h"
#include "k8s/spec_policy.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kCreated = "2026-01-01T00:00:00Z";

using namespace std::chrono_literals;

Json number(double value) {
  return {{"status", "success"},
          {"data", {{"resultType", "scalar"}, {"result", {0, std::to_string(value)}}}}};
}

// Answers each query by a function, and keeps the queries in order.
class Backend final : public http::HttpTransport {
 public:
  std::function<Json(const std::string& query)> answer;
  std::vector<std::string> queries;
  std::vector<std::string> authorizations;
  std::string date;

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    const std::string query = query_of(request);
    queries.push_back(query);
    authorizations.emplace_back(http::find_header(request.headers, "Authorization"));
    http::Response response{200, {{"Content-Type", "application/json"}}, answer(query).dump()};
    if (!date.empty()) {
      response.headers.push_back({"Date", date});
    }
    return response;
  }

 private:
  // The value of `query` in the URL, with its escapes undone.
  static std::string query_of(const http::Request& request) {
    const std::string form = "&" + request.url.substr(request.url.find('?') + 1);
    const std::size_t start = form.find("&query=") + 7;
    std::string text;
    for (std::size_t at = start; at < form.size() && form[at] != '&'; ++at) {
      if (form[at] == '%') {
        text += static_cast<char>(std::stoi(form.substr(at + 1, 2), nullptr, 16));
        at += 2;
      } else {
        text += form[at] == '+' ? ' ' : form[at];
      }
    }
    return text;
  }
};

struct World {
  SignalAnswer read(const char* spec, std::vector<core::PodFacts> pods = {}) {
    const k8s::ScaledCache cache = cache_of("blog", kCreated, spec);
    REQUIRE(cache.valid());
    const core::Policy policy = k8s::to_policy(cache.spec);
    const core::History history = core::first_history(clock.wall());
    QueryOptions options;
    options.backend_url = "http://store";
    SignalReader reader{{client, clock, metrics, {access}}, options};
    return reader.read({cache, cache.spec.signals[0], policy.signals[0], policy, history, pods},
                       {});
  }

  // A matrix of one series per pod, whose newest sample is from `newest`; 100 req/s each.
  static Json matrix(const std::vector<std::string>& pods, WallTime newest) {
    Json result = Json::array();
    const auto end = newest.time_since_epoch().count() / 1000;
    for (const std::string& pod : pods) {
      Json values = Json::array();
      for (std::int64_t at = end - 300; at <= end; at += 5) {
        values.push_back({at, std::to_string(1e6 + 100.0 * static_cast<double>(at - end + 300))});
      }
      result.push_back({{"metric", {{"namespace", "blog"}, {"pod", pod}}}, {"values", values}});
    }
    return {{"status", "success"}, {"data", {{"resultType", "matrix"}, {"result", result}}}};
  }

  [[nodiscard]] core::PodFacts pod(const std::string& name, bool baseline) const {
    core::PodFacts facts;
    facts.name = name;
    facts.belongs = !baseline;
    facts.baseline = baseline;
    facts.ready = true;
    facts.ready_since = clock.wall() - 1h;
    facts.container_started = clock.wall() - 1h;
    return facts;
  }

  support::FakeClock clock;
  Backend backend;
  Metrics metrics{"test"};
  prom::BackendClient client{backend, clock};
  BackendAccess* access = nullptr;
};

constexpr const char* kQuery =
    R"({"signals": [{"query": "demand", "ageQuery": "age[$window]", "requestsPerReplica": 1}]})";
constexpr const char* kBaseline =
    R"({"baseline": {"selector": {"matchLabels": {"app": "web"}}, "requestsPerReplica": 100}})";

TEST_CASE("an ageQuery tells how old a query's number is") {
  World world;
  world.backend.answer = [](const std::string& query) {
    return number(query == "demand" ? 500 : 12.5);
  };
  const SignalAnswer answer = world.read(kQuery);
  CHECK(answer.reading.health == core::Health::Fresh);
  CHECK(answer.reading.short_rate == 500);
  CHECK(answer.reading.sample_age == 12'500ms);
  REQUIRE(world.backend.queries.size() >= 2);
  CHECK(world.backend.queries[1] == "age[30s]");
}

TEST_CASE("a number that is too old by its ageQuery is stale") {
  World world;
  world.backend.answer = [](const std::string& query) {
    return number(query == "demand" ? 500 : 3600);
  };
  const SignalAnswer answer = world.read(kQuery);
  CHECK(answer.reading.health == core::Health::Stale);
  CHECK(answer.reading.fault == core::Fault::TooOld);
}

TEST_CASE("a number without the age that it should have is of no use") {
  World world;
  world.backend.answer = [](const std::string& query) {
    return query == "demand" ? number(500) : World::matrix({}, WallTime{});
  };
  const SignalAnswer answer = world.read(kQuery);
  CHECK_FALSE(core::is_usable(answer.reading.health));
  CHECK(answer.error.starts_with("ageQuery: "));
}

TEST_CASE("counters that stand still are held against the caches' uptime") {
  struct Row {
    const char* name;
    bool uptime_moves;
    core::Pulse want;
  };

  for (const Row& row : {Row{"visitors stay away", true, core::Pulse::Moving},
                         Row{"the exporter stands still", false, core::Pulse::Still}}) {
    SUBCASE(row.name) {
      World world;
      world.backend.answer = [&](const std::string& query) {
        Json answer = World::matrix({"varnish-5d-abcde"}, world.clock.wall());
        if (query.starts_with("varnish_main_uptime") && row.uptime_moves) {
          return answer;
        }
        Json& values = answer["data"]["result"][0]["values"];
        for (std::size_t i = 57; i < values.size(); ++i) {
          values[i][1] = values[57][1];
        }
        return answer;
      };
      const SignalAnswer answer =
          world.read(R"({"signals": [{"preset": "Varnish", "requestsPerReplica": 1}]})",
                     {world.pod("varnish-5d-abcde", false)});
      CHECK(answer.reading.standing_still);
      CHECK(answer.reading.pulse == row.want);
    }
  }
}

TEST_CASE("nobody asks for the uptime of caches whose counters move") {
  World world;
  world.backend.answer = [&](const std::string&) {
    return World::matrix({"varnish-5d-abcde"}, world.clock.wall());
  };
  const SignalAnswer answer =
      world.read(R"({"signals": [{"preset": "Varnish", "requestsPerReplica": 1}]})",
                 {world.pod("varnish-5d-abcde", false)});
  CHECK(answer.reading.pulse == core::Pulse::Unknown);
  for (const std::string& query : world.backend.queries) {
    CHECK(query.find("uptime") == std::string::npos);
  }
}

TEST_CASE("our own requests are taken off where the preset's counter shows them") {
  struct Row {
    const char* name;
    const char* signal;
    double want;
  };

  for (const Row& row :
       {Row{"preset", R"({"preset": "Varnish", "requestsPerReplica": 1})", 90},
        Row{"preset that counts no HTTP", R"({"preset": "Redis", "requestsPerReplica": 1})", 100},
        Row{"a part of the counter",
            R"({"preset": "HAProxy", "requestsPerReplica": 1,
                "counter": {"matchers": "proxy=\"web\""}})",
            100},
        Row{"counter without a preset", R"({"counter": {"metric": "x"}, "requestsPerReplica": 1})",
            100}}) {
    SUBCASE(row.name) {
      World world;
      world.backend.answer = [&](const std::string& query) {
        const auto now = static_cast<double>(world.clock.wall().time_since_epoch().count());
        return query == "time()" ? number(now / 1000)
                                 : World::matrix({"varnish-5d-abcde"}, world.clock.wall());
      };
      core::PodFacts pod = world.pod("varnish-5d-abcde", false);
      for (auto second = world.clock.wall() - 300s; second < world.clock.wall(); second += 1s) {
        pod.own.push_back({second, 10});
      }
      const std::string spec = std::string(R"({"signals": [)") + row.signal + "]}";
      CHECK(world.read(spec.c_str(), {pod}).reading.short_rate == doctest::Approx(row.want));
    }
  }
}

TEST_CASE("the baseline's pods are asked for beside the target's, and are not foreign") {
  World world;
  world.backend.answer = [&](const std::string& query) {
    return query == "time()"
               ? number(0)
               : World::matrix({"varnish-5d-abcde", "edge-x1y2z"}, world.clock.wall());
  };
  const SignalAnswer answer =
      world.read(kBaseline, {world.pod("varnish-5d-abcde", false), world.pod("edge-x1y2z", true)});
  CHECK(world.backend.queries[0].find(R"(pod=~"varnish-[a-z0-9]+-[a-z0-9]{5}|edge-[a-z0-9]+")") !=
        std::string::npos);
  CHECK(answer.reading.health == core::Health::Fresh);
  CHECK(answer.reading.foreign_series == 0);
  CHECK(answer.reading.baseline_covered == 1);
  CHECK(answer.reading.short_rate == doctest::Approx(200));
}

TEST_CASE("without a Date header the backend's own time() tells how old its samples are") {
  World world;
  const auto theirs = [&] { return world.clock.wall() + 1h; };  // their clock is an hour ahead
  world.backend.answer = [&](const std::string& query) {
    return query == "time()"
               ? number(static_cast<double>(theirs().time_since_epoch().count()) / 1000)
               : World::matrix({"varnish-5d-abcde"}, theirs() - 7s);
  };
  const SignalAnswer answer = world.read("{}", {world.pod("varnish-5d-abcde", false)});
  CHECK(world.backend.queries.at(1) == "time()");
  REQUIRE(answer.reading.sample_age);
  CHECK(*answer.reading.sample_age >= 6s);
  CHECK(*answer.reading.sample_age <= 8s);
  CHECK(answer.reading.health == core::Health::Fresh);
}

TEST_CASE("with a Date header nobody is asked for the time") {
  World world;
  world.backend.date = "Thu, 01 Jan 2026 00:00:00 GMT";
  world.backend.answer = [&](const std::string&) {
    return World::matrix({"varnish-5d-abcde"}, world.clock.wall());
  };
  (void)world.read("{}", {world.pod("varnish-5d-abcde", false)});
  for (const std::string& query : world.backend.queries) {
    CHECK(query != "time()");
  }
}

TEST_CASE("what the resource proves itself with goes with every query") {
  World world;
  support::ScriptedTransport api;
  k8s::Credentials credentials{{}, world.clock};
  const k8s::ApiServer server{"https://api", credentials, "test"};
  k8s::KubeClient api_client{api, server, world.clock, {}};
  BackendAccess access{api_client, world.clock};
  const Json secret{{"metadata", {{"annotations", {{kAllowedOrigins, "https://store"}}}}},
                    {"data", {{"token", k8s::encode_base64("hunter2")}}}};
  api.expect({http::Method::Get, "https://api/api/v1/namespaces/blog/secrets/vm", "",
              support::json_response(200, secret.dump())});
  world.access = &access;
  world.backend.answer = [](const std::string&) { return number(7); };
  const SignalAnswer answer = world.read(R"({
      "backend": {"address": "https://store",
                  "auth": {"bearer": {"secretRef": {"name": "vm", "key": "token"}}}},
      "signals": [{"query": "demand", "ageQuery": "age", "requestsPerReplica": 1}]})");
  CHECK(answer.error.empty());
  CHECK(world.backend.authorizations ==
        std::vector<std::string>(world.backend.queries.size(), "Bearer hunter2"));
  CHECK(world.backend.queries.size() >= 2);
}

TEST_CASE("what cannot be shown to the backend is an error, and the backend is not asked") {
  for (
      const char* backend :
      {R"({"name": "central"})", R"({"address": "https://store", "tls": {"serverName": "vm"}})",
       R"({"address": "https://store", "auth": {"bearer": {"secretRef": {"name": "a", "key": "b"}}}})"}) {
    CAPTURE(backend);
    World world;
    const SignalAnswer answer =
        world.read((R"({"backend": )" + std::string(backend) + "}").c_str());
    CHECK(answer.error.find("spec.backend.") == 0);
    CHECK(answer.ready_reason == "InvalidSpec");
    CHECK(answer.reading.health != core::Health::Fresh);
    CHECK(world.backend.queries.empty());
  }
}

}  // namespace
}  // namespace scaledcache::controller
