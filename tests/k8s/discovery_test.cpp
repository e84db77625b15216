#include "k8s/discovery.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "k8s/credentials.h"
#include "k8s/jumping_clock.h"
#include "support/scripted_transport.h"

namespace scaledcache::k8s {
namespace {

using support::json_response;

const std::string kApps = R"({"kind":"APIResourceList","groupVersion":"apps/v1","resources":[)"
                          R"({"name":"daemonsets","namespaced":true,"kind":"DaemonSet"},)"
                          R"({"name":"deployments","namespaced":true,"kind":"Deployment"},)"
                          R"({"name":"deployments/scale","namespaced":true,"kind":"Scale"},)"
                          R"({"name":"deployments/status","namespaced":true,"kind":"Deployment"},)"
                          R"({"name":"statefulsets","namespaced":true,"kind":"StatefulSet"},)"
                          R"({"name":"statefulsets/scale","namespaced":true,"kind":"Scale"}]})";

struct Rig {
  JumpingClock clock;
  Credentials credentials{ClusterConfig{}, clock};
  ApiServer server{"https://api", credentials, "test"};
  support::ScriptedTransport transport;
  KubeClient client{transport, server, clock, {}};
  Discovery discovery{client, clock};

  void expect(const std::string& path, int status, const std::string& body) {
    transport.expect({http::Method::Get, "https://api" + path, "", json_response(status, body)});
  }
};

TEST_CASE("a kind is found by apiVersion and kind, with whether it scales") {
  Rig rig;
  rig.expect("/apis/apps/v1", 200, kApps);
  const auto deployment = rig.discovery.find("apps/v1", "Deployment");
  REQUIRE(deployment);
  CHECK(deployment->type == deployments());
  CHECK(deployment->namespaced);
  CHECK(deployment->has_scale);
  const auto daemon_set = rig.discovery.find("apps/v1", "DaemonSet");
  REQUIRE(daemon_set);
  CHECK(daemon_set->type.plural == "daemonsets");
  CHECK_FALSE(daemon_set->has_scale);
  CHECK(daemon_set->scalable_kinds == std::vector<std::string>{"Deployment", "StatefulSet"});
}

TEST_CASE("the core group is found where it lives") {
  Rig rig;
  rig.expect("/api/v1", 200,
             R"({"resources":[{"name":"replicationcontrollers","kind":"ReplicationController",)"
             R"("namespaced":true},{"name":"replicationcontrollers/scale","kind":"Scale"}]})");
  const auto found = rig.discovery.find("v1", "ReplicationController");
  REQUIRE(found);
  CHECK(found->type == ResourceType{"", "v1", "replicationcontrollers"});
  CHECK(found->has_scale);
}

TEST_CASE("what was found is asked for again after ten minutes, or when it is forgotten") {
  Rig rig;
  rig.expect("/apis/apps/v1", 200, kApps);
  CHECK(rig.discovery.find("apps/v1", "Deployment"));
  rig.clock.advance(kDiscoveryLife - Milliseconds{1});
  CHECK(rig.discovery.find("apps/v1", "StatefulSet"));
  rig.clock.advance(Milliseconds{1});
  rig.expect("/apis/apps/v1", 200, kApps);
  CHECK(rig.discovery.find("apps/v1", "Deployment"));
  rig.discovery.forget("apps/v1");
  rig.expect("/apis/apps/v1", 200, kApps);
  CHECK(rig.discovery.find("apps/v1", "Deployment"));
}

TEST_CASE("a kind that is not served is not found, and is looked for again each time") {
  Rig rig;
  rig.expect("/apis/apps/v1", 200, kApps);
  CHECK(rig.discovery.find("apps/v1", "Deployment"));
  rig.expect("/apis/apps/v1", 200, kApps);
  const auto unknown = rig.discovery.find("apps/v1", "Rollout");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::NotFound);
  CHECK(unknown.error().message == "apps/v1 has no kind Rollout");
  rig.expect("/apis/argoproj.io/v1", 404, "");
  const auto no_group = rig.discovery.find("argoproj.io/v1", "Rollout");
  REQUIRE_FALSE(no_group);
  CHECK(no_group.error().code == ErrorCode::NotFound);
}

TEST_CASE("a list of nonsense holds no kinds") {
  for (const char* body :
       {"{}", R"({"resources":7})", R"({"resources":[7,{"name":"a/scale"}]})", "[]"}) {
    Rig rig;
    rig.expect("/apis/apps/v1", 200, body);
    CHECK_FALSE(rig.discovery.find("apps/v1", "Deployment"));
  }
}

TEST_CASE("an apiVersion that is none is refused without a request") {
  Rig rig;
  for (const char* text : {"", "/", "apps/", "/v1", "a/b/c"}) {
    const auto found = rig.discovery.find(text, "Deployment");
    REQUIRE_FALSE(found);
    CHECK(found.error().code == ErrorCode::Invalid);
  }
}

}  // namespace
}  // namespace scaledcache::k8s
