// The content of a file in gzip.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace scaledcache::cache {

[[nodiscard]] bool is_gzip(std::string_view bytes);

// Protocol when the bytes are broken, cut short or hold more than `max_bytes`.
[[nodiscard]] Result<std::string> gunzip(std::string_view bytes, std::size_t max_bytes);

}  // namespace scaledcache::cache
