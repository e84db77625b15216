#include "controller/backend_access.h"

#include <doctest/doctest.h>

#include "k8s/base64.h"
#include "k8s/credentials.h"
#include "support/certificates.h"
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
  std::string space = "shop";

  // A Secret that allows `origins`, with these bytes under "key".
  void expect_secret(const std::string& value, const char* origins = "https://vm.example") {
    const Json secret{{"metadata", {{"annotations", {{kAllowedOrigins, origins}}}}},
                      {"data", {{"key", k8s::encode_base64(value)}}}};
    transport.expect({Method::Get, kSecret, "", support::json_response(200, secret.dump())});
  }

  // A Secret or ConfigMap at `path` with these members of its data, as they stand.
  void expect_object(const char* path, const Json& data, const char* origins) {
    const Json object{{"metadata", {{"annotations", {{kAllowedOrigins, origins}}}}},
                      {"data", data}};
    transport.expect({Method::Get, path, "", support::json_response(200, object.dump())});
  }

  Result<std::shared_ptr<const http::PeerTls>> ask_tls(const k8s::TlsSpec& spec,
                                                       bool by_admin = false) {
    return access.tls({space, url, by_admin}, spec, {});
  }

  Result<std::vector<prom::SecretHeader>> ask(const k8s::AuthSpec& auth) {
    return access.headers({space, url}, auth, {});
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

constexpr const char* kClient = "https://api/api/v1/namespaces/shop/secrets/client";
constexpr const char* kAuthorities = "https://api/api/v1/namespaces/shop/configmaps/ca";
constexpr const char* kOrigin = "https://vm.example";

k8s::TlsSpec client_spec() {
  k8s::TlsSpec spec;
  spec.client_certificate = "client";
  return spec;
}

k8s::TlsSpec authority_spec(bool config_map) {
  k8s::TlsSpec spec;
  spec.ca = k8s::TlsSpec::CaRef{config_map, {"ca", "ca.crt"}};
  return spec;
}

Json client_data(const std::string& certificate, const std::string& key) {
  return {{"tls.crt", k8s::encode_base64(certificate)}, {"tls.key", k8s::encode_base64(key)}};
}

TEST_CASE("a client certificate is shown to the backends that its Secret names, and to no other") {
  const support::Identity me = support::make_identity({});
  const Json data = client_data(support::certificate_pem(me), support::key_pem(me));
  Rig rig;
  rig.expect_object(kClient, data, kOrigin);
  const auto tls = rig.ask_tls(client_spec());
  REQUIRE_MESSAGE(tls, tls.error().message);
  CHECK((*tls)->authorities() == nullptr);
  CHECK(rig.ask_tls(client_spec()).value()->fingerprint() == (*tls)->fingerprint());

  for (const char* origins : {"", "https://other.example", "http://vm.example"}) {
    CAPTURE(origins);
    Rig other;
    other.expect_object(kClient, data, origins);
    const auto refused = other.ask_tls(client_spec());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::Forbidden);
    CHECK(refused.error().message.starts_with("Secret shop/client does not allow"));
  }
}

TEST_CASE("a Secret beside the backend's URL in the admin's file needs no annotation") {
  const support::Identity me = support::make_identity({});
  Rig rig;
  rig.expect_object(kClient, client_data(support::certificate_pem(me), support::key_pem(me)), "");
  CHECK(rig.ask_tls(client_spec(), true));
}

TEST_CASE("a rotated client certificate is shown within a minute") {
  const support::Identity before = support::make_identity({});
  const support::Identity after = support::make_identity({});
  Rig rig;
  rig.expect_object(
      kClient, client_data(support::certificate_pem(before), support::key_pem(before)), kOrigin);
  const std::string first = rig.ask_tls(client_spec()).value()->fingerprint();
  rig.clock.advance(60s);
  rig.expect_object(kClient, client_data(support::certificate_pem(after), support::key_pem(after)),
                    kOrigin);
  CHECK(rig.ask_tls(client_spec()).value()->fingerprint() != first);
}

TEST_CASE("an authority comes from a ConfigMap as it is, from a Secret only where that allows it") {
  const std::string pem = support::certificate_pem(support::make_authority());
  Rig rig;
  rig.expect_object(kAuthorities, {{"ca.crt", pem}}, "");
  CHECK(rig.ask_tls(authority_spec(true)).value()->authorities() != nullptr);
  constexpr const char* kSecretAuthority = "https://api/api/v1/namespaces/shop/secrets/ca";
  rig.expect_object(kSecretAuthority, {{"ca.crt", k8s::encode_base64(pem)}}, "");
  CHECK(rig.ask_tls(authority_spec(false)).error().code == ErrorCode::Forbidden);
  rig.clock.advance(60s);
  rig.expect_object(kSecretAuthority, {{"ca.crt", k8s::encode_base64(pem)}}, kOrigin);
  CHECK(rig.ask_tls(authority_spec(false)).value()->authorities() != nullptr);
}

TEST_CASE("what is wrong with certificates is told with the object that holds them") {
  const support::Identity me = support::make_identity({});
  const support::Identity other = support::make_identity({});
  const std::string certificate = support::certificate_pem(me);

  struct Row {
    const char* name;
    Json data;
    ErrorCode code;
    const char* want;
  };

  for (const Row& row : std::vector<Row>{
           {"no key",
            {{"tls.crt", k8s::encode_base64(certificate)}},
            ErrorCode::NotFound,
            "Secret shop/client has nothing under the key tls.key"},
           {"no certificate", Json::object(), ErrorCode::NotFound,
            "Secret shop/client has nothing under the key tls.crt"},
           {"no PEM", client_data("hunter2", support::key_pem(me)), ErrorCode::Invalid,
            "Secret shop/client: there is no readable PEM client certificate"},
           {"another's key", client_data(certificate, support::key_pem(other)), ErrorCode::Invalid,
            "Secret shop/client: the client key does not belong to the client certificate"},
       }) {
    CAPTURE(row.name);
    Rig rig;
    rig.expect_object(kClient, row.data, kOrigin);
    CHECK(rig.ask_tls(client_spec()).error() == Error{row.code, row.want});
  }
  Rig rig;
  rig.expect_object(kAuthorities, {{"ca.crt", "hunter2"}}, "");
  CHECK(rig.ask_tls(authority_spec(true)).error() ==
        Error{ErrorCode::Invalid,
              "ConfigMap shop/ca: there is no readable PEM certificate of an authority"});
  rig.url = "http://vm.example";
  CHECK(rig.ask_tls(authority_spec(true)).error().code == ErrorCode::Invalid);
}

}  // namespace
}  // namespace scaledcache::controller
