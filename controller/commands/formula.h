// Formulas of KEDA's scalingModifiers as PromQL.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace scaledcache::controller {

// The formula with each name replaced by its query. Nothing where it holds more than names,
// numbers, parentheses and + - * /, or a name that is none of `queries`.
[[nodiscard]] std::optional<std::string> query_of_formula(
    std::string_view formula, const std::map<std::string, std::string>& queries);

}  // namespace scaledcache::controller
