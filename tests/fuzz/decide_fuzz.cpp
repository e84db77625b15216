// Feeds any bytes as answers, pods and ticks to the core (`make fuzz`); a crash, a rate that is not
// finite or a count out of bounds is a finding.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/builders.h"
#include "core/conditions.h"
#include "core/describe.h"
#include "core/rates.h"

namespace scaledcache::core {
namespace {

// Takes values from the input; zeros where it has ended.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t length = std::min(sizeof(T), size_);
    std::memcpy(&value, data_, length);
    data_ += length;
    size_ -= length;
    return value;
  }

  int below(int most) { return take<std::uint8_t>() % most; }

  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

WallTime near(Bytes& bytes, WallTime now) {
  return now + std::chrono::milliseconds{bytes.take<std::int32_t>() / 1000};
}

Policy any_policy(Bytes& bytes) {
  Policy policy = test::policy(bytes.below(4), 0);
  policy.max_replicas = policy.min_replicas + 1 + bytes.below(100);
  policy.signals[0].kind = bytes.below(2) == 0 ? SignalKind::Counter : SignalKind::Query;
  policy.signals[0].saturation = static_cast<SaturationKind>(bytes.below(3));
  policy.fallback.behavior = static_cast<FallbackBehavior>(bytes.below(5));
  policy.fallback.replicas = bytes.below(120);
  policy.scale_down.outage_hold = 1 + bytes.below(4);
  policy.scale_up.look_ahead_percent = bytes.below(101);
  policy.dry_run = bytes.below(8) == 0;
  return policy;
}

std::vector<Series> any_series(Bytes& bytes, WallTime now) {
  std::vector<Series> series(static_cast<std::size_t>(bytes.below(5)));
  for (Series& one : series) {
    one.labels = {{"pod", "p" + std::to_string(bytes.below(5))},
                  {"job", bytes.below(2) == 0 ? "a" : "b"}};
    std::int64_t time = near(bytes, now).time_since_epoch().count() - 60'000;
    for (int i = bytes.below(16); i > 0; --i) {
      time += bytes.take<std::uint16_t>() % 20'000;
      one.samples.push_back({time, bytes.take<double>()});
    }
  }
  return series;
}

std::vector<PodFacts> any_pods(Bytes& bytes, WallTime now) {
  std::vector<PodFacts> pods(static_cast<std::size_t>(bytes.below(6)));
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const int flags = bytes.below(256);
    pods[i].name = "p" + std::to_string(i);
    pods[i].phase = static_cast<PodPhase>(flags % 5);
    pods[i].belongs = (flags & 8) != 0;
    pods[i].ready = (flags & 16) != 0;
    pods[i].terminating = (flags & 32) != 0;
    pods[i].baseline = (flags & 64) != 0;
    if ((flags & 128) != 0) {
      pods[i].ready_since = near(bytes, now);
      pods[i].ready_until = near(bytes, now);
      pods[i].container_started = near(bytes, now);
    }
  }
  return pods;
}

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void tick(Bytes& bytes, const Policy& policy, History& history, WallTime now) {
  Question question = question_for(policy, policy.signals[0], history, now);
  question.backend_now = near(bytes, now);
  const std::vector<Series> series = any_series(bytes, now);
  const std::vector<PodFacts> pods = any_pods(bytes, now);
  SignalReading reading = policy.signals[0].kind == SignalKind::Counter
                              ? read_counter(question, series, pods)
                              : read_value(question, bytes.take<double>());
  require(std::isfinite(reading.short_rate) && reading.short_rate >= 0);
  if (bytes.below(2) == 0) {
    reading.saturation = bytes.take<double>();
  }
  Observation observation = test::observe(bytes.below(130), reading);
  observation.draining = bytes.below(3);
  observation.pause.paused = bytes.below(16) == 0;
  observation.contender = static_cast<Contender>(bytes.below(24) == 0 ? 1 : 0);
  const Decision decision = decide(policy, observation, history, now);
  const bool free = !decision.fighting && decision.reason != Reason::Paused &&
                    decision.reason != Reason::Contested && decision.from > 0;
  require(!free ||
          (decision.replicas >= policy.min_replicas && decision.replicas <= policy.max_replicas));
  require(!describe(policy, observation, decision, now).empty());
  require(judge_conditions(policy, observation, decision, now).size() == 6);
  history = bytes.below(8) == 0 ? restore(keep(decision.history), now) : decision.history;
}

}  // namespace
}  // namespace scaledcache::core

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scaledcache::core;  // NOLINT(google-build-using-namespace)
  Bytes bytes(data, size);
  const Policy policy = any_policy(bytes);
  History history = first_history(test::kStart);
  scaledcache::WallTime now = test::kStart;
  for (int i = 0; i < 40 && !bytes.empty(); ++i) {
    tick(bytes, policy, history, now);
    now += std::chrono::milliseconds{bytes.take<std::uint16_t>()};
  }
  return 0;
}
