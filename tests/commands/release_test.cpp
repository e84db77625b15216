#include "controller/commands/release.h"

#include <doctest/doctest.h>

#include "commands/cache_sample.h"
#include "commands/run.h"
#include "commands/server.h"

namespace scaledcache::controller::test {
namespace {

constexpr const char* kPods = "/api/v1/pods?limit=500";
constexpr const char* kCaches = "/apis/scaledcache.io/v1alpha1/scaledcaches?limit=500";

std::string list_of(const std::vector<Json>& items) {
  return dump_json({{"kind", "List"},
                    {"apiVersion", "v1"},
                    {"metadata", {{"resourceVersion", "1"}}},
                    {"items", items}});
}

// `gate` is the status of our condition; empty: nobody has written it.
Json pod(const std::string& name, const std::string& gate, bool has_gate = true) {
  Json gates = Json::array();
  if (has_gate) {
    gates.push_back({{"conditionType", "scaledcache.io/cache-warm"}});
  }
  Json conditions = Json::array();
  if (!gate.empty()) {
    conditions.push_back({{"type", "scaledcache.io/cache-warm"}, {"status", gate}});
  }
  return {{"metadata", {{"name", name}, {"namespace", "web"}, {"uid", "u-" + name}}},
          {"spec", {{"readinessGates", gates}}},
          {"status", {{"phase", "Running"}, {"conditions", conditions}}}};
}

Json cache(const Json& finalizers) {
  return {{"metadata",
           {{"name", "blog"},
            {"namespace", "web"},
            {"uid", "u-1"},
            {"resourceVersion", "7"},
            {"finalizers", finalizers}}}};
}

void expect_patch(Server& api, const std::string& path, const std::string& part, int status) {
  const std::string body = status == 200 ? "{}" : R"({"kind":"Status"})";
  api.transport.expect(
      {http::Method::Patch, "https://api:6443" + path, part, support::json_response(status, body)});
}

}  // namespace

TEST_CASE("what waits behind a gate is let go, whoever put the gate there, and nothing else") {
  Server api;
  api.answer(kPods, 200,
             list_of({pod("shut", "False"), pod("new", ""), pod("open", "True"),
                      pod("foreign", "", false)}));
  expect_patch(api, "/api/v1/namespaces/web/pods/shut/status?fieldManager=scaledcache-gate",
               "NotManaged", 200);
  expect_patch(api, "/api/v1/namespaces/web/pods/new/status?fieldManager=scaledcache-gate",
               "NotManaged", 200);
  api.answer(kCaches, 404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  api.answer(kPods, 200, list_of({pod("shut", "True"), pod("new", "True")}));
  api.answer(kCaches, 404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  const auto released = release_all(api.client, "", kNow);
  REQUIRE(released);
  CHECK(released->pods == std::vector<std::string>{"web/shut", "web/new"});
  CHECK(released->failures.empty());
}

TEST_CASE("our finalizer goes, and those of others stay") {
  Server api;
  api.answer(kPods, 200, list_of({}));
  api.answer(kCaches, 200,
             list_of({cache({"scaledcache.io/restore-replicas", "example.com/theirs"})}));
  expect_patch(api,
               "/apis/scaledcache.io/v1alpha1/namespaces/web/scaledcaches/blog"
               "?fieldManager=scaledcache-operator",
               R"("finalizers":["example.com/theirs"])", 200);
  api.answer(kPods, 200, list_of({}));
  api.answer(kCaches, 200, list_of({cache({"example.com/theirs"})}));
  const auto released = release_all(api.client, "", kNow);
  REQUIRE(released);
  CHECK(released->caches == std::vector<std::string>{"web/blog"});
  CHECK(released->failures.empty());
}

TEST_CASE("a pod that is gone by then is no failure, and one that may not be written is") {
  Server api;
  int looks = 0;
  const auto expect_look = [&](int status) {
    api.answer(kPods, 200, list_of({pod("shut", "False")}));
    expect_patch(api, "/api/v1/namespaces/web/pods/shut/status?fieldManager=scaledcache-gate",
                 "NotManaged", status);
    api.answer(kCaches, 200, list_of({}));
    ++looks;
  };
  SUBCASE("gone") {
    expect_look(404);
    api.answer(kPods, 200, list_of({}));
    api.answer(kCaches, 200, list_of({}));
    const auto released = release_all(api.client, "", kNow);
    REQUIRE(released);
    CHECK(released->pods.empty());
    CHECK(released->failures.empty());
  }
  SUBCASE("forbidden") {
    while (looks < 5) {
      expect_look(403);
    }
    const auto released = release_all(api.client, "", kNow);
    REQUIRE(released);
    REQUIRE(released->failures.size() == 1);
    CHECK(has(released->failures.front(), "/api/v1/namespaces/web/pods/shut/status"));
  }
}

TEST_CASE("without the right to list pods nothing is claimed") {
  Server api;
  api.answer(kPods, 403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
  CHECK_FALSE(release_all(api.client, "", kNow));
}

}  // namespace scaledcache::controller::test
