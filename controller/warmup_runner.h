// The warm-ups under way: each blocks a thread of its own while the gate goes on looking, and all
// of them share what an origin may be asked.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "cache/origin_budget.h"
#include "cache/warmup.h"
#include "controller/metrics.h"
#include "controller/warm_source.h"
#include "http/address.h"
#include "http/transport.h"
#include "k8s/scaled_cache.h"
#include "runtime/work_queue.h"
#include "runtime/worker_pool.h"

namespace scaledcache::controller {

// How many pods are warmed at once, whatever the ScaledCaches allow; each has `concurrency`
// requests under way.
inline constexpr int kWarmupsAtOnce = 8;

// One pod that is to be warmed.
struct WarmJob {
  std::string key;       // of the pod
  std::string uid;       // of the pod
  std::string identity;  // of its containers
  std::shared_ptr<const k8s::ScaledCache> cache;
  http::Address address{};
  std::optional<http::Address> peer{};  // warm already, to compare with
};

// Thread safe.
class WarmupRunner {
 public:
  struct Parts {
    http::HttpTransport& pods;
    WarmSource& source;
    Clock& clock;
    Metrics& metrics;
    double requests_per_second;  // of all warm-ups together
  };

  // `on_end(job, report)` is called on a thread of the pool once the pod's place is free again.
  using OnEnd = std::function<void(const WarmJob& job, const cache::WarmupReport& report)>;

  WarmupRunner(Parts parts, OnEnd on_end);
  WarmupRunner(const WarmupRunner&) = delete;
  WarmupRunner& operator=(const WarmupRunner&) = delete;

  // Starts the threads; jobs that were begun before wait until then.
  void start();

  // False when no place is free, or this pod is being warmed.
  [[nodiscard]] bool begin(WarmJob job) EXCLUDES(mutex_);

  // Stops the pod's warm-up, if there is one; its end is told all the same.
  void cancel(const std::string& key) EXCLUDES(mutex_);

  // The pod's warm-up; nothing when none is under way.
  [[nodiscard]] std::optional<WarmJob> running(const std::string& key) const EXCLUDES(mutex_);

  [[nodiscard]] cache::WarmupProgress progress(const std::string& key) const EXCLUDES(mutex_);

 private:
  // The origin behind one ScaledCache.
  struct Origin {
    Origin(Clock& clock, cache::OriginBudget* all) : budget(clock, {}, all), health(clock) {}

    cache::OriginBudget budget;
    cache::OriginHealth health;
  };

  struct Run {
    WarmJob job;
    std::shared_ptr<Origin> origin;
    std::stop_source stop;
    std::shared_ptr<cache::Warmup> warmup{};
  };

  void work(const std::string& key, const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] cache::WarmupReport warm(Run& run);
  void attach(const std::string& key, std::shared_ptr<cache::Warmup> warmup) EXCLUDES(mutex_);
  [[nodiscard]] std::optional<Run> find(const std::string& key) const EXCLUDES(mutex_);

  const Parts parts_;
  const OnEnd on_end_;
  cache::OriginBudget budget_;
  cache::OriginBudget sitemaps_;  // one at a time
  cache::WarmupWaves waves_{kWarmupsAtOnce};
  WorkQueue queue_;
  mutable Mutex mutex_;
  std::map<std::string, Run> runs_ GUARDED_BY(mutex_);  // by key of the pod
  std::map<std::string, std::shared_ptr<Origin>> origins_
      GUARDED_BY(mutex_);             // by key of the cache
  std::unique_ptr<WorkerPool> pool_;  // last: its threads use all of the above
};

// "namespace/name" of a ScaledCache.
[[nodiscard]] std::string key_of(const k8s::ScaledCache& cache);

}  // namespace scaledcache::controller
