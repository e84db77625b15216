// One cluster and one user of a kubeconfig, judged field by field: what is supported is taken, what
// is not is refused by name.
#pragma once

#include <string>

#include "base/result.h"
#include "k8s/files.h"
#include "k8s/kubeconfig.h"
#include "k8s/kubeconfig_file.h"

namespace scaledcache::k8s {

// An entry together with how people call it: "users[admin]".
struct NamedEntry {
  std::string path;
  KubeconfigEntry entry;

  // "kubeconfig FILE: users[admin].FIELD WHAT".
  [[nodiscard]] Error invalid(const std::string& field, const std::string& what) const;

  // The path in `field`, from the directory of the file that names it; empty when it is not set.
  [[nodiscard]] std::string file(const std::string& field) const;
};

// Fills everything of `config` but source and name_space. Invalid names file, field and what is
// allowed; the value too, unless it may be a secret.
[[nodiscard]] Result<void> take_cluster(const NamedEntry& cluster,
                                        const NamedEntry& user,
                                        const FileReader& read,
                                        ClusterConfig& config);

}  // namespace scaledcache::k8s
