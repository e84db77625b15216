#include "k8s/problem.h"

#include "k8s/utf8.h"

namespace scaledcache::k8s {

std::string join(const Problems& problems, std::size_t max_bytes) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) {
      text += "; ";
    }
    text += problem.sentence();
  }
  return cut_utf8(text, max_bytes);
}

}  // namespace scaledcache::k8s
