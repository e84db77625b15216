// Whose backend is asked, with whose credentials.
#include "controller/backend_finder.h"

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "k8s/base64.h"
#include "k8s/credentials.h"
#include "support/certificates.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::controller {
namespace {

constexpr const char* kCreated = "2026-01-01T00:00:00Z";
constexpr const char* kFile = R"(
central:
  url: https://vm.monitoring/select
  headers: {X-Scope-OrgID: shop}
  queryParameters: {partial_response: "0"}
  auth: {header: {name: X-Api-Key, secretRef: {name: vm, key: key}}}
open: {url: "https://open.monitoring"}
)";

struct Rig {
  support::FakeClock clock;
  support::ScriptedTransport transport;
  k8s::Credentials credentials{{}, clock};
  k8s::ApiServer server{"https://api", credentials, "test"};
  k8s::KubeClient client{transport, server, clock, {}};
  BackendAccess access{client, clock};
  support::TemporaryFile file{kFile};
  std::unique_ptr<NamedBackends> named = NamedBackends::open(file.path(), "operators").value();

  // For a ScaledCache with this spec.backend.
  Result<prom::Backend> find(const std::string& backend) {
    const k8s::ScaledCache cache =
        cache_of("blog", kCreated, ("{\"backend\": " + backend + "}").c_str());
    REQUIRE(cache.valid());
    return find_backend({&access, named.get()}, cache, "http://default", {});
  }

  void expect_secret(const char* name_space, const char* origins) {
    const Json secret{{"metadata", {{"annotations", {{kAllowedOrigins, origins}}}}},
                      {"data", {{"key", k8s::encode_base64("hunter2")}}}};
    transport.expect({http::Method::Get,
                      "https://api/api/v1/namespaces/" + std::string(name_space) + "/secrets/vm",
                      "", support::json_response(200, secret.dump())});
  }
};

TEST_CASE("without a backend the operator's is asked, with an address that one") {
  Rig rig;
  CHECK(rig.find("{}")->url == "http://default");
  CHECK(rig.find(R"({"address": "http://own"})")->url == "http://own");
}

TEST_CASE("a named backend is asked with the admin's Secret of the operator's namespace") {
  Rig rig;
  rig.expect_secret("operators", "");
  const auto backend = rig.find(R"({"name": "central", "timeout": "2s"})");
  REQUIRE_MESSAGE(backend, backend.error().message);
  CHECK(backend->url == "https://vm.monitoring/select");
  CHECK(backend->timeout == Milliseconds{2000});
  CHECK(backend->secret_headers ==
        std::vector<prom::SecretHeader>{{"X-Api-Key", Secret<std::string>("hunter2")}});
  CHECK(backend->headers == http::Headers{{"X-Scope-OrgID", "shop"}});
}

TEST_CASE("what the admin says of a named backend beats what the resource says") {
  Rig rig;
  rig.expect_secret("operators", "");
  const auto backend = rig.find(R"({"name": "central",
      "headers": {"x-scope-orgid": "other", "X-API-KEY": "mine", "X-Own": "a"},
      "queryParameters": {"partial_response": "1", "own": "b"}})");
  REQUIRE_MESSAGE(backend, backend.error().message);
  CHECK(backend->headers == http::Headers{{"X-Own", "a"}, {"X-Scope-OrgID", "shop"}});
  CHECK(backend->parameters == prom::Parameters{{"own", "b"}, {"partial_response", "0"}});
}

TEST_CASE("auth of the resource's own is for named backends that have none") {
  const std::string auth = R"("auth": {"bearer": {"secretRef": {"name": "vm", "key": "key"}}}})";
  Rig rig;
  rig.expect_secret("blog", "https://open.monitoring");
  CHECK(rig.find(R"({"name": "open", )" + auth)->secret_headers.size() == 1);
  const auto refused = rig.find(R"({"name": "central", )" + auth);
  REQUIRE_FALSE(refused);
  CHECK(ready_reason_of(refused.error().code) == "InvalidSpec");
  CHECK(refused.error().message.find("central") != std::string::npos);
}

TEST_CASE("each error has its reason") {
  Rig rig;
  const auto unknown = rig.find(R"({"name": "nobody"})");
  CHECK(unknown.error() ==
        Error{ErrorCode::Invalid,
              "spec.backend.name: the operator's --backends-config has no backend \"nobody\""});
  CHECK(ready_reason_of(unknown.error().code) == "InvalidSpec");

  const std::string own = R"({"address": "https://vm.monitoring",
      "auth": {"bearer": {"secretRef": {"name": "vm", "key": "key"}}}})";
  rig.expect_secret("blog", "https://elsewhere");
  CHECK(ready_reason_of(rig.find(own).error().code) == "SecretNotAllowed");
  rig.clock.advance(std::chrono::minutes{1});
  rig.transport.expect({http::Method::Get, "https://api/api/v1/namespaces/blog/secrets/vm", "",
                        support::json_response(404, "{}")});
  CHECK(ready_reason_of(rig.find(own).error().code) == "SecretNotFound");
  CHECK(ready_reason_of(ErrorCode::Unavailable).empty());
}

TEST_CASE("a file that changes is read again, a broken one changes nothing and is told once") {
  Rig rig;
  CHECK(*rig.named->reload() == false);
  rig.file.write("central: {url: 'https://elsewhere'}");
  CHECK(*rig.named->reload() == true);
  CHECK(rig.find(R"({"name": "central"})")->url == "https://elsewhere");
  CHECK_FALSE(rig.find(R"({"name": "open"})"));
  rig.file.write("central: {url: elsewhere}");
  const auto broken = rig.named->reload();
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.find("central.url cannot be used") != std::string::npos);
  CHECK(*rig.named->reload() == false);
  CHECK(rig.find(R"({"name": "central"})")->url == "https://elsewhere");
}

TEST_CASE("a file that is missing or broken at the start is named") {
  const auto missing = NamedBackends::open("/nonexistent/backends.yaml", "operators");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.starts_with("--backends-config: cannot open /nonexistent/"));
  const support::TemporaryFile file("central: {}");
  const auto broken = NamedBackends::open(file.path(), "operators");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message ==
        "--backends-config=\"" + file.path() + "\": central.url is missing");
}

}  // namespace
}  // namespace scaledcache::controller
