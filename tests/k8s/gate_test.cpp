#include "k8s/gate.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/rfc3339.h"

namespace scaledcache::k8s {
namespace {

WallTime at(const char* text) {
  return *parse_time(text);
}

Pod gated_pod() {
  Pod pod;
  pod.name = "varnish-a";
  pod.uid = "u-1";
  pod.containers = {{"cache", "containerd://1", at("2026-01-01T00:00:00Z"), {8080}},
                    {"exporter", "containerd://2", at("2026-01-01T00:00:00Z"), {9131}}};
  return pod;
}

TEST_CASE("the patch holds our condition alone, and the pod's UID") {
  const auto patch = encode_gate_patch(gated_pod(), {true, "Warm", "60 of 60 URLs hit"},
                                       at("2026-01-01T00:01:00Z"));
  REQUIRE(patch);
  CHECK(patch->media_type == "application/strategic-merge-patch+json");
  CHECK(Json::parse(patch->body) == Json::parse(R"({
    "metadata": {"uid": "u-1"},
    "status": {"conditions": [{
      "type": "scaledcache.io/cache-warm", "status": "True", "reason": "Warm",
      "message": "60 of 60 URLs hit", "lastProbeTime": "2026-01-01T00:01:00Z",
      "lastTransitionTime": "2026-01-01T00:01:00Z"}]}})"));
}

TEST_CASE("what the pod says already is not written again") {
  Pod pod = gated_pod();
  pod.gate = GateState{true, "Warm", "x", at("2026-01-01T00:00:30Z")};
  CHECK_FALSE(encode_gate_patch(pod, {true, "Warm", "x"}, at("2026-01-01T00:01:00Z")));
  CHECK(encode_gate_patch(pod, {false, "Warm", "x"}, at("2026-01-01T00:01:00Z")));
  CHECK(encode_gate_patch(pod, {true, "PanicOpen", "x"}, at("2026-01-01T00:01:00Z")));
  CHECK(encode_gate_patch(pod, {true, "Warm", "y"}, at("2026-01-01T00:01:00Z")));
}

TEST_CASE("the transition time moves only with the status") {
  Pod pod = gated_pod();
  pod.gate = GateState{true, "Warm", "x", at("2026-01-01T00:00:30Z")};
  const auto transition = [&](bool open) {
    const auto patch = encode_gate_patch(pod, {open, "Other", "x"}, at("2026-01-01T00:01:00Z"));
    return Json::parse(patch->body)["status"]["conditions"][0]["lastTransitionTime"]
        .get<std::string>();
  };
  CHECK(transition(true) == "2026-01-01T00:00:30Z");
  CHECK(transition(false) == "2026-01-01T00:01:00Z");
}

TEST_CASE("the identity is another one after a restart of the cache, and only then") {
  const Pod before = gated_pod();
  Pod after = before;
  after.ready = true;
  after.gate = GateState{true, "Warm", "x", {}};
  after.containers[1].id = "containerd://3";  // the exporter
  after.container_started = after.containers[1].started = at("2026-01-01T00:09:00Z");
  CHECK(cache_identity(after, 8080) == cache_identity(before, 8080));
  after = before;
  after.containers[0].id = "containerd://3";
  CHECK(cache_identity(after, 8080) != cache_identity(before, 8080));
  after = before;
  after.containers[0].started = at("2026-01-01T00:00:01Z");
  CHECK(cache_identity(after, 8080) != cache_identity(before, 8080));
  after = before;
  after.uid = "u-2";
  CHECK(cache_identity(after, 8080) != cache_identity(before, 8080));
}

TEST_CASE("where no container or several declare the port, a restart of any counts") {
  Pod before = gated_pod();
  before.containers[1].ports = {9131, 8081};
  before.containers[0].ports.push_back(8081);
  for (const int port : {80, 8081}) {
    Pod after = before;
    after.containers[1].id = "containerd://3";
    CHECK(cache_identity(after, port) != cache_identity(before, port));
  }
}

TEST_CASE("who does not know the port still knows whether an identity is the pod's") {
  const Pod before = gated_pod();
  Pod after = before;
  after.containers[0].id = "containerd://3";
  for (const int port : {80, 8080}) {
    CHECK(is_identity_of(before, cache_identity(before, port)));
    CHECK_FALSE(is_identity_of(after, cache_identity(before, port)));
  }
  after = before;
  after.containers[1].id = "containerd://3";
  CHECK(is_identity_of(after, cache_identity(before, 8080)));
  CHECK_FALSE(is_identity_of(before, ""));
}

TEST_CASE("an identity is found again in a message, and nothing is in others") {
  const std::string identity = cache_identity(gated_pod(), 8080);
  CHECK(identity.size() == 8);
  CHECK(identity_in(with_identity("60 of 60 URLs hit [all]", identity)) == identity);
  for (const char* message :
       {"", "60 of 60", "x [cache 12]", "[cache 12345678]", "x [cache 12345678"}) {
    CHECK(identity_in(message) == "");
  }
}

}  // namespace
}  // namespace scaledcache::k8s
