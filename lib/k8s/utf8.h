// Cutting text for fields of limited length without leaving half a character behind.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scaledcache::k8s {

// The longest prefix of at most `max_bytes` bytes that ends between two characters of UTF-8.
[[nodiscard]] std::string cut_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace scaledcache::k8s
