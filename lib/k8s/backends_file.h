// The admin's file of named backends: a map from names to what spec.backend says of one, with `url`
// in place of address and without name and timeout.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "k8s/spec.h"

namespace scaledcache::k8s {

// Each has an address.
using BackendsByName = std::map<std::string, BackendSpec>;

// Invalid, with all problems in one sentence by their paths ("central.tls.caRef.name is …"), when
// `text` is no such YAML. Repeats no value that may be a secret.
[[nodiscard]] Result<BackendsByName> parse_backends(const std::string& text);

}  // namespace scaledcache::k8s
