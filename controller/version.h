#pragma once

#include <string_view>

namespace scaledcache::controller {

// Of this build, as in "0.1.0"; set by the build from the project's version.
inline constexpr std::string_view kVersion = SCALEDCACHE_VERSION;

}  // namespace scaledcache::controller
