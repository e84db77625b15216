#include "prom/selector.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

#include "http/ascii.h"

namespace scaledcache::prom {
namespace {

bool starts_name(char c) {
  return c == '_' || (http::is_alnum(c) && !http::is_digit(c));
}

bool is_label_name(std::string_view name) {
  return !name.empty() && starts_name(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return starts_name(c) || http::is_digit(c); });
}

bool is_metric_name(std::string_view name) {
  return !name.empty() && (starts_name(name.front()) || name.front() == ':') &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return starts_name(c) || http::is_digit(c) || c == ':'; });
}

bool is_operator(std::string_view op) {
  return op == "=" || op == "!=" || op == "=~" || op == "!~";
}

void append_quoted(std::string& text, std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text += '"';
  for (const char c : value) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    } else {
      text += c;
    }
  }
  text += '"';
}

std::string regex_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (!http::is_alnum(c) && c != '-' && c != '_') {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

bool names_label(const Matchers& matchers, const std::string& label) {
  return std::any_of(matchers.begin(), matchers.end(),
                     [&](const Matcher& matcher) { return matcher.label == label; });
}

void append_new(Matchers& merged, const Matchers& more) {
  for (const Matcher& matcher : more) {
    if (std::find(merged.begin(), merged.end(), matcher) == merged.end()) {
      merged.push_back(matcher);
    }
  }
}

Error invalid(std::string sentence) {
  return Error{ErrorCode::Invalid, std::move(sentence)};
}

Result<void> check(const Matcher& matcher) {
  if (!is_label_name(matcher.label)) {
    return invalid("a matcher's label must be of letters, digits and _, not starting with a digit");
  }
  if (matcher.label == "__name__") {
    return invalid("a matcher must not name __name__: the metric has a field of its own");
  }
  if (!is_operator(matcher.op)) {
    return invalid("the operator of the matcher of " + matcher.label + " must be =, !=, =~ or !~");
  }
  return {};
}

}  // namespace

// Kubernetes makes a pod's name of its owner's and a random tail. The API server cuts what stands
// before the five random characters to 58 bytes, so that of a long Deployment name the hash of the
// ReplicaSet, the dash behind it, or the end of the name itself is missing.
std::string pod_name_pattern(std::string_view kind, std::string_view name) {
  constexpr std::size_t kLongestBase = 58;
  constexpr std::size_t kLongestHash = 10;
  const std::string base = std::string(name) + "-";
  if (kind == "StatefulSet") {
    return regex_escaped(base) + "[0-9]+";
  }
  if (kind == "DaemonSet") {
    return regex_escaped(base.substr(0, kLongestBase)) + "[a-z0-9]{5}";
  }
  if (kind == "Deployment") {
    if (base.size() + kLongestHash + 1 <= kLongestBase) {
      return regex_escaped(base) + "[a-z0-9]+-[a-z0-9]{5}";
    }
    return regex_escaped(base.substr(0, kLongestBase)) + "[a-z0-9-]+";
  }
  return {};
}

std::string pod_names_pattern(std::span<const std::string_view> names) {
  std::set<std::string> patterns;
  for (const std::string_view name : names) {
    const std::size_t dash = name.rfind('-');
    patterns.insert(dash == std::string_view::npos
                        ? regex_escaped(name)
                        : regex_escaped(name.substr(0, dash + 1)) + "[a-z0-9]+");
  }
  std::string pattern;
  for (const std::string& one : patterns) {
    pattern += (pattern.empty() ? "" : "|") + one;
  }
  return pattern;
}

Matchers scope_matchers(const Scope& scope) {
  Matchers matchers = scope.operator_matchers;
  if (!scope.namespace_label.empty()) {
    matchers.push_back({scope.namespace_label, "=", scope.namespace_name});
  }
  if (!scope.pod_label.empty() && !scope.pod_pattern.empty()) {
    matchers.push_back({scope.pod_label, "=~", scope.pod_pattern});
  }
  return matchers;
}

Matchers merge_matchers(const Matchers& preset, const Matchers& user, const Matchers& scope) {
  Matchers merged;
  std::copy_if(preset.begin(), preset.end(), std::back_inserter(merged),
               [&](const Matcher& matcher) { return !names_label(user, matcher.label); });
  append_new(merged, user);
  append_new(merged, scope);
  return merged;
}

Result<std::string> instant_selector(std::string_view metric, const Matchers& matchers) {
  if (!is_metric_name(metric)) {
    return invalid(
        "a metric's name must be of letters, digits, _ and :, not starting with a digit");
  }
  std::string text(metric);
  text += '{';
  for (const Matcher& matcher : matchers) {
    if (auto good = check(matcher); !good) {
      return good.error();
    }
    if (text.back() != '{') {
      text += ',';
    }
    text += matcher.label + matcher.op;
    append_quoted(text, matcher.value);
  }
  text += '}';
  return text;
}

Result<std::string> range_selector(std::string_view metric,
                                   const Matchers& matchers,
                                   Milliseconds window) {
  return instant_selector(metric, matchers).transform([&](const std::string& selector) {
    return selector + "[" + promql_duration(window) + "]";
  });
}

Result<std::string> rate_query(std::string_view metric,
                               const Matchers& matchers,
                               Milliseconds window) {
  return range_selector(metric, matchers, window).transform([](const std::string& selector) {
    return "sum(rate(" + selector + "))";
  });
}

std::string substitute_window(std::string_view query, Milliseconds window) {
  constexpr std::string_view kPlaceholder = "$window";
  std::string text;
  for (std::size_t at = query.find(kPlaceholder); at != std::string_view::npos;
       at = query.find(kPlaceholder)) {
    const std::size_t behind = at + kPlaceholder.size();
    const bool is_whole =
        behind == query.size() || !(starts_name(query[behind]) || http::is_digit(query[behind]));
    text += query.substr(0, at);
    text += is_whole ? promql_duration(window) : std::string(kPlaceholder);
    query.remove_prefix(behind);
  }
  return text.append(query);
}

std::string promql_duration(Milliseconds duration) {
  const auto milliseconds = std::max<Milliseconds::rep>(duration.count(), 1);
  return milliseconds % 1000 == 0 ? std::to_string(milliseconds / 1000) + "s"
                                  : std::to_string(milliseconds) + "ms";
}

}  // namespace scaledcache::prom
