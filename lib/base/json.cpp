#include "base/json.h"

namespace scaledcache {

Result<Json> parse_json(std::string_view text, int max_depth) {
  bool too_deep = false;
  const Json::parser_callback_t keep = [&](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= max_depth) {
      too_deep = true;
    }
    return !too_deep;
  };
  Json value = Json::parse(text.begin(), text.end(), keep, /*allow_exceptions=*/false);
  if (too_deep) {
    return Error{ErrorCode::Protocol,
                 "JSON nested deeper than " + std::to_string(max_depth) + " levels"};
  }
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
