#include "controller/commands/release.h"

#include <optional>
#include <ostream>

#include "base/clock.h"
#include "controller/commands/arguments.h"
#include "controller/restorer.h"
#include "k8s/gate.h"
#include "k8s/paths.h"
#include "k8s/scale.h"

namespace scaledcache::controller {
namespace {

constexpr int kLetGo = 0;
constexpr int kHeld = 1;
constexpr int kUnreachable = 2;
constexpr int kLooks = 5;

// What a look found to do; a write that was refused because its object changed is done again.
enum class Written { Yes, Gone, Failed };

Written write(k8s::KubeClient& client, const k8s::PatchRequest& request, Released& released) {
  const auto answer = client.patch(request);
  if (answer) {
    return Written::Yes;
  }
  const ErrorCode code = answer.error().code;
  if (code == ErrorCode::NotFound || code == ErrorCode::Conflict) {
    return Written::Gone;
  }
  released.failures.push_back(request.path + ": " + answer.error().message);
  return Written::Failed;
}

// Whether there was a gate to open.
Result<bool> open_gates(k8s::KubeClient& client,
                        const std::string& name_space,
                        WallTime now,
                        Released& released) {
  const auto list = client.list(k8s::collection_path(k8s::pods(), name_space));
  if (!list) {
    return list.error();
  }
  bool found = false;
  for (const Json& object : list->items) {
    const auto pod = k8s::decode_pod(object);
    if (!pod || !pod->has_gate || !pod->alive() || (pod->gate && pod->gate->open)) {
      continue;
    }
    const auto patch = k8s::encode_gate_patch(
        *pod, {true, "NotManaged", "the operator was removed: nobody looks after this pod"}, now);
    if (!patch) {
      continue;
    }
    found = true;
    const std::string path = k8s::status_path(k8s::pods(), pod->name_space, pod->name);
    if (write(client, {path, *patch, k8s::kGateManager}, released) == Written::Yes) {
      released.pods.push_back(pod->name_space + "/" + pod->name);
    }
  }
  return found;
}

// The finalizers without ours; nothing where it is not among them.
std::optional<Json> other_finalizers(const Json& object) {
  const Json* metadata = find_member(object, "metadata");
  const Json* list = metadata == nullptr ? nullptr : find_member(*metadata, "finalizers");
  if (list == nullptr || !list->is_array()) {
    return std::nullopt;
  }
  Json others = Json::array();
  for (const Json& one : *list) {
    if (one != kRestoreFinalizer) {
      others.push_back(one);
    }
  }
  return others.size() == list->size() ? std::nullopt : std::optional<Json>(std::move(others));
}

bool take_finalizers(k8s::KubeClient& client, const std::string& name_space, Released& released) {
  const auto list = client.list(k8s::collection_path(k8s::scaled_caches(), name_space));
  if (!list) {
    if (list.error().code != ErrorCode::NotFound) {
      released.failures.push_back("ScaledCaches cannot be listed: " + list.error().message);
    }
    return false;
  }
  bool found = false;
  for (const Json& object : list->items) {
    const auto meta = k8s::decode_meta(object);
    auto others = other_finalizers(object);
    if (!meta || !others) {
      continue;
    }
    found = true;
    // The resource version makes it safe to send the whole list.
    const Json body{{"metadata",
                     {{"uid", meta->uid},
                      {"resourceVersion", meta->resource_version},
                      {"finalizers", *std::move(others)}}}};
    const std::string path = k8s::object_path(k8s::scaled_caches(), meta->name_space, meta->name);
    const k8s::PatchRequest request{path, {k8s::kMergePatch, dump_json(body)}, k8s::kFieldManager};
    if (write(client, request, released) == Written::Yes) {
      released.caches.push_back(meta->name_space + "/" + meta->name);
    }
  }
  return found;
}

void print(const Released& released, const Console& console) {
  for (const std::string& pod : released.pods) {
    console.out << "pod " << pod << ": gate opened\n";
  }
  for (const std::string& cache : released.caches) {
    console.out << "scaledcache " << cache << ": finalizer removed\n";
  }
  for (const std::string& failure : released.failures) {
    console.err << "release: " << failure << "\n";
  }
  console.out << released.pods.size() << " gates opened, " << released.caches.size()
              << " finalizers removed\n";
}

}  // namespace

Result<Released> release_all(k8s::KubeClient& client, const std::string& name_space, WallTime now) {
  Released released;
  bool found = true;
  for (int look = 0; found && look < kLooks; ++look) {
    released.failures.clear();
    const auto gates = open_gates(client, name_space, now, released);
    if (!gates) {
      return gates.error();
    }
    const bool finalizers = take_finalizers(client, name_space, released);
    found = *gates || finalizers;
  }
  if (found && released.failures.empty()) {
    released.failures.emplace_back("gates are shut as fast as they are opened: an operator runs");
  }
  return released;
}

const CommandSpec& release_spec() {
  static const CommandSpec spec{
      .name = "release",
      .summary = "let go of pods and ScaledCaches when the operator is removed for good",
      .synopses = {"release [flags]"},
      .description =
          {"Opens the readiness gate of every pod that waits behind it, and takes the finalizer of "
           "restoreReplicasOnDelete off every ScaledCache; the counts stay as they are. The chart "
           "runs it after `helm uninstall`. By hand it is for an operator that was removed in "
           "another way; one that still runs would shut the gates again.",
           "A gate that is written in a pod template stays there: pods that come later wait behind "
           "it until it is taken out."},
      .flags = {{.name = "namespace",
                 .value = "NAME",
                 .help = "only this namespace; may be repeated; default: all",
                 .letter = 'n',
                 .repeats = true},
                kubeconfig_flag(),
                context_flag()},
      .examples = {{"release", "After the operator was removed by hand"}},
      .exits = {{0, "nothing is held any more"},
                {1, "something still is"},
                {2, "wrong arguments, or a cluster that cannot be reached"}}};
  return spec;
}

int release(std::span<const std::string> args,
            const Console& console,
            const EnvironmentMap& environment) {
  const auto parsed = parse_arguments(release_spec(), args);
  if (!parsed || !parsed->words().empty()) {
    console.err << "release: "
                << (parsed ? "\"" + parsed->words().front() + "\" is no flag of release"
                           : parsed.error().message)
                << "\n";
    return kUnreachable;
  }
  const auto cluster = Cluster::open(
      config_request(parsed->value("kubeconfig"), parsed->value("context"), environment));
  if (!cluster) {
    console.err << "release: " << cluster.error().message << "\n";
    return kUnreachable;
  }
  std::vector<std::string> spaces = parsed->values("namespace");
  if (spaces.empty()) {
    spaces.emplace_back();
  }
  int status = kLetGo;
  for (const std::string& space : spaces) {
    const auto released = release_all((*cluster)->client(), space, system_clock().wall());
    if (!released) {
      console.err << "release: " << released.error().message << "\n";
      return kUnreachable;
    }
    print(*released, console);
    status = released->failures.empty() ? status : kHeld;
  }
  return status;
}

}  // namespace scaledcache::controller
