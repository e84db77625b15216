// What the status page knows: every ScaledCache as it was last seen, and a bounded past of each.
// The reconciler writes, the page reads; without the page there is no book.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "controller/page_facts.h"

namespace scaledcache::controller {

inline constexpr std::size_t kMaxPagePoints = 240;
inline constexpr std::size_t kMaxPageDecisions = 20;
// Two points are at least this far apart: with the default pollInterval each look is one, and 240
// of them are 20 minutes.
inline constexpr Milliseconds kPagePointSpacing{4'000};

// One point of the chart, small because there may be 240 of them for each of 500 ScaledCaches.
struct PagePoint {
  std::uint32_t second = 0;  // since 1970
  float rate = 0;            // requests per second of the first signal, over the short window;
                             // NaN where it is unknown
  float peak = 0;            // its peak, as shrinking sees it
  float q = 0;               // requests per second that one replica is planned for
  std::int32_t replicas = 0;
  std::int32_t serving = 0;  // of them warm, or ready where pods are not gated
};

struct PageDecision {
  WallTime since{};  // the first of the looks that came to this
  int from = 0;
  int to = 0;
  std::string reason;
  std::string sentence;  // of the newest of them
};

struct PageDetail {
  std::shared_ptr<const PageCache> cache;
  std::vector<PagePoint> points;        // oldest first
  std::vector<PageDecision> decisions;  // newest first
};

struct PageChanges {
  std::vector<std::shared_ptr<const PageCache>> caches;
  std::vector<std::string> gone;  // keys
};

// Thread safe; what it returns is a copy.
class PageBook {
 public:
  void note_look(const Look& look, const k8s::Status& status) EXCLUDES(mutex_);
  void note_failure(const k8s::ScaledCache& cache,
                    const k8s::Status& status,
                    const Error& error,
                    WallTime now) EXCLUDES(mutex_);
  void forget(const std::string& key) EXCLUDES(mutex_);

  // By key.
  [[nodiscard]] std::vector<std::shared_ptr<const PageCache>> all() const EXCLUDES(mutex_);

  [[nodiscard]] std::optional<PageDetail> find(const std::string& key) const EXCLUDES(mutex_);

  // What happened since it was last asked, for the one who tells all readers.
  [[nodiscard]] PageChanges take_changes() EXCLUDES(mutex_);

 private:
  struct Entry {
    std::shared_ptr<const PageCache> cache;
    std::deque<PagePoint> points;
    std::deque<PageDecision> decisions;  // newest first
  };

  Entry& put(PageCache page) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Entry> entries_ GUARDED_BY(mutex_);
  std::set<std::string> changed_ GUARDED_BY(mutex_);  // keys, also of those that are gone
};

}  // namespace scaledcache::controller
