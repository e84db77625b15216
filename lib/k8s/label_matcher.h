// Label matchers as people write them between the braces of a PromQL selector:
// `job="varnish", host!="admin", pod=~"blog-.*"`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scaledcache::k8s {

struct LabelMatcher {
  std::string label;
  std::string op;     // "=", "!=", "=~" or "!~"
  std::string value;  // unescaped

  bool operator==(const LabelMatcher&) const = default;
};

// Invalid, with one sentence, when `text` is no comma-separated list of matchers; braces around it
// are allowed, and so is nothing at all.
[[nodiscard]] Result<std::vector<LabelMatcher>> parse_label_matchers(std::string_view text);

}  // namespace scaledcache::k8s
