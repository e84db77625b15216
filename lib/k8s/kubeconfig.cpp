#include "k8s/kubeconfig.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "k8s/api_error.h"
#include "k8s/kubeconfig_entry.h"
#include "k8s/kubeconfig_file.h"

namespace scaledcache::k8s {
namespace {

Result<NamedEntry> find_entry(const std::map<std::string, KubeconfigEntry>& entries,
                              const std::string& list,
                              const std::string& name,
                              const std::string& named_by) {
  const auto found = entries.find(name);
  if (found == entries.end()) {
    std::string known;
    for (const auto& [known_name, entry] : entries) {
      known += (known.empty() ? "" : ", ") + known_name;
    }
    return Error{ErrorCode::Invalid, named_by + " is \"" + printable(name) + "\", must be one of " +
                                         list + ": " +
                                         (known.empty() ? "there are none" : printable(known))};
  }
  return NamedEntry{list + "[" + name + "]", found->second};
}

Result<ClusterConfig> choose(const Kubeconfig& merged,
                             const std::string& context_flag,
                             const FileReader& read) {
  const std::string name = context_flag.empty() ? merged.current_context : context_flag;
  const std::string named_by =
      context_flag.empty() ? "kubeconfig: current-context" : std::string("--context");
  auto context = find_entry(merged.contexts, "contexts", name, named_by);
  if (!context) {
    return context.error();
  }
  const std::string where = "kubeconfig " + context->entry.file + ": " + context->path;
  auto cluster =
      find_entry(merged.clusters, "clusters", context->entry.field("cluster"), where + ".cluster");
  if (!cluster) {
    return cluster.error();
  }
  NamedEntry user;
  if (const std::string user_name = context->entry.field("user"); !user_name.empty()) {
    auto found = find_entry(merged.users, "users", user_name, where + ".user");
    if (!found) {
      return found.error();
    }
    user = std::move(*found);
  }
  ClusterConfig config;
  config.source = "context " + printable(name) + " of " + context->entry.file;
  const std::string name_space = context->entry.field("namespace");
  config.name_space = name_space.empty() ? "default" : name_space;
  if (const auto taken = take_cluster(*cluster, user, read, config); !taken) {
    return taken.error();
  }
  return config;
}

std::vector<std::string> split_paths(const std::string& list) {
  std::vector<std::string> paths;
  std::size_t from = 0;
  while (from <= list.size()) {
    const std::size_t end = std::min(list.find(':', from), list.size());
    if (end > from) {
      paths.push_back(list.substr(from, end - from));
    }
    from = end + 1;
  }
  return paths;
}

std::string home_kubeconfig(const ConfigRequest& request) {
  return request.home_env.empty() ? std::string() : request.home_env + "/.kube/config";
}

}  // namespace

Result<ClusterConfig> load_kubeconfig(const ConfigRequest& request, const FileReader& read) {
  const bool by_flag = !request.kubeconfig_flag.empty();
  const std::vector<std::string> paths =
      by_flag ? std::vector{request.kubeconfig_flag}
              : split_paths(request.kubeconfig_env.empty() ? home_kubeconfig(request)
                                                           : request.kubeconfig_env);
  Kubeconfig merged;
  bool found = false;
  for (const std::string& path : paths) {
    const auto text = read(path);
    if (!text && text.error().code == ErrorCode::NotFound && !by_flag) {
      continue;
    }
    if (!text) {
      return Error{ErrorCode::Invalid,
                   (by_flag ? "--kubeconfig must name a readable file: " : "kubeconfig: ") +
                       text.error().message};
    }
    auto parsed = parse_kubeconfig(path, *text);
    if (!parsed) {
      return parsed.error();
    }
    merge_into(merged, std::move(*parsed));
    found = true;
  }
  if (!found) {
    return Error{ErrorCode::Invalid, "KUBECONFIG is \"" + printable(request.kubeconfig_env) +
                                         "\", must name at least one file that exists"};
  }
  return choose(merged, request.context_flag, read);
}

Result<ClusterConfig> load_cluster_config(const ConfigRequest& request, const FileReader& read) {
  if (!request.kubeconfig_flag.empty() || !request.kubeconfig_env.empty()) {
    return load_kubeconfig(request, read);
  }
  if (!request.service_host_env.empty() && request.context_flag.empty()) {
    return load_in_cluster(request, read);
  }
  const std::string home = home_kubeconfig(request);
  if (!home.empty() && read(home)) {
    return load_kubeconfig(request, read);
  }
  return Error{ErrorCode::Invalid,
               "no API server: give --kubeconfig, set KUBECONFIG, or run in a pod with a service "
               "account"};
}

}  // namespace scaledcache::k8s
