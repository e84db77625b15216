// The model of a fleet: pods that come and go, traffic split evenly over them, counters that are
// scraped, and everything that can go wrong with either. One second resolution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/observation.h"
#include "core/rates.h"
#include "core/samples.h"
#include "sim/load.h"
#include "sim/scenario.h"

namespace scaledcache::sim {

using Second = std::int64_t;

// What flowed in one second.
struct Flow {
  double offered = 0;
  double plain = 0;  // offered, without its noise
  double refused = 0;
};

class Fleet {
 public:
  explicit Fleet(const Scenario& scenario);

  // The second now; begins before 0, where the first rate flows already.
  [[nodiscard]] Second now() const { return now_; }

  // Lets the second `now` flow and goes on to the next.
  void flow();

  // Pods that are due get ready, scrapes are taken: to be called once per second, before deciding.
  void settle();

  // Orders or removes pods so that `count` are wanted; `ours` tells who wrote it.
  void scale(int count, bool ours);
  void crash_one();
  void reset_counters();
  void roll_out(const RolloutPlan& plan);
  void set_baseline(int pods);

  // What a tick sees, but for the annotations. The reference stays good until the next call.
  [[nodiscard]] const core::Observation& observe(const core::Policy& policy,
                                                 const core::History& history);

  [[nodiscard]] int replicas() const { return replicas_; }

  [[nodiscard]] int ready_pods() const { return serving_ - baseline_; }

  [[nodiscard]] int baseline_pods() const { return baseline_; }

  // Of the second that flowed last; index by signal.
  [[nodiscard]] const std::vector<Flow>& flows() const { return flows_; }

 private:
  struct Pod {
    int number = 0;
    std::string name;
    bool baseline = false;
    bool new_revision = false;
    Second ordered = 0;
    Second ready_at = 0;               // when it gets, or got, ready
    Second up_since = 0;               // start of its present or last container
    std::optional<Second> gone_at;     // when it was removed
    std::optional<Second> crashed_at;  // while it is down
    bool ran_before = false;           // ready before t = 0
    bool serving = false;
    bool warm_reported = false;
    std::vector<double> stopped_at;  // what the fleet's share was when it was removed, by signal
    std::vector<double> start;       // what the fleet's share was when the counter was 0, by signal
    std::vector<std::vector<core::Sample>> samples;
    std::vector<char> failing;  // the last scrape failed, by signal
  };

  // Old pods are replaced in batches as large as the surge; those of a batch go when its new pods
  // are ready.
  struct Rollout {
    Second from = 0;
    Second to = 0;
    int surge = 1;
    int batches = 1;
    int ordered = 0;      // batches
    int outstanding = 0;  // old pods that go at `batch_ready`
    Second batch_ready = 0;
  };

  [[nodiscard]] bool has(FaultKind kind, std::size_t signal) const;
  [[nodiscard]] const Fault* find(FaultKind kind, std::size_t signal) const;
  [[nodiscard]] bool is_silent(const Pod& pod, std::size_t signal) const;
  [[nodiscard]] WallTime wall(Second second) const;
  [[nodiscard]] std::int64_t stamp(Second second) const;
  [[nodiscard]] double served_of(double offered) const;
  void count(std::size_t signal, double served, double at_the_door);
  void start_pod(Pod& pod);
  void stop_pod(Pod& pod);
  void order_pod(Second ready_at, bool baseline);
  void remove_newest();
  void remove_old(int count);
  void find_serving();
  void advance_rollout();
  void scrape(Pod& pod);
  void scrape_signal(Pod& pod, std::size_t signal);
  void forget_old();
  void observe_pods();
  void list_pod(const Pod& pod);
  void list_others(FaultKind kind, core::PodPhase phase, bool terminating, const char* name);
  [[nodiscard]] core::SignalReading read(const core::Policy& policy,
                                         const core::History& history,
                                         std::size_t signal);
  [[nodiscard]] core::SignalReading read_counter(const core::Question& question,
                                                 std::size_t signal);
  [[nodiscard]] core::SignalReading read_query(const core::Question& question, std::size_t signal);
  void collect(const core::Question& question, std::size_t signal);
  void fill_history(core::SignalReading& reading,
                    const core::Question& question,
                    std::size_t signal) const;
  [[nodiscard]] double counted_between(std::size_t signal, Second from, Second to) const;
  [[nodiscard]] std::optional<double> saturation(std::size_t signal, Milliseconds window) const;

  const Scenario& scenario_;
  std::size_t signals_;
  std::vector<LoadCurve> curves_;
  Second now_ = 0;
  Second scrape_every_ = 5;
  Second keep_ = 0;  // samples and sums are kept for so long
  int replicas_ = 0;
  int baseline_ = 0;
  int next_number_ = 0;
  std::uint64_t revision_ = 0;
  std::vector<Pod> pods_;
  int serving_ = 0;            // pods that share the traffic
  std::vector<double> share_;  // requests per serving pod since the beginning, by signal
  std::vector<double> shown_;  // what counters show of it; it stands still while they are frozen
  std::vector<std::vector<double>> sums_;     // query total up to each second, by signal
  std::vector<std::vector<double>> refused_;  // refused up to each second, by signal
  Second sums_from_ = 0;
  std::vector<Flow> flows_;
  std::optional<Rollout> rollout_;
  core::CountWrite last_write_;
  bool written_ = false;
  core::Observation observation_;
  std::vector<core::PodFacts> facts_;
  std::vector<core::Series> answer_;  // its first `answers_` are the answer
  std::size_t answers_ = 0;
};

}  // namespace scaledcache::sim
