// The operator's own metrics, in Prometheus' text format. Names carry the prefix scaledcache_, base
// units, and label sets that are fixed or bounded by the number of ScaledCaches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "core/decision.h"
#include "core/drain.h"
#include "core/guards.h"
#include "core/scaling_effect.h"
#include "core/warmth.h"

namespace scaledcache::controller {

// Thread safe. Counters of every Reason and ErrorCode exist from the start, at zero.
class Metrics {
 public:
  explicit Metrics(std::string_view version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void count_decision(core::Reason reason);
  void count_error(ErrorCode code);
  void count_write(std::string_view what);  // "scale", "status" or "event"
  void observe_query(std::chrono::milliseconds took);
  void observe_reconcile(std::chrono::milliseconds took);

  // A write of a pod's readiness gate.
  void count_gate(bool open);
  // A probe of a pod that was proven warm: "Hit", "Miss" or "Error".
  void count_probe(std::string_view result);
  // A warm-up that ended as `end` says ("Finished", "TimedOut", …) after so many requests.
  void observe_warmup(std::string_view end, std::uint64_t requests, std::chrono::milliseconds took);
  // A review that the webhook has answered: "Injected", "Unchanged" or "Malformed".
  void count_admission(std::string_view outcome);
  // How many pods of one ScaledCache are in each state; `key` is namespace/name.
  void set_pods(const std::string& key, const std::map<core::WarmthState, int>& pods);

  // What a change of the count cost.
  void observe_dip(const core::Dip& dip);

  // A growth that was judged.
  void count_growth(core::Effect effect);

  // A drain that ended.
  void count_drain(core::DrainEnd end);

  // The two counts of one ScaledCache; `key` is namespace/name.
  void set_replicas(const std::string& key, int current, int desired);
  void set_rate(const std::string& key, double requests_per_second);
  void forget(const std::string& key);

  // Read at each scrape: values that somebody else already keeps.
  void add_gauge(const std::string& name,
                 const std::string& help,
                 std::string_view label,
                 const std::string& label_value,
                 std::function<double()> read);

  // The text of one scrape. Never empty.
  [[nodiscard]] std::string scrape();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scaledcache::controller
