// The warm-up of one pod: gather URLs, fetch each through the pod's own address, then ask for each
// again and see whether it comes out of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cache/origin_budget.h"
#include "cache/pod_door.h"
#include "cache/probe.h"
#include "http/transport.h"

namespace scaledcache::cache {

struct WarmupLimits {
  std::size_t urls = 5'000;                      // with each variant counted
  std::size_t answer_bytes = kMaxAnswerBytes;    // of one body
  std::uint64_t bytes = std::uint64_t{4} << 30;  // of all bodies of one warm-up
  std::size_t proved = 16;                       // of WarmupReport::proved
};

// What to fetch, and how; the same for all pods of a fleet.
struct WarmupPlan {
  PodDoor door{};
  std::vector<std::string> paths{};  // as clean_paths() gives them, the hottest first
  std::string sitemap{};             // a path; "": none
  bool discover_assets = false;
  std::vector<http::Headers> variants{};  // request headers; empty: one plain pass
  std::string hit_header{};               // as for judge_hit()
  int concurrency = 4;                    // requests at a time to the pod
  Milliseconds timeout{120'000};          // of the whole warm-up
  Milliseconds request_timeout{5'000};
  Milliseconds listener_patience{10'000};  // how long a refused connection is tried again
  WarmupLimits limits{};
};

// What a warm-up works with; all must outlive it. `origin` and `health` are those of its
// ScaledCache.
struct WarmupDoors {
  http::HttpTransport& transport;
  OriginBudget& origin;
  OriginHealth& health;
  Clock& clock;
  OriginBudget* sitemaps = nullptr;  // whose turn it is to read one: a full one takes tens of MiB
};

enum class WarmupEnd {
  Finished,       // every URL was fetched and judged
  Cancelled,      // stopped from outside
  TimedOut,       // the plan's timeout passed
  OriginFailing,  // left the origin alone; to be tried again later
  NoAnswer,       // nobody answers at the pod's port, its certificate is refused, or the only
                  // source of URLs, a sitemap, cannot be read
  TooMuch,        // the bodies passed the limit on bytes
  Invalid,        // the plan makes no URL
};

[[nodiscard]] std::string_view name_of(WarmupEnd end);

// Counts are of URLs with each variant counted. Once Finished,
// urls = hits + stale + misses + uncacheable + unknown + errors.
struct WarmupReport {
  WarmupEnd end = WarmupEnd::Finished;
  OriginTrouble origin = OriginTrouble::None;
  int urls = 0;
  int fetched = 0;      // the first time
  int hits = 0;         // asked again, they came out of the cache
  int stale = 0;        // the same, but expired; they count as hits
  int misses = 0;       // not out of the cache, although they were asked for several times
  int uncacheable = 0;  // can never come out of the cache; they do not count
  int unknown = 0;      // no header says where the answer is from
  int errors = 0;       // no answer, 5xx, or another answer than the warm peer's
  std::uint64_t bytes = 0;
  Milliseconds duration{0};
  std::string trouble{};            // one sentence where something went wrong, of ours alone
  std::vector<ProvedUrl> proved{};  // hits to probe with, spread over all of them

  [[nodiscard]] int cacheable() const { return urls - uncacheable; }

  // (hits + stale) ÷ cacheable, rounded down; 0 where nothing is cacheable.
  [[nodiscard]] int hit_percent() const;
};

struct WarmupProgress {
  int urls = 0;
  int fetched = 0;
  int judged = 0;
  int hits = 0;  // stale ones included
};

class WarmupRun;

// One warm-up. run() is called once and blocks; progress() may be called from any thread meanwhile.
class Warmup {
 public:
  // `pod` was vetted by the caller to belong to the target; the transport judges the address again.
  // `peer` is a pod that is warm already, to compare with.
  Warmup(const WarmupPlan& plan,
         const WarmupDoors& doors,
         const http::Address& pod,
         std::optional<http::Address> peer = std::nullopt);
  ~Warmup();

  // Fetches the first time within the origin's budget, with `concurrency` threads of its own that
  // end before it returns. A URL that misses is asked again up to four times within about two
  // seconds.
  [[nodiscard]] WarmupReport run(std::stop_token stop);

  [[nodiscard]] WarmupProgress progress() const;

 private:
  const std::unique_ptr<WarmupRun> run_;
};

}  // namespace scaledcache::cache
