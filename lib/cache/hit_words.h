// The words in which caches, and the people who configure them, say where an answer is from.
#pragma once

#include <optional>
#include <string_view>

#include "cache/hit.h"

namespace scaledcache::cache {

// Compared without case; nothing for a word that is none of them.
[[nodiscard]] std::optional<HitVerdict> verdict_of_word(std::string_view word);

}  // namespace scaledcache::cache
