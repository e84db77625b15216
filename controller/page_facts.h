// What the status page shows: plain values, made from a look at a ScaledCache and from its status.
// Nothing here can hold a secret, because neither of them can.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "controller/look.h"
#include "k8s/condition.h"
#include "k8s/pod_status.h"
#include "k8s/scaled_cache.h"

namespace scaledcache::controller {

// How a ScaledCache stands, worst last.
enum class PageStanding {
  Good,       // as wished
  Moving,     // pods come, are warmed, or go
  Paused,     // by people: an annotation, a dry run, scaled to zero
  Attention,  // works, but somebody should know
  Broken      // cannot decide, or decides without data
};

// "good", "moving", …
[[nodiscard]] std::string_view name_of(PageStanding standing);

struct PageSignal {
  std::string name;
  std::string health;
  std::string problem;  // why it is not Fresh; "" when it is
  double rate = 0;      // requests per second over the short window; NaN where it is unknown
  double peak = 0;      // what shrinking acts on
  double q = 0;         // requests per second that one replica is planned for
  int wish = 0;         // replicas
  bool saturated = false;
  std::optional<Milliseconds> sample_age;
  double coverage = 1;  // 0 … 1
};

// One ScaledCache as it was last seen.
struct PageCache {
  std::string name_space;
  std::string name;
  std::string target;  // "Deployment/varnish"
  int min_replicas = 0;
  int max_replicas = 0;
  Milliseconds short_window{0};
  Milliseconds long_window{0};
  int replicas = 0;
  int desired = 0;
  int ready = 0;
  int warm = 0;
  int warming = 0;
  int draining = 0;
  bool gated = false;  // its pods are warmed before they serve
  PageStanding standing = PageStanding::Moving;
  std::string reason;
  std::string sentence;
  WallTime looked{};
  std::vector<PageSignal> signals;   // the first one is what the chart draws
  std::vector<k8s::PodStatus> pods;  // worst first where gated; at most kMaxPagePods
  std::vector<k8s::Condition> conditions;

  [[nodiscard]] std::string key() const { return name_space + "/" + name; }
};

inline constexpr std::size_t kMaxPagePods = 256;

// After a look; `status` is what was last written or seen.
[[nodiscard]] PageCache page_after_look(const Look& look, const k8s::Status& status);

// After a look that came to nothing. The measured values of `before` stay, if there are any.
[[nodiscard]] PageCache page_after_failure(std::optional<PageCache> before,
                                           const k8s::ScaledCache& cache,
                                           const k8s::Status& status,
                                           const Error& error,
                                           WallTime now);

}  // namespace scaledcache::controller
