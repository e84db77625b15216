// Kubeconfig files as plain values: which clusters, users and contexts they name and what stands
// in each. The only place that knows YAML.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scaledcache::k8s {

// One named entry of a list, for instance users[admin].
struct KubeconfigEntry {
  std::string file;  // that names it: relative paths in it start there
  // The scalars of the entry; a member that is a list or a map stands here with its kind, "{…}".
  // Null and empty members are left out.
  std::map<std::string, std::string> fields;

  // The field's text, or an empty string.
  [[nodiscard]] std::string field(const std::string& name) const;
};

struct Kubeconfig {
  std::string current_context;
  std::map<std::string, KubeconfigEntry> clusters;
  std::map<std::string, KubeconfigEntry> users;
  std::map<std::string, KubeconfigEntry> contexts;
};

// Invalid, with a sentence that names the file and the line or list, when `text` is no kubeconfig.
[[nodiscard]] Result<Kubeconfig> parse_kubeconfig(const std::string& file, const std::string& text);

// Adds what `next` has and `merged` lacks: the first file wins, entry by entry.
void merge_into(Kubeconfig& merged, Kubeconfig next);

}  // namespace scaledcache::k8s
