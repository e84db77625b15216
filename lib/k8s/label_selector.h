// Label selectors as a list request takes them: `app=web,tier in (a,b),!x,y!=z,k`.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace scaledcache::k8s {

using Labels = std::map<std::string, std::string>;

class LabelSelector {
 public:
  enum class Operator { In, NotIn, Exists, DoesNotExist };

  // `values` is for In and NotIn; `a=b` is In with one value, `a!=b` NotIn.
  struct Requirement {
    std::string key;
    Operator op = Operator::Exists;
    std::set<std::string> values{};

    // A label that is absent satisfies NotIn, as for the API server.
    [[nodiscard]] bool holds(const Labels& labels) const;

    bool operator==(const Requirement&) const = default;
  };

  // Selects everything, as an empty selector does in a list request.
  LabelSelector() = default;

  // Invalid, with one sentence, for what the API server would refuse. The comparisons > and < of
  // node selectors are refused too.
  [[nodiscard]] static Result<LabelSelector> parse(std::string_view text);

  // True when every requirement holds. Any thread.
  [[nodiscard]] bool matches(const Labels& labels) const;

  [[nodiscard]] const std::vector<Requirement>& requirements() const { return requirements_; }

  bool operator==(const LabelSelector&) const = default;

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace scaledcache::k8s
