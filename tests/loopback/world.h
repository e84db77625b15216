// One test's world: a fake API server, a fake backend, and the real operator between them, all on
// loopback. What a test writes down reads as what a person would do and see.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

#include "loopback/fake_api_server.h"
#include "loopback/fake_backend.h"
#include "loopback/fake_caches.h"
#include "loopback/operator_process.h"
#include "loopback/pulse.h"

namespace scaledcache::loopback {

inline constexpr const char* kNamespace = "shop";

// A directory of its own, gone at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class World {
 public:
  World() : World(std::nullopt, "") {}

  // With an API server that shows this certificate, and a kubeconfig that trusts `ca_pem`.
  World(const std::optional<support::Identity>& tls, const std::string& ca_pem);

  Pulse pulse;
  FakeBackend backend{pulse};
  FakeApiServer api;
  ScratchFolder folder;

  // Whether the counters of pods that are not Ready are read as well.
  std::atomic<bool> scrapes_unready{true};

  // A Deployment and its pods, which serve `load` requests per second in all.
  void deploy(const std::string& name, int replicas, double load);

  // The same with our readiness gate in its pods, which answer as Varnish does; the first ones are
  // open already. The caches listen from here on.
  void deploy_gated(const std::string& name, int replicas, double load);

  // What the webhook publishes its certificates in.
  void deploy_webhook_configuration();

  // The caches behind deploy_gated().
  FakeCaches& caches() { return *caches_; }

  // What create_cache() needs to warm them: a few paths, and a timeout that no test should see.
  [[nodiscard]] Json warmup(const Json& changes = Json::object()) const;

  // A ScaledCache of the same name for it: 200 req/s a replica, 2 … 10, windows as short as they
  // may be, one look a second. `changes` is merged over that spec.
  Json create_cache(const std::string& name, const Json& changes = Json::object());

  // The spec that create_cache() makes, for tests that break it.
  [[nodiscard]] Json spec_of(const std::string& name, const Json& changes = Json::object()) const;

  // The counter of the Deployment's pods.
  FakeFleet& fleet(const std::string& name);

  // deploy(), create_cache(), start(), and waits until the first data were good.
  void run(const std::string& name,
           int replicas,
           double load,
           const Json& changes = Json::object());

  // Until Ready is True.
  void wait_until_ready(const std::string& name);

  // Starts the operator with a kubeconfig for the fake API server, and waits for nothing.
  OperatorProcess& start(const std::vector<std::string>& more_arguments = {});

  // As start(), but as in a cluster, where loopback is no place for a backend.
  OperatorProcess& start_without_development();

  // kill -9, then the same again.
  OperatorProcess& restart();

  OperatorProcess& process() { return *process_; }

  [[nodiscard]] const OperatorProcess& process() const { return *process_; }

  // The kubeconfig that start() uses; `user` is its users[0].user.
  [[nodiscard]] std::string write_kubeconfig(const Json& user = Json::object());

  // Fails the test, with the operator's last words, when `reached` is not within kPatience.
  void eventually(const std::string& what, const std::function<bool()>& reached);

  // Until the operator has asked the backend `count` times more: so many looks.
  void wait_for_looks(std::size_t count);

  // Until the target has that many.
  void wait_for_replicas(const std::string& name, int count);

  // The pods of a Deployment, by name.
  [[nodiscard]] std::vector<Json> pods(const std::string& name) const;

  [[nodiscard]] std::vector<std::string> pod_names(const std::string& name) const;

  // "True CacheWarm": status and reason of the pod's gate; empty while nobody has written it.
  [[nodiscard]] std::string gate(const std::string& pod) const;

  // How many pods of the Deployment are Ready.
  [[nodiscard]] int ready_pods(const std::string& name) const;

  [[nodiscard]] int replicas(const std::string& name) const;
  [[nodiscard]] Json status(const std::string& name) const;

  // "True Fresh": status and reason of a condition; empty when there is none.
  [[nodiscard]] std::string condition(const std::string& name, const std::string& type) const;
  [[nodiscard]] std::string message(const std::string& name, const std::string& type) const;

  // Reason of the last decision in status.
  [[nodiscard]] std::string reason(const std::string& name) const;

  // The PATCHes of a Deployment's scale so far, refused ones too.
  [[nodiscard]] std::vector<ApiWrite> scale_writes(const std::string& name) const;

  // What they asked for, in order: "2>8, 8>10", with the status behind one that was refused, as in
  // "2>8 (422)".
  [[nodiscard]] std::string scale_steps(const std::string& name) const;

  // Only those that were obeyed.
  [[nodiscard]] std::string obeyed_steps(const std::string& name) const;

 private:
  std::unique_ptr<FakeCaches> caches_;
  std::string ca_;
  std::string kubeconfig_;
  std::vector<std::string> arguments_;
  std::unique_ptr<OperatorProcess> process_;
};

// "shop/<name>".
[[nodiscard]] std::string key(const std::string& name);

}  // namespace scaledcache::loopback
