// The webhook of the real binary: it makes its certificate, publishes it, and gates the pods of the
// targets that the API server shows, as an API server would ask it.
#include <string>

#include <doctest/doctest.h>

#include "http/tls_client.h"
#include "k8s/base64.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kName = "scaledcache-webhook.default.svc";
constexpr const char* kConfiguration = "/scaledcache-webhook";

struct Hook {
  World world;

  Hook() {
    world.deploy_webhook_configuration();
    world.deploy("web", 2, 300);
    world.create_cache(
        "web",
        {{"warmup", {{"mode", "Gate"}, {"port", 80}, {"hostHeader", "a"}, {"paths", {"/"}}}}});
  }

  void start(const std::vector<std::string>& more = {}) {
    std::vector<std::string> flags{"--webhook-address=127.0.0.1:0"};
    flags.insert(flags.end(), more.begin(), more.end());
    world.start(flags);
    world.eventually("it shows a certificate", [&] {
      return !world.process().logged("webhook: shows a new certificate").empty();
    });
  }

  [[nodiscard]] std::string bundle() const {
    const auto stored = world.api.objects().find("mutatingwebhookconfigurations", kConfiguration);
    const Json& client = (*stored)["webhooks"][0]["clientConfig"];
    return k8s::decode_base64(client.value("caBundle", "")).value_or("");
  }

  // The patch that the pod with these labels gets; null: none.
  [[nodiscard]] Json patch_for(const Json& labels) const {
    const Json pod{{"metadata", {{"labels", labels}}}, {"spec", {{"containers", Json::array()}}}};
    const Json review{{"kind", "AdmissionReview"},
                      {"apiVersion", "admission.k8s.io/v1"},
                      {"request",
                       {{"uid", "u"},
                        {"kind", {{"group", ""}, {"version", "v1"}, {"kind", "Pod"}}},
                        {"namespace", kNamespace},
                        {"operation", "CREATE"},
                        {"object", pod}}}};
    const std::string body = review.dump();
    const int port = world.process().logged("the webhook listens").front()["port"].get<int>();
    http::TlsClient client(static_cast<std::uint16_t>(port),
                           {.trust_pem = bundle(), .name = kName});
    REQUIRE(client.connected());
    client.say(
        "POST /inject?timeout=3s HTTP/1.1\r\nHost: hook\r\nContent-Type: "
        "application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string answer = client.read_answer();
    REQUIRE(answer.starts_with("HTTP/1.1 200 "));
    const Json response =
        Json::parse(answer.substr(answer.find("\r\n\r\n") + 4)).value("response", Json());
    CHECK(response["allowed"] == true);
    return response.contains("patch")
               ? Json::parse(*k8s::decode_base64(response["patch"].get<std::string>()))
               : Json();
  }
};

}  // namespace

TEST_CASE("a pod of a gated target gets the gate from a webhook that nobody gave a certificate") {
  Hook hook;
  hook.start();
  hook.world.eventually("the pods' labels are known", [&] {
    return !hook.patch_for({{"app", "web"}}).is_null();
  });
  const Json patch = hook.patch_for({{"app", "web"}});
  CHECK(patch[0]["path"] == "/spec/readinessGates");
  CHECK(patch[1]["path"] == "/metadata/labels/scaledcache.io~1gated");
  CHECK(hook.patch_for({{"app", "another"}}).is_null());
  CHECK(hook.world.process()
            .get("/metrics")
            .find("scaledcache_webhook_reviews_total{outcome=\"Injected\"}") != std::string::npos);
  CHECK(hook.world.process().status_of("/readyz") == 200);
}

TEST_CASE("A9: a crash between Secret and caBundle is finished by the next process") {
  Hook hook;
  hook.world.api.fail({.kind = ApiFault::Kind::Stall,
                       .method = "PATCH",
                       .target_contains = "/mutatingwebhookconfigurations/"});
  hook.world.start({"--webhook-address=127.0.0.1:0"});
  hook.world.eventually("it publishes", [&] {
    return hook.world.api.count("PATCH", "/mutatingwebhookconfigurations/") > 0;
  });
  hook.world.process().kill();
  CHECK(hook.bundle().empty());
  hook.world.api.clear_faults();
  hook.start();
  CHECK_FALSE(hook.bundle().empty());
  (void)hook.patch_for({{"app", "web"}});  // and it is trusted
}

TEST_CASE("a restart shows the certificate that the Secret holds") {
  Hook hook;
  hook.start();
  const auto before = hook.world.api.objects().find("secrets", "default/scaledcache-webhook");
  hook.world.restart();
  hook.world.eventually("it shows a certificate", [&] {
    return !hook.world.process().logged("webhook: shows a new certificate").empty();
  });
  CHECK(hook.world.api.objects().find("secrets", "default/scaledcache-webhook") == before);
}

TEST_CASE("a standby without a certificate is not ready, and writes nothing") {
  Hook hook;
  hook.world.api.apply(
      "leases",
      {{"metadata", {{"namespace", "shop"}, {"name", "scaledcache"}}},
       {"spec",
        {{"holderIdentity", "another"}, {"leaseDurationSeconds", 3600}, {"renewTime", "x"}}}});
  hook.world.start({"--webhook-address=127.0.0.1:0", "--leader-elect", "--lease-namespace=shop"});
  hook.world.eventually("it stands by and has looked for the Secret", [&] {
    return !hook.world.process().logged("standing by: another replica leads").empty() &&
           hook.world.api.count("GET", "/secrets/scaledcache-webhook") > 0;
  });
  CHECK(hook.world.process().status_of("/readyz") == 503);
  CHECK(hook.world.api.writes().empty());
}

}  // namespace scaledcache::loopback
