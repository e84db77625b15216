#include "k8s/label_selector.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace scaledcache::k8s {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

constexpr std::size_t kMaxKey = 253 + 1 + 63;  // prefix / name
constexpr std::size_t kMaxValue = 63;

Error invalid(const std::string& what) {
  return Error{ErrorCode::Invalid, what +
                                       "; write a selector as kubectl takes it: app=web,tier "
                                       "in (a,b),!debug"};
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_word(char c) {
  return is_plain(c) || c == '-' || c == '_' || c == '.' || c == '/';
}

void skip_spaces(std::string_view& rest) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n')) {
    rest.remove_prefix(1);
  }
}

// The longest run of characters that keys and values are made of; may be empty.
std::string take_word(std::string_view& rest) {
  skip_spaces(rest);
  const auto end = std::find_if_not(rest.begin(), rest.end(), is_word);
  std::string word(rest.begin(), end);
  rest.remove_prefix(word.size());
  skip_spaces(rest);
  return word;
}

bool take(std::string_view& rest, std::string_view token) {
  skip_spaces(rest);
  if (!rest.starts_with(token)) {
    return false;
  }
  rest.remove_prefix(token.size());
  return true;
}

// At most one '/', a letter or digit at both ends of each part.
bool is_key(std::string_view text) {
  const auto is_part = [](std::string_view part) {
    return !part.empty() && is_plain(part.front()) && is_plain(part.back());
  };
  const std::size_t slash = text.find('/');
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  return text.size() <= kMaxKey && name.size() <= 63 && is_part(name) &&
         name.find('/') == std::string_view::npos &&
         (slash == std::string_view::npos || is_part(text.substr(0, slash)));
}

bool is_value(std::string_view text) {
  return text.empty() || (text.size() <= kMaxValue && text.find('/') == std::string_view::npos &&
                          is_plain(text.front()) && is_plain(text.back()));
}

Result<std::set<std::string>> take_values(std::string_view& rest, const std::string& key) {
  if (!take(rest, "(")) {
    return invalid("the values of label " + key + " need parentheses");
  }
  std::set<std::string> values;
  do {
    std::string value = take_word(rest);
    if (!is_value(value)) {
      return invalid("\"" + value + "\" is no label value");
    }
    values.insert(std::move(value));
  } while (take(rest, ","));
  if (!take(rest, ")")) {
    return invalid("a parenthesis behind label " + key + " has no partner");
  }
  return values;
}

// What stands behind the key: `=b`, `==b`, `!=b`, `in (…)`, `notin (…)` or nothing.
Result<Requirement> take_condition(std::string_view& rest, std::string key) {
  const bool differs = take(rest, "!=");
  if (differs || take(rest, "==") || take(rest, "=")) {
    std::string value = take_word(rest);
    if (!is_value(value)) {
      return invalid("\"" + value + "\" is no label value");
    }
    return Requirement{
        std::move(key), differs ? Operator::NotIn : Operator::In, {std::move(value)}};
  }
  const std::string word = take_word(rest);
  if (word.empty()) {
    return Requirement{std::move(key), Operator::Exists, {}};
  }
  if (word != "in" && word != "notin") {
    return invalid("\"" + word + "\" behind label " + key + " is no operator");
  }
  auto values = take_values(rest, key);
  if (!values) {
    return values.error();
  }
  return Requirement{std::move(key), word == "in" ? Operator::In : Operator::NotIn,
                     *std::move(values)};
}

Result<Requirement> take_requirement(std::string_view& rest) {
  const bool absent = take(rest, "!");
  std::string key = take_word(rest);
  if (!is_key(key)) {
    return invalid(key.empty() ? "a label name is missing" : "\"" + key + "\" is no label name");
  }
  if (absent) {
    return Requirement{std::move(key), Operator::DoesNotExist, {}};
  }
  return take_condition(rest, std::move(key));
}

}  // namespace

bool LabelSelector::Requirement::holds(const Labels& labels) const {
  const auto label = labels.find(key);
  const bool present = label != labels.end();
  switch (op) {
    case Operator::In:
      return present && values.contains(label->second);
    case Operator::NotIn:
      return !present || !values.contains(label->second);
    case Operator::Exists:
      return present;
    case Operator::DoesNotExist:
      return !present;
  }
  return false;
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  skip_spaces(text);
  if (text.empty()) {
    return selector;
  }
  do {
    auto requirement = take_requirement(text);
    if (!requirement) {
      return requirement.error();
    }
    selector.requirements_.push_back(*std::move(requirement));
  } while (take(text, ","));
  skip_spaces(text);
  if (!text.empty()) {
    return invalid("a comma is missing behind label " + selector.requirements_.back().key);
  }
  return selector;
}

bool LabelSelector::matches(const Labels& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return requirement.holds(labels); });
}

}  // namespace scaledcache::k8s
