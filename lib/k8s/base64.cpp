#include "k8s/base64.h"

#include <algorithm>
#include <cstdint>

namespace scaledcache::k8s {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits of a character, or -1.
int sextet_of(char c) {
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

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8U) | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kAlphabet[(bits >> (18U - 6U * i)) & 0x3FU] : '=';
    }
  }
  return text;
}

}  // namespace scaledcache::k8s
