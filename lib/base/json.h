// Reading and writing JSON with the limits that nlohmann/json lacks: a cap on depth while parsing
// (deep values overflow the stack later, when copied or compared) and no exception on bytes that
// are not UTF-8. `core` must not include this.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace scaledcache {

using Json = nlohmann::json;

// Parses one whole JSON document. Protocol when it is not JSON, is deeper than `max_depth`, or ends
// early; the message holds the position, never the text.
[[nodiscard]] Result<Json> parse_json(std::string_view text, int max_depth);

// Compact text; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string dump_json(const Json& value);

// The member `key` of an object, or nullptr when `object` is no object or has no such member.
[[nodiscard]] const Json* find_member(const Json& object, std::string_view key);

// The string member `key`, or an empty string when it is absent or of another type.
[[nodiscard]] std::string string_member(const Json& object, std::string_view key);

// The integer member `key`, or `fallback` when it is absent or of another type.
[[nodiscard]] std::int64_t integer_member(const Json& object,
                                          std::string_view key,
                                          std::int64_t fallback);

}  // namespace scaledcache
