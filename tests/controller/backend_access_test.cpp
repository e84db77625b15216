#include "controller/backend_access.h"

#include <doctest/doctest.h>

#include "k8s/base64.h"
#include "k8s/credentials.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;
using http::Method;

constexpr const char* kSecret = "https://api/api/v1/namespaces/shop/secrets/vm";
constexpr const char* kAccount = "https://api/api/v1/namespaces/shop/serviceaccounts/reader";

TEST_CASE("an origin is allowed by scheme, host and port") {
  struct Row {
    const char* name;
    const char* list;
    const char* url;
    bool want;
  };

  for (const Row& row : {
           Row{"the same", "https://vm.example:8427", "https://vm.example:8427/select/0", true},
           Row{"the scheme's own port", "https://vm.example", "https://vm.example:443/", true},
           Row{"one of several", "https://a, https://b ,https://c", "https://b/x", true},
           Row{"a path in the list means nothing", "https://a/x", "https://a/y", true},
           Row{"another case", "https://VM.example", "https://vm.EXAMPLE", true},
           Row{"another port", "https://vm.example:8427", "https://vm.example", false},
           Row{"another scheme", "https://vm.example:80", "http://vm.example:80", false},
           Row{"a longer name", "https://vm.example", "https://vm.example.evil.com", false},
           Row{"a subdomain", "https://example", "https://vm.example", false},
           Row{"nothing", "", "https://vm.example", false},
           Row{"a star", "*", "https://vm.example", false},
           Row{"no URL", "vm.example", "https://vm.example", false},
       }) {
    SUBCASE(row.name) {
      CHECK(origin_is_allowed(row.list, row.url) == row.want);
    }
  }
}

struct Rig {
  support::FakeClock clock;
  support::ScriptedTransport transport;
  k8s::Credentials credentials{{}, clock};
  k8s::ApiServer server{"https://api", credentials, "test"};
  k8s::KubeClient client{transport, server, clock, {}};
  BackendAccess access{client, clock};
  std::string url = "https://vm.example/select";

  // A Secret that allows `origins`, with these bytes under "key".
  void expect_secret(const std::string& value, const char* origins = "https://vm.example") {
    const Json secret{{"metadata", {{"annotations", {{kAllowedOrigins, origins}}}}},
                      {"data", {{"key", k8s::encode_base64(value)}}}};
    transport.expect({Method::Get, kSecret, "", support::json_response(200, secret.dump())});
  }

  Result<std::vector<prom::SecretHeader>> ask(const k8s::AuthSpec& auth) {
    return access.headers({"shop", auth, url}, {});
  }
};

k8s::AuthSpec bearer() {
  k8s::AuthSpec auth;
  auth.bearer_secret = k8s::KeyRef{"vm", "key"};
  return auth;
}

TEST_CASE("each kind of credential becomes a header") {
  Rig rig;
  rig.expect_secret("hunter2\n");
  k8s::AuthSpec basic;
  basic.basic = k8s::AuthSpec::Basic{"me", {"vm", "key"}};
  k8s::AuthSpec header;
  header.header = k8s::AuthSpec::HeaderValue{"X-Scope-OrgID", {"vm", "key"}};

  struct Row {
    const char* name;
    k8s::AuthSpec auth;
    prom::SecretHeader want;
  };

  for (const Row& row :
       {Row{"bearer", bearer(), {"Authorization", Secret<std::string>("Bearer hunter2")}},
        Row{"basic", basic, {"Authorization", Secret<std::string>("Basic bWU6aHVudGVyMg==")}},
        Row{"header", header, {"X-Scope-OrgID", Secret<std::string>("hunter2")}}}) {
    CAPTURE(row.name);
    const auto headers = rig.ask(row.auth);
    REQUIRE(headers);
    CHECK(*headers == std::vector<prom::SecretHeader>{row.want});
  }
  CHECK(rig.ask({})->empty());
}

TEST_CASE("a Secret is read again after a minute, and never listed") {
  Rig rig;
  rig.expect_secret("one");
  REQUIRE(rig.ask(bearer()));
  rig.clock.advance(59s);
  CHECK(rig.ask(bearer())->front().value.reveal() == "Bearer one");
  rig.clock.advance(1s);
  rig.expect_secret("two");
  CHECK(rig.ask(bearer())->front().value.reveal() == "Bearer two");
}

TEST_CASE(
    "a Secret that does not name the backend is not sent, and the sentence tells nothing of it") {
  for (const char* origins : {"", "https://other.example", "http://vm.example"}) {
    Rig rig;
    rig.expect_secret("hunter2", origins);
    const auto headers = rig.ask(bearer());
    REQUIRE_FALSE(headers);
    CHECK(headers.error().code == ErrorCode::Forbidden);
    CHECK(headers.error().message.find("hunter2") == std::string::npos);
    CHECK(headers.error().message.find("Secret shop/vm does not allow") == 0);
  }
}

TEST_CASE("credentials are not sent over plain http unless that is allowed") {
  Rig rig;
  rig.url = "http://vm.example";
  CHECK(rig.ask(bearer()).error().code == ErrorCode::Invalid);
  rig.expect_secret("hunter2", "http://vm.example");
  k8s::AuthSpec insecure = bearer();
  insecure.allow_insecure = true;
  CHECK(rig.ask(insecure));
}

TEST_CASE("what is missing is named") {
  Rig rig;
  rig.transport.expect({Method::Get, kSecret, "", support::json_response(404, "{}")});
  CHECK(rig.ask(bearer()).error().code == ErrorCode::NotFound);
  rig.expect_secret("");
  CHECK(rig.ask(bearer()).error() ==
        Error{ErrorCode::NotFound, "Secret shop/vm has nothing under the key key"});
}

TEST_CASE(
    "a service account's token is asked for with its audience, and kept for most of its life") {
  Rig rig;
  k8s::AuthSpec auth;
  auth.bearer_service_account = k8s::AuthSpec::ServiceAccount{"reader", "vm"};
  const Json account{{"metadata", {{"annotations", {{kAllowedOrigins, "https://vm.example"}}}}}};
  const auto expect_account = [&](const Json& object) {
    rig.transport.expect({Method::Get, kAccount, "", support::json_response(200, object.dump())});
  };
  const auto expect_token = [&](const char* token) {
    rig.transport.expect(
        {Method::Post, std::string(kAccount) + "/token?fieldManager=scaledcache-operator",
         R"("audiences":["vm"])",
         support::json_response(201, Json{{"status", {{"token", token}}}}.dump())});
  };
  expect_account(account);
  expect_token("t1");
  CHECK(rig.ask(auth)->front().value.reveal() == "Bearer t1");
  CHECK(rig.ask(auth)->front().value.reveal() == "Bearer t1");
  rig.clock.advance(48min);
  expect_account(account);
  expect_token("t2");
  CHECK(rig.ask(auth)->front().value.reveal() == "Bearer t2");
  rig.clock.advance(2min);
  expect_account({{"metadata", Json::object()}});  // it was withdrawn
  CHECK(rig.ask(auth).error().code == ErrorCode::Forbidden);
}

}  // namespace
}  // namespace scaledcache::controller
