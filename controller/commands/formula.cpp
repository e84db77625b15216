#include "controller/commands/formula.h"

#include <cctype>

namespace scaledcache::controller {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::optional<std::string> query_of_formula(std::string_view formula,
                                            const std::map<std::string, std::string>& queries) {
  constexpr std::string_view kAllowed = "0123456789.+-*/() ";
  std::string query;
  bool has_name = false;
  while (!formula.empty()) {
    if (!is_letter(formula.front())) {
      if (kAllowed.find(formula.front()) == std::string_view::npos) {
        return std::nullopt;
      }
      query += formula.front();
      formula.remove_prefix(1);
      continue;
    }
    std::size_t length = 1;
    while (length < formula.size() && is_part(formula[length])) {
      ++length;
    }
    const auto found = queries.find(std::string(formula.substr(0, length)));
    if (found == queries.end()) {
      return std::nullopt;
    }
    // As numbers, since labels that differ keep two vectors from being added.
    query += "scalar(" + found->second + ")";
    has_name = true;
    formula.remove_prefix(length);
  }
  return has_name ? std::optional(query) : std::nullopt;
}

}  // namespace scaledcache::controller
