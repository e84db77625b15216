// A backend behind TLS that demands a certificate, reached by a resource's own references and by a
// name that the admin gave it; and what is told where that cannot be.
#include <string>

#include <doctest/doctest.h>

#include "k8s/base64.h"
#include "support/certificates.h"
#include "support/raw_peer.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kNumber =
    R"({"status": "success", "data": {"resultType": "scalar", "result": [0, "400"]}})";

// A backend whose every answer is 400, for those who have a certificate of our authority.
struct Store {
  support::Identity authority = support::make_authority();
  support::Identity client = support::make_identity({.common_name = "operator"}, &authority);
  support::RawPeer peer{
      {{support::Serve{support::answer("200 OK", kNumber)}}},
      {.tls = support::make_identity({.alternative_names = "IP:127.0.0.1"}, &authority),
       .client_authority = authority}};

  [[nodiscard]] std::string url() const { return peer.url(""); }

  // Puts authority and certificate into a namespace, as "ca" and "client".
  void give_to(World& world, const std::string& name_space, const std::string& origins) const {
    world.api.objects().create("configmaps",
                               {{"metadata", {{"name", "ca"}, {"namespace", name_space}}},
                                {"data", {{"ca.crt", support::certificate_pem(authority)}}}});
    world.api.objects().create("secrets",
                               {{"metadata",
                                 {{"name", "client"},
                                  {"namespace", name_space},
                                  {"annotations", {{"scaledcache.io/allowed-origins", origins}}}}},
                                {"data",
                                 {{"tls.crt", k8s::encode_base64(support::certificate_pem(client))},
                                  {"tls.key", k8s::encode_base64(support::key_pem(client))}}}});
  }
};

const Json kTls{{"caRef", {{"name", "ca"}}}, {"clientCertificateSecretRef", {{"name", "client"}}}};

// A Deployment and a ScaledCache that asks `backend` for one number.
void create(World& world, const std::string& name, const Json& backend) {
  world.deploy(name, 2, 400);
  world.create_cache(
      name, {{"backend", backend},
             {"signals", Json::array({{{"query", "demand"}, {"requestsPerReplica", 200}}})}});
}

TEST_CASE("a backend that demands a certificate is reached, and what is in the way is told") {
  const Store store;
  World world;
  store.give_to(world, kNamespace, store.url());
  create(world, "trusted", {{"address", store.url()}, {"tls", kTls}});
  create(world, "astray", {{"address", "https://127.0.0.1:1"}, {"tls", kTls}});
  create(world, "bare", {{"address", store.url()}, {"tls", {{"caRef", {{"name", "ca"}}}}}});
  create(world, "lost", {{"address", store.url()}, {"tls", {{"caRef", {{"name", "nowhere"}}}}}});
  create(world, "nameless", {{"address", nullptr}, {"name", "nobody"}});
  world.start();

  world.wait_until_ready("trusted");
  const auto becomes = [&](const char* name, const char* type, const char* condition) {
    world.eventually(std::string(name) + " is " + condition,
                     [&] { return world.condition(name, type) == condition; });
  };
  becomes("astray", "Ready", "False SecretNotAllowed");
  becomes("lost", "Ready", "False SecretNotFound");
  becomes("nameless", "Ready", "False InvalidSpec");
  becomes("bare", "MetricsReady", "False Unauthorized");
  CHECK(world.message("nameless", "Ready").find("\"nobody\"") != std::string::npos);
  CHECK(world.message("bare", "MetricsReady").find("demands a client certificate") !=
        std::string::npos);
  CHECK(world.replicas("trusted") == 2);
}

TEST_CASE("a named backend is reached with the certificate of the operator's namespace") {
  const Store store;
  World world;
  store.give_to(world, "default", "");
  const std::string file = world.folder.write(
      "backends.yaml",
      "central: {url: '" + store.url() +
          "', tls: {caRef: {name: ca}, clientCertificateSecretRef: {name: client}}}");
  create(world, "named", {{"address", nullptr}, {"name", "central"}});
  world.start({"--backends-config=" + file});
  world.wait_until_ready("named");
}

TEST_CASE("a file of named backends that cannot be used ends the start, in one sentence") {
  World world;
  const std::string kubeconfig = world.write_kubeconfig();
  const std::string broken = world.folder.write("broken.yaml", "central: {url: nowhere}");
  for (const std::string& file : {broken, std::string("/nonexistent/backends.yaml")}) {
    CAPTURE(file);
    OperatorProcess process(
        world.pulse, {"controller", "--kubeconfig=" + kubeconfig, "--backends-config=" + file}, {});
    REQUIRE_MESSAGE(world.pulse.wait([&] { return !process.alive(); }), process.tail());
    CHECK(process.exit_code() == 2);
    CHECK(process.errors().find("--backends-config") != std::string::npos);
    CHECK(process.errors().find(file) != std::string::npos);
  }
}

}  // namespace
}  // namespace scaledcache::loopback
