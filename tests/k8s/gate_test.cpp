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
  pod.containers = "cache=containerd://1";
  pod.container_started = at("2026-01-01T00:00:00Z");
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

TEST_CASE("the identity is another one after a restart of a container, and only then") {
  const Pod before = gated_pod();
  Pod after = before;
  after.ready = true;
  after.gate = GateState{true, "Warm", "x", {}};
  CHECK(cache_identity(after) == cache_identity(before));
  after.containers = "cache=containerd://2";
  CHECK(cache_identity(after) != cache_identity(before));
  after = before;
  after.container_started = at("2026-01-01T00:00:01Z");
  CHECK(cache_identity(after) != cache_identity(before));
  after = before;
  after.uid = "u-2";
  CHECK(cache_identity(after) != cache_identity(before));
}

TEST_CASE("an identity is found again in a message, and nothing is in others") {
  const std::string identity = cache_identity(gated_pod());
  CHECK(identity.size() == 8);
  CHECK(identity_in(with_identity("60 of 60 URLs hit [all]", identity)) == identity);
  for (const char* message :
       {"", "60 of 60", "x [cache 12]", "[cache 12345678]", "x [cache 12345678"}) {
    CHECK(identity_in(message) == "");
  }
}

}  // namespace
}  // namespace scaledcache::k8s
