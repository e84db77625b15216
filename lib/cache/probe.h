// One question to a pod that was proven warm: is it still?
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "cache/pod_door.h"
#include "http/transport.h"

namespace scaledcache::cache {

// More of one body is not taken.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{64} << 20;

// A page that a warm-up has seen come out of the cache.
struct ProvedUrl {
  std::string path{};       // with the query
  http::Headers headers{};  // of the variant
  bool by_head = false;     // this cache answers HEAD out of its cache as well

  bool operator==(const ProvedUrl&) const = default;
};

enum class ProbeResult {
  Hit,
  Miss,   // not from the cache
  Error,  // no answer, 5xx, or no header that tells: says nothing about warmth
};

[[nodiscard]] std::string_view name_of(ProbeResult result);

struct ProbeOptions {
  std::string hit_header{};  // as for judge_hit()
  Milliseconds timeout{2'000};
};

struct ProbeAnswer {
  ProbeResult result = ProbeResult::Error;
  std::optional<Milliseconds> age{};        // by the Age header
  std::optional<Milliseconds> fresh_for{};  // from its fetch on, by Cache-Control
};

// Asks the pod at `address` once, with HEAD where the URL allows it; thread safe, blocks no longer
// than the timeout. A probe that misses makes most caches fetch the page again.
[[nodiscard]] ProbeAnswer probe(http::HttpTransport& transport,
                                const PodDoor& door,
                                const http::Address& address,
                                const ProvedUrl& url,
                                const ProbeOptions& options,
                                std::stop_token stop);

}  // namespace scaledcache::cache
