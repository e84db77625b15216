// What somebody meant who typed a name that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace scaledcache {

// The candidate that a typing mistake most likely meant; empty where none is near.
[[nodiscard]] std::string nearest(std::string_view text,
                                  std::span<const std::string_view> candidates);

}  // namespace scaledcache
