#include "base/spelling.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace scaledcache {
namespace {

// Edit distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view text, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, text.size() / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t off = distance(text, candidate);
    if (off < least) {
      least = off;
      best = candidate;
    }
  }
  return std::string(best);
}

}  // namespace scaledcache
