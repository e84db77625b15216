// A LabelSelector as manifests hold it, as the text that a list request takes.
#pragma once

#include <string>

#include "base/json.h"
#include "k8s/problem.h"

namespace scaledcache::k8s {

// "app=web,tier in (a,b),!canary" of {matchLabels, matchExpressions}. A fault (an unknown field or
// operator, values where none may be, a key or value that is no label, nothing selected) adds a
// problem under `path`, and the text is then of no use. At most 16 labels and 16 expressions of 16
// values.
[[nodiscard]] std::string read_label_selector(const Json& object,
                                              const std::string& path,
                                              Problems& problems);

}  // namespace scaledcache::k8s
