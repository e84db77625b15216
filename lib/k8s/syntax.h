// Which texts may stand where: names of objects, labels, metrics and headers. ASCII only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scaledcache::k8s {

// a-z, 0-9 and '-' (and '.' where `dots`), with a letter or digit at both ends.
[[nodiscard]] bool is_dns_name(std::string_view text, std::size_t max_bytes, bool dots);

// A letter, then letters and digits: the kind of an object.
[[nodiscard]] bool is_kind(std::string_view text);

// [a-zA-Z_][a-zA-Z0-9_]*, the name of a label; of a metric, which may hold colons, where `colons`.
[[nodiscard]] bool is_identifier(std::string_view text, bool colons);

// The name of a header (RFC 9110, section 5.6.2, token).
[[nodiscard]] bool is_token(std::string_view text);

// Whether a byte below 0x20 or 0x7f is in `text`, other than those of `allowed`.
[[nodiscard]] bool has_control_character(std::string_view text, std::string_view allowed = {});

[[nodiscard]] std::string to_lower(std::string_view text);

}  // namespace scaledcache::k8s
