#include "k8s/base64.h"

#include <cstdint>

namespace scaledcache::k8s {
namespace {

// The six bits of a character, or -1.
int sextet_of(char c) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;  // characters of the alphabet so far
  int padding = 0;
  for (const char c : text) {
    if (is_space(c)) {
      continue;
    }
    if (c == '=') {
      ++padding;
      continue;
    }
    const int sextet = sextet_of(c);
    if (sextet < 0 || padding > 0) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(sextet);
    ++count;
    if (count % 4 != 1) {
      const unsigned unused = 2U * (3U - static_cast<unsigned>(count - 1) % 4U);
      bytes += static_cast<char>((bits >> unused) & 0xFFU);
    }
  }
  const int wanted_padding = (4 - count % 4) % 4;
  if (count % 4 == 1 || padding != wanted_padding) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace scaledcache::k8s
