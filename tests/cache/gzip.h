// Files in gzip for tests.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>

namespace scaledcache::support {

inline std::string gzip(std::string_view content) {
  z_stream stream{};
  constexpr int kGzip = 16;
  constexpr int kMemory = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip + MAX_WBITS, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot set up zlib");
  }
  std::string file(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(file.data());
  stream.avail_out = static_cast<uInt>(file.size());
  deflate(&stream, Z_FINISH);
  file.resize(stream.total_out);
  deflateEnd(&stream);
  return file;
}

}  // namespace scaledcache::support
