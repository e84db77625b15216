// Small files that others rotate: tokens, certificates, kubeconfigs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/result.h"

namespace scaledcache::k8s {

inline constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;

// Reads a whole file, opened anew by its path (files of a pod are replaced by symlink swap).
// NotFound when there is none; Unavailable when it cannot be read; Invalid when it is larger than
// kMaxFileBytes.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

using FileReader = std::function<Result<std::string>(const std::string& path)>;

}  // namespace scaledcache::k8s
