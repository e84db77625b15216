// The Cache-Status header of RFC 9211.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scaledcache::cache {

// What one cache says of an answer; of its parameters those that tell where it is from.
struct CacheStatus {
  std::string cache;  // its name
  bool hit = false;
  std::string fwd;                // why it went forward, in lower case; "": it says nothing
  std::optional<int> fwd_status;  // of the answer it got
  std::optional<long> ttl;        // seconds; below 0: stale

  bool operator==(const CacheStatus&) const = default;
};

// Of the cache nearest to the client, the last member of the last of `lines`. Nothing without a
// member. Parameters that are unknown or broken are passed over.
[[nodiscard]] std::optional<CacheStatus> last_cache_status(
    const std::vector<std::string_view>& lines);

}  // namespace scaledcache::cache
