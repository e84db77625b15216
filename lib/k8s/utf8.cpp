#include "k8s/utf8.h"

namespace scaledcache::k8s {

std::string cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return std::string(text);
  }
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  std::size_t end = max_bytes;
  while (end > 0 && continues(end)) {
    --end;
  }
  return std::string(text.substr(0, end));
}

}  // namespace scaledcache::k8s
