#include "base/json.h"

namespace scaledcache {
namespace {

// Counts brackets outside strings. The parser's own callback could do this, but with a callback the
// parser takes quadratic time on a long array of objects.
bool is_deeper_than(int max_depth, std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      in_string = c != '"';
      i += c == '\\' ? 1 : 0;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
    if (depth > max_depth) {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<Json> parse_json(std::string_view text, int max_depth) {
  if (is_deeper_than(max_depth, text)) {
    return Error{ErrorCode::Protocol,
                 "JSON nested deeper than " + std::to_string(max_depth) + " levels"};
  }
  Json value = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) {
    return Error{ErrorCode::Protocol, "not a JSON document"};
  }
  return value;
}

std::string dump_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json* find_member(const Json& object, std::string_view key) {
  if (!object.is_object()) {
    return nullptr;
  }
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

std::string string_member(const Json& object, std::string_view key) {
  const Json* member = find_member(object, key);
  return member != nullptr && member->is_string() ? member->get<std::string>() : std::string();
}

std::int64_t integer_member(const Json& object, std::string_view key, std::int64_t fallback) {
  const Json* member = find_member(object, key);
  return member != nullptr && member->is_number_integer() ? member->get<std::int64_t>() : fallback;
}

}  // namespace scaledcache
