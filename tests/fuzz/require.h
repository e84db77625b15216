// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace scaledcache::fuzz {

// A promise that is broken is a finding, as a crash is.
inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// The library's texts are chars, the fuzzer's bytes are not.
inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace scaledcache::fuzz
