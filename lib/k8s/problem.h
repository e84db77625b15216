// A fault in what a user wrote, told so that it can be mended without reading the source.
#pragma once

#include <string>
#include <vector>

namespace scaledcache::k8s {

struct Problem {
  std::string path;     // "spec.signals[0].requestsPerReplica"
  std::string message;  // "is -5, must be a quantity above 0"

  // "spec.minReplicas is 12, must not be above spec.maxReplicas (10)"
  [[nodiscard]] std::string sentence() const { return path + " " + message; }

  bool operator==(const Problem&) const = default;
};

using Problems = std::vector<Problem>;

// All sentences, joined by "; ", cut to `max_bytes` at a UTF-8 boundary; the text of a condition.
[[nodiscard]] std::string join(const Problems& problems, std::size_t max_bytes = 1024);

}  // namespace scaledcache::k8s
