#include "loopback/world.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <stdlib.h>

#include <doctest/doctest.h>

namespace scaledcache::loopback {
namespace {

std::string metric_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_requests_total";
}

std::string deployment_of(const std::string& workload_key) {
  return workload_key.substr(workload_key.find('/') + 1);
}

Json member(const Json& object, const std::string& name) {
  return object.is_object() && object.contains(name) ? object[name] : Json();
}

Json condition_of(const Json& status, const std::string& type) {
  for (const Json& condition : member(status, "conditions")) {
    if (condition["type"] == type) {
      return condition;
    }
  }
  return {};
}

// What the patch wants to change, from the two forms that a scale patch has.
std::string step_of(const Json& body) {
  if (body.is_object()) {
    return "0>" + body["spec"]["replicas"].dump();
  }
  std::string from = "?";
  std::string to = "?";
  for (const Json& operation : body) {
    if (operation["path"] == "/spec/replicas") {
      (operation["op"] == "test" ? from : to) = operation["value"].dump();
    }
  }
  return from + ">" + to;
}

}  // namespace

std::string key(const std::string& name) {
  return std::string(kNamespace) + "/" + name;
}

ScratchFolder::ScratchFolder() {
  path_ = (std::filesystem::temp_directory_path() / "scaledcache-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error("cannot make a scratch folder");
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::write(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

World::World(const std::optional<support::Identity>& tls, const std::string& ca_pem)
    : api(
          pulse,
          [this](const std::string& workload, const std::vector<std::string>& pods) {
            const std::string name = deployment_of(workload);
            fleet(name).set_pods(pods, scrapes_unready ? pod_names(name) : pods);
          },
          tls) {
  if (!ca_pem.empty()) {
    ca_ = folder.write("ca.pem", ca_pem);
  }
  kubeconfig_ = write_kubeconfig();
}

FakeFleet& World::fleet(const std::string& name) {
  return backend.fleet(metric_of(name));
}

void World::deploy(const std::string& name, int replicas, double load) {
  fleet(name).set_load(load);
  api.apply("deployments", workload_manifest(kNamespace, name, replicas));
}

void World::deploy_webhook_configuration() {
  const Json service{{"namespace", "default"}, {"name", "scaledcache-webhook"}};
  api.apply("mutatingwebhookconfigurations",
            {{"metadata", {{"namespace", ""}, {"name", "scaledcache-webhook"}}},
             {"webhooks", Json::array({{{"name", "inject.scaledcache.io"},
                                        {"clientConfig", {{"service", service}}}}})}});
}

void World::deploy_gated(const std::string& name, int replicas, double load) {
  if (!caches_) {
    caches_ = std::make_unique<FakeCaches>(pulse);
  }
  fleet(name).set_load(load);
  api.apply("deployments",
            with_gate(workload_manifest(kNamespace, name, replicas), caches_->port()));
}

Json World::warmup(const Json& changes) const {
  Json warmup{{"mode", "Gate"},
              {"port", caches_->port()},
              {"hostHeader", "shop.example"},
              {"paths", Json::array({"/", "/a", "/b", "/c", "/d", "/e"})},
              {"timeout", "10m"}};
  warmup.merge_patch(changes);
  return {{"warmup", std::move(warmup)}};
}

Json World::spec_of(const std::string& name, const Json& changes) const {
  Json spec{{"scaleTargetRef", {{"name", name}}},
            {"minReplicas", 2},
            {"maxReplicas", 10},
            {"pollInterval", "1s"},
            {"shortWindow", "5s"},
            {"longWindow", "5s"},
            {"cooldown", "0s"},
            {"scaleUp", {{"lookAheadPercent", 0}, {"headroom", "None"}}},
            {"scaleDown", {{"interval", "0s"}, {"stepPercent", 100}}},
            {"backend", {{"address", backend.url()}, {"timeout", "1s"}}},
            {"signals", Json::array({{{"name", "requests"},
                                      {"counter", {{"metric", metric_of(name)}}},
                                      {"requestsPerReplica", 200}}})}};
  spec.merge_patch(changes);
  return spec;
}

Json World::create_cache(const std::string& name, const Json& changes) {
  return api.apply("scaledcaches", {{"metadata", {{"namespace", kNamespace}, {"name", name}}},
                                    {"spec", spec_of(name, changes)}});
}

void World::run(const std::string& name, int replicas, double load, const Json& changes) {
  deploy(name, replicas, load);
  create_cache(name, changes);
  start();
  wait_until_ready(name);
}

void World::wait_until_ready(const std::string& name) {
  eventually(name + " is Ready", [&] { return condition(name, "Ready").starts_with("True"); });
}

void World::wait_for_replicas(const std::string& name, int count) {
  eventually(name + " has " + std::to_string(count) + " replicas",
             [&] { return this->replicas(name) == count; });
}

std::string World::write_kubeconfig(const Json& user) {
  Json cluster{{"server", api.origin()}};
  if (!ca_.empty()) {
    cluster["certificate-authority"] = ca_;
  }
  const Json config{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"current-context", "test"},
      {"clusters", Json::array({{{"name", "test"}, {"cluster", cluster}}})},
      {"users", Json::array({{{"name", "test"}, {"user", user}}})},
      {"contexts",
       Json::array({{{"name", "test"}, {"context", {{"cluster", "test"}, {"user", "test"}}}}})}};
  kubeconfig_ = folder.write("kubeconfig", config.dump());  // JSON is YAML
  return kubeconfig_;
}

OperatorProcess& World::start(const std::vector<std::string>& more_arguments) {
  arguments_ = {"controller", "--kubeconfig=" + kubeconfig_, "--listen-address=127.0.0.1:0",
                "--development"};
  arguments_.insert(arguments_.end(), more_arguments.begin(), more_arguments.end());
  process_ = std::make_unique<OperatorProcess>(pulse, arguments_);
  return *process_;
}

OperatorProcess& World::start_without_development() {
  arguments_ = {"controller", "--kubeconfig=" + kubeconfig_, "--listen-address=127.0.0.1:0"};
  process_ = std::make_unique<OperatorProcess>(pulse, arguments_);
  return *process_;
}

OperatorProcess& World::restart() {
  process_->kill();
  process_ = std::make_unique<OperatorProcess>(pulse, arguments_);
  return *process_;
}

void World::eventually(const std::string& what, const std::function<bool()>& reached) {
  const bool in_time = pulse.wait(reached);
  REQUIRE_MESSAGE(in_time, "not reached: ", what,
                  "\nobjects: ", dump_json(api.objects().all("scaledcaches")),
                  "\nlast words of the operator:\n", process_ ? process_->tail() : "(not started)");
}

void World::wait_for_looks(std::size_t count) {
  const std::size_t wanted = backend.queries() + count;
  eventually("more queries", [&] { return backend.queries() >= wanted; });
}

std::vector<Json> World::pods(const std::string& name) const {
  std::vector<Json> found;
  for (Json& pod : api.objects().all("pods")) {
    if (pod["metadata"]["labels"].value("app", "") == name) {
      found.push_back(std::move(pod));
    }
  }
  return found;
}

std::vector<std::string> World::pod_names(const std::string& name) const {
  std::vector<std::string> names;
  for (const Json& pod : pods(name)) {
    names.push_back(pod["metadata"]["name"]);
  }
  return names;
}

std::string World::gate(const std::string& pod) const {
  const auto object = api.objects().find("pods", key(pod));
  const Json found =
      object ? condition_of((*object)["status"], "scaledcache.io/cache-warm") : Json();
  return found.is_null() ? std::string()
                         : found["status"].get<std::string>() + " " + found.value("reason", "");
}

int World::ready_pods(const std::string& name) const {
  const std::vector<Json> all = pods(name);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [](const Json& pod) {
    return condition_of(pod["status"], "Ready").value("status", "") == "True";
  }));
}

int World::replicas(const std::string& name) const {
  const auto object = api.objects().find("deployments", key(name));
  return object ? (*object)["spec"]["replicas"].get<int>() : -1;
}

Json World::status(const std::string& name) const {
  const auto object = api.objects().find("scaledcaches", key(name));
  return object ? member(*object, "status") : Json();
}

std::string World::condition(const std::string& name, const std::string& type) const {
  const Json found = condition_of(status(name), type);
  return found.is_null()
             ? std::string()
             : found["status"].get<std::string>() + " " + found["reason"].get<std::string>();
}

std::string World::message(const std::string& name, const std::string& type) const {
  return condition_of(status(name), type).value("message", "");
}

std::string World::reason(const std::string& name) const {
  const Json decision = member(status(name), "lastDecision");
  return decision.is_object() ? decision.value("reason", "") : "";
}

std::vector<ApiWrite> World::scale_writes(const std::string& name) const {
  std::vector<ApiWrite> found;
  for (ApiWrite& write : api.writes()) {
    if (write.path.ends_with("/deployments/" + name + "/scale")) {
      found.push_back(std::move(write));
    }
  }
  return found;
}

std::string World::scale_steps(const std::string& name) const {
  std::string steps;
  for (const ApiWrite& write : scale_writes(name)) {
    steps += (steps.empty() ? "" : ", ") + step_of(write.body);
    steps += write.status == 200 ? "" : " (" + std::to_string(write.status) + ")";
  }
  return steps;
}

std::string World::obeyed_steps(const std::string& name) const {
  std::string steps;
  for (const ApiWrite& write : scale_writes(name)) {
    if (write.status == 200) {
      steps += (steps.empty() ? "" : ", ") + step_of(write.body);
    }
  }
  return steps;
}

}  // namespace scaledcache::loopback
