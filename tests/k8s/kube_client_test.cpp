#include "k8s/kube_client.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "k8s/credentials.h"
#include "k8s/jumping_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::k8s {
namespace {

using http::Method;
using support::json_response;

struct Rig {
  JumpingClock clock;
  int token_reads = 0;
  Credentials credentials{config(), clock, [this](const std::string&) {
                            ++token_reads;
                            return Result<std::string>("t" + std::to_string(token_reads));
                          }};
  ApiServer server{"https://api:6443", credentials, user_agent_of("1.2.3")};
  support::ScriptedTransport transport;
  std::vector<std::string> warnings;
  KubeClient client{transport, server, clock, options()};

  static ClusterConfig config() {
    ClusterConfig config;
    config.token_file = "/token";
    return config;
  }

  KubeClient::Options options() {
    KubeClient::Options options;
    options.on_warning = [this](std::string_view text) { warnings.emplace_back(text); };
    return options;
  }

  void expect(Method method,
              const std::string& path,
              Result<http::Response> answer,
              std::string body = "") {
    transport.expect({method, "https://api:6443" + path, std::move(body), std::move(answer)});
  }

  std::string header(std::size_t request, std::string_view name) const {
    return std::string(http::find_header(transport.sent()[request].headers, name));
  }
};

TEST_CASE("each verb has its method, media type and field manager") {
  Rig rig;
  rig.expect(Method::Get, "/a", json_response(200, R"({"x":1})"));
  rig.expect(Method::Patch, "/a/scale?fieldManager=me", json_response(200, "{}"), R"([{"op"}])");
  rig.expect(Method::Post, "/as?fieldManager=me", json_response(201, "{}"), "new");
  rig.expect(Method::Put, "/a?fieldManager=me", json_response(200, "{}"), "whole");
  const auto got = rig.client.get("/a");
  REQUIRE(got);
  CHECK(integer_member(*got, "x", 0) == 1);
  CHECK(rig.client.patch({"/a/scale", {kJsonPatch, R"([{"op"}])"}, "me"}));
  CHECK(rig.client.post({"/as", "new", "me"}));
  CHECK(rig.client.put({"/a", "whole", "me"}));
  CHECK(rig.header(0, "Content-Type").empty());
  CHECK(rig.header(1, "Content-Type") == "application/json-patch+json");
  CHECK(rig.header(2, "Content-Type") == "application/json");
  CHECK(rig.header(3, "Content-Type") == "application/json");
}

TEST_CASE("every request says who asks and what it reads") {
  Rig rig;
  rig.expect(Method::Get, "/a", json_response(200, "{}"));
  CHECK(rig.client.get("/a"));
  CHECK(rig.header(0, "Authorization") == "Bearer t1");
  CHECK(rig.header(0, "Accept") == "application/json");
  CHECK(rig.header(0, "User-Agent").find("scaledcache/1.2.3 (linux/") == 0);
}

TEST_CASE("D7: a 401 is retried once with fresh credentials") {
  Rig rig;
  SUBCASE("which succeeds") {
    rig.expect(Method::Get, "/a", json_response(401, ""));
    rig.expect(Method::Get, "/a", json_response(200, "{}"));
    CHECK(rig.client.get("/a"));
    CHECK(rig.header(1, "Authorization") == "Bearer t2");
  }
  SUBCASE("which fails, and is not retried again") {
    rig.expect(Method::Get, "/a", json_response(401, ""));
    rig.expect(Method::Get, "/a", json_response(401, ""));
    const auto got = rig.client.get("/a");
    REQUIRE_FALSE(got);
    CHECK(got.error().code == ErrorCode::Unauthorized);
  }
}

TEST_CASE("failures come back as they are, and nothing else is retried") {
  struct Row {
    const char* name;
    Result<http::Response> answer;
    ErrorCode want;
  };

  const std::vector<Row> rows{
      {"404", json_response(404, ""), ErrorCode::NotFound},
      {"409", json_response(409, ""), ErrorCode::Conflict},
      {"422", json_response(422, ""), ErrorCode::Invalid},
      {"500", json_response(500, ""), ErrorCode::Unavailable},
      {"504", json_response(504, ""), ErrorCode::Timeout},
      {"a redirect", json_response(307, ""), ErrorCode::Protocol},
      {"D21: a page of a proxy", json_response(200, "<html>"), ErrorCode::Protocol},
      {"a body that is cut off", json_response(200, R"({"a":)"), ErrorCode::Protocol},
      {"D16: nested too deep", json_response(200, std::string(100'000, '[')), ErrorCode::Protocol},
      {"a lost connection", Error{ErrorCode::Unavailable, "reset"}, ErrorCode::Unavailable},
      {"the deadline", Error{ErrorCode::Timeout, "late"}, ErrorCode::Timeout},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      Rig rig;
      rig.expect(Method::Get, "/a", row.answer);
      const auto got = rig.client.get("/a");
      REQUIRE_FALSE(got);
      CHECK(name_of(got.error().code) == name_of(row.want));
    }
  }
}

TEST_CASE("a failed test of a JSON patch is a conflict where the caller says so") {
  Rig rig;
  rig.expect(Method::Patch, "/a/scale?fieldManager=me", json_response(422, ""));
  const auto patched =
      rig.client.patch({"/a/scale", {kJsonPatch, "[]"}, "me", Unprocessable::Conflict});
  REQUIRE_FALSE(patched);
  CHECK(patched.error().code == ErrorCode::Conflict);
}

std::string page(const std::string& name, const std::string& token) {
  return R"({"metadata":{"resourceVersion":"7","continue":")" + token + R"("},"items":[{"name":")" +
         name + R"("}]})";
}

TEST_CASE("a list is read to its last page, selectors repeated") {
  Rig rig;
  rig.expect(Method::Get, "/a?labelSelector=x&limit=500", json_response(200, page("a", "p2")));
  rig.expect(Method::Get, "/a?labelSelector=x&limit=500&continue=p2",
             json_response(200, page("b", "")));
  const auto list = rig.client.list("/a?labelSelector=x");
  REQUIRE(list);
  CHECK(list->resource_version == "7");
  REQUIRE(list->items.size() == 2);
  CHECK(string_member(list->items[1], "name") == "b");
}

TEST_CASE("D2: a page token that expired starts again without pages") {
  Rig rig;
  rig.expect(Method::Get, "/a?limit=500", json_response(200, page("a", "p2")));
  rig.expect(Method::Get, "/a?limit=500&continue=p2", json_response(410, ""));
  rig.expect(Method::Get, "/a", json_response(200, page("a", "")));
  const auto list = rig.client.list("/a");
  REQUIRE(list);
  CHECK(list->items.size() == 1);
}

TEST_CASE("a list whose pages never end is refused") {
  Rig rig;
  rig.expect(Method::Get, "/a?limit=500", json_response(200, page("a", "p")));
  rig.expect(Method::Get, "/a?limit=500&continue=p", json_response(200, page("a", "p")));
  const auto list = rig.client.list("/a");
  REQUIRE_FALSE(list);
  CHECK(list.error().code == ErrorCode::Protocol);
}

TEST_CASE("warnings of the server are handed on, quotes taken off") {
  Rig rig;
  http::Response answer = json_response(200, "{}");
  answer.headers.push_back({"warning", R"(299 - "v1 is \"old\"\, use v2")"});
  answer.headers.push_back({"Warning", "plain\n"});
  answer.headers.push_back({"Warnings", "299 - \"no\""});
  rig.expect(Method::Get, "/a", answer);
  CHECK(rig.client.get("/a"));
  CHECK(rig.warnings == std::vector<std::string>{"v1 is \"old\", use v2", "plain\\x0a"});
}

TEST_CASE("requests beyond the burst wait for their turn") {
  Rig rig;
  for (int i = 0; i < 52; ++i) {
    rig.expect(Method::Get, "/a", json_response(200, "{}"));
    CHECK(rig.client.get("/a"));
  }
  CHECK(rig.clock.waited() == Milliseconds{100});
}

TEST_CASE("a stop ends a request before it is sent") {
  Rig rig;
  std::stop_source stop;
  stop.request_stop();
  const auto got = rig.client.get("/a", stop.get_token());
  REQUIRE_FALSE(got);
  CHECK(got.error().code == ErrorCode::Cancelled);
  CHECK(rig.transport.sent().empty());
}

TEST_CASE("nothing is written outside the write window, and no write outlasts it") {
  using namespace std::chrono_literals;
  Rig rig;
  std::chrono::milliseconds window = 3s;
  KubeClient client(rig.transport, rig.server, rig.clock,
                    {.timeout = 5s, .write_window = [&] { return window; }});
  rig.expect(Method::Put, "/a?fieldManager=me", json_response(200, "{}"));
  rig.expect(Method::Get, "/a", json_response(200, "{}"));
  rig.expect(Method::Post, "/as?fieldManager=me", json_response(201, "{}"));
  CHECK(client.put({"/a", "x", "me"}));
  CHECK(client.get("/a"));
  window = 9s;
  CHECK(client.post({"/as", "x", "me"}));
  CHECK(rig.transport.sent()[0].timeout == 3s);
  CHECK(rig.transport.sent()[1].timeout == 5s);
  CHECK(rig.transport.sent()[2].timeout == 5s);
  for (const auto closed : {0ms, -1ms}) {
    window = closed;
    CHECK(client.put({"/a", "x", "me"}).error().code == ErrorCode::Cancelled);
    CHECK(client.post({"/as", "x", "me"}).error().code == ErrorCode::Cancelled);
    CHECK(client.patch({"/a", {kMergePatch, "{}"}, "me"}).error().code == ErrorCode::Cancelled);
  }
  CHECK(rig.transport.sent().size() == 3);
}

}  // namespace
}  // namespace scaledcache::k8s
