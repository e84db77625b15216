#include "cache/gunzip.h"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

namespace scaledcache::cache {
namespace {

// Owns what zlib keeps of one file.
class Inflater {
 public:
  explicit Inflater(std::string_view input) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = static_cast<uInt>(input.size());
    constexpr int kGzipOnly = 16;
    ready_ = inflateInit2(&stream_, kGzipOnly + MAX_WBITS) == Z_OK;
  }

  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  ~Inflater() {
    if (ready_) {
      inflateEnd(&stream_);
    }
  }

  // The next piece of output into `piece`; zlib's code.
  template <std::size_t size>
  int next(std::array<char, size>& piece, std::size_t& count) {
    if (!ready_) {
      return Z_MEM_ERROR;
    }
    stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream_.avail_out = static_cast<uInt>(size);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    count = size - stream_.avail_out;
    return code;
  }

  // A file may be several, one behind the other. False when no other follows.
  bool go_on() {
    return stream_.avail_in > 0 && *stream_.next_in == 0x1f && inflateReset(&stream_) == Z_OK;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<std::string> gunzip(std::string_view bytes, std::size_t max_bytes) {
  if (bytes.size() > std::numeric_limits<uInt>::max()) {
    return Error{ErrorCode::Protocol, "the gzip file is too long"};
  }
  Inflater inflater(bytes);
  std::string content;
  std::array<char, std::size_t{16} << 10> piece{};
  while (true) {
    std::size_t count = 0;
    const int code = inflater.next(piece, count);
    if (code != Z_OK && code != Z_STREAM_END) {
      return Error{ErrorCode::Protocol, "the gzip file is broken"};
    }
    if (count > max_bytes - content.size()) {
      return Error{ErrorCode::Protocol, "the gzip file holds more than it may"};
    }
    content.append(piece.data(), count);
    if (code == Z_STREAM_END && !inflater.go_on()) {
      return content;
    }
  }
}

}  // namespace scaledcache::cache
