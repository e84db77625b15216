// One look at a time, with everything real but the network and the clock.
#include "controller/reconciler.h"

#include <functional>

#include <doctest/doctest.h>

#include "base/rfc3339.h"
#include "controller/observer.h"
#include "controller/signal_reader.h"
#include "controller/target.h"
#include "k8s/credentials.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;
using http::Method;
using http::Request;
using http::Response;

// Answers by a function and keeps what was sent.
class FunctionTransport final : public http::HttpTransport {
 public:
  std::function<Result<Response>(const Request&)> answer;
  std::vector<Request> sent;

  Result<Response> send(const Request& request, std::stop_token) override {
    sent.push_back(request);
    return answer(request);
  }

  [[nodiscard]] std::vector<Request> sent_to(Method method, std::string_view path_end) const {
    std::vector<Request> found;
    for (const Request& request : sent) {
      const std::string path = request.url.substr(0, request.url.find('?'));
      if (request.method == method && path.ends_with(path_end)) {
        found.push_back(request);
      }
    }
    return found;
  }
};

class HandMadeCluster final : public ClusterView {
 public:
  std::map<std::string, std::shared_ptr<const k8s::ScaledCache>> caches;
  std::shared_ptr<NamespaceView> namespace_view = std::make_shared<NamespaceView>();

  [[nodiscard]] std::shared_ptr<const k8s::ScaledCache> find_cache(
      const std::string& key) const override {
    const auto found = caches.find(key);
    return found == caches.end() ? nullptr : found->second;
  }

  [[nodiscard]] std::vector<std::shared_ptr<const k8s::ScaledCache>> caches_in(
      const std::string&) const override {
    std::vector<std::shared_ptr<const k8s::ScaledCache>> all;
    for (const auto& [key, cache] : caches) {
      all.push_back(cache);
    }
    return all;
  }

  [[nodiscard]] std::shared_ptr<const NamespaceView> view(const std::string&) override {
    return namespace_view;
  }

  void drop_unused_views() override {}
};

template <class T>
k8s::Entry<T> entry(const std::string& name,
                    const std::string& uid,
                    const std::string& version,
                    T object) {
  return {{"blog", name, uid, version}, std::make_shared<const T>(std::move(object)), {}};
}

Response json(int status, const Json& body) {
  return {status, {{"Content-Type", "application/json"}}, body.dump()};
}

k8s::ObjectMeta meta(const std::string& name, const std::string& uid, const std::string& version) {
  k8s::ObjectMeta meta;
  meta.name = name;
  meta.name_space = "blog";
  meta.uid = uid;
  meta.resource_version = version;
  return meta;
}

k8s::ClusterConfig cluster_config() {
  k8s::ClusterConfig config;
  config.origin = "http://api";
  return config;
}

QueryOptions query_options() {
  QueryOptions options;
  options.backend_url = "http://store";
  return options;
}

// A blog with two Varnish pods, a ScaledCache of 2 … 10 at 200 req/s each, and an operator that has
// just started. The fleet's counters have risen by `rate` per second for the last five minutes.
class World {
 public:
  World() {
    api.answer = [this](const Request& request) { return answer_api(request); };
    backend.answer = [this](const Request&) { return answer_backend(); };
    set_cache(R"({"scaleTargetRef": {"name": "varnish"}, "minReplicas": 2, "maxReplicas": 10,
                  "signals": [{"counter": {"metric": "requests_total"}, "requestsPerReplica": 200}]})");
    show_target(2, "100");
  }

  void set_cache(const std::string& spec) {
    const Json object = {{"apiVersion", "scaledcache.io/v1alpha1"},
                         {"kind", "ScaledCache"},
                         {"metadata",
                          {{"name", "blog"},
                           {"namespace", "blog"},
                           {"uid", "c-1"},
                           {"resourceVersion", "50"},
                           {"generation", 1}}},
                         {"spec", Json::parse(spec)}};
    cluster.caches["blog/blog"] =
        std::make_shared<const k8s::ScaledCache>(*k8s::scaled_cache_from_json(object));
  }

  // What the watches show: a Deployment of that count with as many ready pods.
  void show_target(int replicas, const std::string& version) {
    k8s::Workload deployment;
    deployment.meta = meta("varnish", "d-1", version);
    deployment.kind = "Deployment";
    deployment.replicas = replicas;
    k8s::Workload replica_set;
    replica_set.meta = meta("varnish-5d", "r-1", "9");
    replica_set.owner = k8s::OwnerRef{"apps/v1", "Deployment", "varnish", "d-1"};
    NamespaceView& view = *cluster.namespace_view;
    (void)view.deployments.replace({entry("varnish", "d-1", version, deployment)});
    (void)view.stateful_sets.replace({});
    (void)view.autoscalers.replace({});
    (void)view.replica_sets.replace({entry("varnish-5d", "r-1", "9", replica_set)});
    std::vector<k8s::Entry<k8s::Pod>> pods;
    for (int i = 0; i < replicas; ++i) {
      const std::string name = "varnish-5d-abcd" + std::to_string(i);
      pods.push_back(
          entry(name, "p-" + std::to_string(i), "1", ready_pod(name, "p-" + std::to_string(i))));
    }
    (void)view.pods.replace(std::move(pods));
    pods_ = replicas;
  }

  void hide_target() { (void)cluster.namespace_view->deployments.replace({}); }

  std::optional<Milliseconds> look() {
    const auto again = reconciler.reconcile("blog/blog", {});
    clock.advance(5s);
    return again;
  }

  // The status as a reader of the API would see it after all patches.
  [[nodiscard]] const Json& status() const { return object_["status"]; }

  [[nodiscard]] std::string condition(const std::string& type) const {
    for (const Json& condition : status()["conditions"]) {
      if (condition["type"] == type) {
        return condition["status"].get<std::string>() + "/" +
               condition["reason"].get<std::string>();
      }
    }
    return "absent";
  }

  double rate = 300;
  std::function<Response()> backend_fault;
  std::function<Result<Response>()> scale_fault;
  std::function<Result<Response>()> status_fault;
  support::FakeClock clock;
  FunctionTransport api;
  FunctionTransport backend;
  HandMadeCluster cluster;
  Log log{clock, LogFormat::Json, LogLevel::Error};
  Metrics metrics{"test"};
  k8s::Credentials credentials{cluster_config(), clock};
  k8s::ApiServer server{"http://api", credentials, "test"};
  k8s::KubeClient client{api, server, clock, {}};
  k8s::Discovery discovery{client, clock};
  prom::BackendClient backend_client{backend, clock};
  TargetFinder targets{client, discovery};
  SignalReader signals{{backend_client, clock, metrics}, query_options()};
  Observer observer{{cluster, targets, signals, clock, 1000}};
  Actuator actuator{{cluster, client, clock, metrics, log, "test"}};
  Reconciler reconciler{{cluster, observer, actuator, clock, metrics, log}};

 private:
  [[nodiscard]] k8s::Pod ready_pod(const std::string& name, const std::string& uid) const {
    k8s::Pod pod;
    pod.name = name;
    pod.name_space = "blog";
    pod.uid = uid;
    pod.owner = k8s::OwnerRef{"apps/v1", "ReplicaSet", "varnish-5d", "r-1"};
    pod.phase = k8s::PodPhase::Running;
    pod.ready = true;
    pod.ready_since = clock.wall() - 1h;
    pod.container_started = clock.wall() - 1h;
    return pod;
  }

  Result<Response> answer_api(const Request& request) {
    const std::string path = request.url.substr(0, request.url.find('?'));
    if (path.ends_with("/scale")) {
      if (scale_fault) {
        return scale_fault();
      }
      const Json patch = Json::parse(request.body);
      return json(200, {{"metadata",
                         {{"name", "varnish"},
                          {"namespace", "blog"},
                          {"uid", "d-1"},
                          {"resourceVersion", "200"}}},
                        {"spec", {{"replicas", patch.back()["value"]}}}});
    }
    if (path.ends_with("/status")) {
      if (status_fault) {
        return status_fault();
      }
      object_ = object_.patch(Json::parse(request.body));
      return json(200, object_);
    }
    return json(201, Json::object());
  }

  Result<Response> answer_backend() {
    if (backend_fault) {
      return backend_fault();
    }
    Json result = Json::array();
    const auto now = clock.wall().time_since_epoch().count() / 1000;
    for (int i = 0; i < pods_; ++i) {
      Json values = Json::array();
      for (std::int64_t at = now - 300; at <= now; at += 5) {
        const double count = 1e6 + rate / pods_ * static_cast<double>(at - now + 300);
        values.push_back({at, std::to_string(count)});
      }
      result.push_back(
          {{"metric", {{"namespace", "blog"}, {"pod", "varnish-5d-abcd" + std::to_string(i)}}},
           {"values", values}});
    }
    return json(200,
                {{"status", "success"}, {"data", {{"resultType", "matrix"}, {"result", result}}}});
  }

  int pods_ = 0;
  Json object_ = {
      {"metadata",
       {{"name", "blog"}, {"namespace", "blog"}, {"uid", "c-1"}, {"resourceVersion", "60"}}}};
};

TEST_CASE("more load than the replicas carry is one guarded patch, a status and an event") {
  World world;
  world.rate = 1100;
  CHECK(world.look() == 5s);
  const auto patches =
      world.api.sent_to(Method::Patch, "/apis/apps/v1/namespaces/blog/deployments/varnish/scale");
  REQUIRE(patches.size() == 1);
  CHECK(Json::parse(patches[0].body) == Json::parse(R"([
    {"op": "test", "path": "/metadata/uid", "value": "d-1"},
    {"op": "test", "path": "/spec/replicas", "value": 2},
    {"op": "add", "path": "/spec/replicas", "value": 6}])"));
  CHECK(world.status()["desiredReplicas"] == 6);
  CHECK(world.status()["lastDecision"]["reason"] == "Grow");
  CHECK(world.condition("Ready") == "True/AsExpected");
  const auto events = world.api.sent_to(Method::Post, "/events");
  REQUIRE_FALSE(events.empty());
  CHECK(Json::parse(events[0].body)["reason"] == "ScaledUp");
}

TEST_CASE("looks that change nothing write nothing") {
  World world;
  (void)world.look();
  (void)world.look();  // MetricsReady and timers have settled
  const std::size_t before = world.api.sent.size();
  for (int i = 0; i < 10; ++i) {
    world.rate = 300 + i;
    (void)world.look();
  }
  CHECK(world.api.sent.size() == before);
}

TEST_CASE("B3: until the watch shows our own patch, the next look decides from what was written") {
  World world;
  world.rate = 2300;
  (void)world.look();
  (void)world.look();
  const auto patches = world.api.sent_to(Method::Patch, "/scale");
  REQUIRE(patches.size() == 2);
  CHECK(Json::parse(patches[0].body)[2]["value"] == 8);
  CHECK(Json::parse(patches[1].body)[1]["value"] == 8);
  CHECK(Json::parse(patches[1].body)[2]["value"] == 10);
}

TEST_CASE("a backend that fails leaves the count alone and is named") {
  struct Row {
    const char* name;
    std::function<Response()> fault;
    const char* condition;
  };

  const auto body = [](int status, const char* text) {
    return [=] { return Response{status, {{"Content-Type", "application/json"}}, text}; };
  };
  for (const Row& row :
       {Row{"empty",
            body(200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})"),
            "False/NoData"},
        Row{"an error in a 200",
            body(200, R"({"status":"error","errorType":"execution","error":"x"})"),
            "False/QueryError"},
        Row{"503", body(503, "{}"), "False/BackendUnreachable"},
        Row{"a page",
            [] {
              return Response{200, {{"Content-Type", "text/html"}}, "<html>"};
            },
            "False/Invalid"},
        Row{"401", body(401, "{}"), "False/Unauthorized"}}) {
    SUBCASE(row.name) {
      World world;
      world.rate = 2300;
      world.backend_fault = row.fault;
      for (int i = 0; i < 8; ++i) {
        (void)world.look();
      }
      CHECK(world.api.sent_to(Method::Patch, "/scale").empty());
      CHECK(world.condition("MetricsReady") == row.condition);
      CHECK(world.condition("Ready") == "False/MetricsUnavailable");
      CHECK(world.status()["desiredReplicas"] == 2);
    }
  }
}

TEST_CASE(
    "a count that moved under us is read again at once, and nothing is remembered of the attempt") {
  World world;
  world.rate = 1100;
  world.scale_fault = [] {
    return json(422, {{"kind", "Status"}, {"reason", "Invalid"}, {"code", 422}});
  };
  CHECK(world.look() == 200ms);
  CHECK(world.api.sent_to(Method::Patch, "/status").empty());
  world.scale_fault = nullptr;
  world.show_target(4, "150");
  CHECK(world.look() == 5s);
  const auto patches = world.api.sent_to(Method::Patch, "/scale");
  REQUIRE(patches.size() == 2);
  CHECK(Json::parse(patches[1].body)[1]["value"] == 4);
}

TEST_CASE("D10: a status that cannot be written does not hold up scaling") {
  World world;
  world.status_fault = [] {
    return json(409, {{"kind", "Status"}, {"reason", "Conflict"}, {"code", 409}});
  };
  world.rate = 2300;
  CHECK(world.look() == 5s);
  CHECK(world.look() == 5s);
  const auto patches = world.api.sent_to(Method::Patch, "/scale");
  REQUIRE(patches.size() == 2);
  CHECK(Json::parse(patches[1].body)[2]["value"] == 10);
  world.status_fault = nullptr;
  world.show_target(10, "300");
  (void)world.look();
  CHECK(world.status()["desiredReplicas"] == 10);
}

TEST_CASE("a target that is missing is said and waited for") {
  World world;
  world.hide_target();
  CHECK(world.look() == 5s);
  CHECK(world.condition("Ready") == "False/TargetNotFound");
  world.show_target(2, "100");
  (void)world.look();
  CHECK(world.condition("Ready") == "True/AsExpected");
}

TEST_CASE(
    "a spec that got past the schema is refused with its sentence and the target is left alone") {
  World world;
  world.set_cache(R"({"scaleTargetRef": {"name": "varnish"}, "minReplicas": 12, "maxReplicas": 10,
                      "signals": [{"counter": {"metric": "requests_total"}, "requestsPerReplica": 200}]})");
  world.rate = 2300;
  (void)world.look();
  CHECK(world.condition("Ready") == "False/InvalidSpec");
  CHECK(world.api.sent_to(Method::Patch, "/scale").empty());
  CHECK(world.backend.sent.empty());
}

TEST_CASE("of two resources for one target only the older decides") {
  World world;
  world.rate = 2300;
  auto older = std::make_shared<k8s::ScaledCache>(*world.cluster.caches["blog/blog"]);
  older->meta.name = "first";
  older->meta.uid = "c-0";
  older->meta.created = world.clock.wall() - 1h;
  auto younger = std::make_shared<k8s::ScaledCache>(*world.cluster.caches["blog/blog"]);
  younger->meta.created = world.clock.wall();
  world.cluster.caches = {{"blog/first", older}, {"blog/blog", younger}};
  (void)world.look();
  CHECK(world.api.sent_to(Method::Patch, "/scale").empty());
  CHECK(world.condition("Contested") == "True/ScaledCache");
}

TEST_CASE("a resource that is gone is not looked at again") {
  World world;
  world.cluster.caches.clear();
  CHECK_FALSE(world.look());
  CHECK(world.api.sent.empty());
}

}  // namespace
}  // namespace scaledcache::controller
