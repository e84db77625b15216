#include "controller/metrics.h"

#include <algorithm>
#include <map>
#include <vector>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "base/mutex.h"
#include "controller/process_memory.h"

namespace scaledcache::controller {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries kQueryBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                                0.5,   1,    2.5,   5,    10};
const Histogram::BucketBoundaries kWarmupBuckets{0.5, 1, 2, 3, 5, 10, 20, 30, 60, 120, 300, 600};

const Histogram::BucketBoundaries kShareBuckets{0.001, 0.0025, 0.005, 0.01, 0.025,
                                                0.05,  0.1,    0.2,   0.5};
const Histogram::BucketBoundaries kRateBuckets{1, 5, 10, 50, 100, 500, 1000, 5000, 10000};

double seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string text(std::string_view view) {
  return std::string(view);
}

struct ReadGauge {
  Gauge* gauge;
  std::function<double()> read;
};

// The gauges of one ScaledCache.
struct CacheGauges {
  Gauge* current;
  Gauge* desired;
  Gauge* rate;
  std::map<core::WarmthState, Gauge*> pods;  // filled where pods are gated
};

}  // namespace

struct Metrics::State {
  prometheus::Registry registry;
  Family<Counter>& decisions = BuildCounter()
                                   .Name("scaledcache_decisions_total")
                                   .Help("Decisions by reason.")
                                   .Register(registry);
  Family<Counter>& errors = BuildCounter()
                                .Name("scaledcache_errors_total")
                                .Help("Failed evaluations by error code.")
                                .Register(registry);
  Family<Counter>& writes = BuildCounter()
                                .Name("scaledcache_api_writes_total")
                                .Help("Writes to the API server by kind: scale, status, event.")
                                .Register(registry);
  Histogram& dip_hit_ratio = BuildHistogram()
                                 .Name("scaledcache_dip_hit_ratio")
                                 .Help("By how much a change of the count lowered the hit ratio.")
                                 .Register(registry)
                                 .Add({}, kShareBuckets);
  Histogram& dip_origin =
      BuildHistogram()
          .Name("scaledcache_dip_origin_requests_per_second")
          .Help("By how much a change of the count raised the rate of requests to the origin.")
          .Register(registry)
          .Add({}, kRateBuckets);
  Histogram& warm_after = BuildHistogram()
                              .Name("scaledcache_growth_warm_seconds")
                              .Help("Time from a growth of the count until every pod was warm.")
                              .Register(registry)
                              .Add({}, kWarmupBuckets);
  Family<Counter>& growths = BuildCounter()
                                 .Name("scaledcache_growths_total")
                                 .Help("Growths of the count, by whether they helped.")
                                 .Register(registry);
  Family<Counter>& drains = BuildCounter()
                                .Name("scaledcache_drains_total")
                                .Help("Drains of pods that ended, by how.")
                                .Register(registry);
  Family<Gauge>& current = BuildGauge()
                               .Name("scaledcache_current_replicas")
                               .Help("Replicas the target asks for, as last read.")
                               .Register(registry);
  Family<Gauge>& desired = BuildGauge()
                               .Name("scaledcache_desired_replicas")
                               .Help("Replicas last decided for the target.")
                               .Register(registry);
  Family<Gauge>& rate = BuildGauge()
                            .Name("scaledcache_request_rate")
                            .Help("Requests per second over the short window, first signal.")
                            .Register(registry);
  Family<Counter>& gates = BuildCounter()
                               .Name("scaledcache_gate_writes_total")
                               .Help("Writes of pods' readiness gates: open, closed.")
                               .Register(registry);
  Family<Counter>& probes = BuildCounter()
                                .Name("scaledcache_probes_total")
                                .Help("Probes of pods that were proven warm, by result.")
                                .Register(registry);
  Family<Counter>& warmups = BuildCounter()
                                 .Name("scaledcache_warmups_total")
                                 .Help("Warm-ups of pods by how they ended.")
                                 .Register(registry);
  Counter& warmup_requests = BuildCounter()
                                 .Name("scaledcache_warmup_requests_total")
                                 .Help("Requests that warm-ups have sent to pods.")
                                 .Register(registry)
                                 .Add({});
  Histogram& warmup = BuildHistogram()
                          .Name("scaledcache_warmup_duration_seconds")
                          .Help("Time of a warm-up from its first request to its end.")
                          .Register(registry)
                          .Add({}, kWarmupBuckets);
  Family<Counter>& admissions = BuildCounter()
                                    .Name("scaledcache_webhook_reviews_total")
                                    .Help("Reviews of new pods that the webhook has answered.")
                                    .Register(registry);
  Family<Gauge>& pods = BuildGauge()
                            .Name("scaledcache_pods")
                            .Help("Pods of gated targets by the state of their cache.")
                            .Register(registry);
  Histogram& query = BuildHistogram()
                         .Name("scaledcache_backend_query_duration_seconds")
                         .Help("Time from a query to its decoded answer.")
                         .Register(registry)
                         .Add({}, kQueryBuckets);
  Histogram& reconcile = BuildHistogram()
                             .Name("scaledcache_reconcile_duration_seconds")
                             .Help("Time of one evaluation of one ScaledCache.")
                             .Register(registry)
                             .Add({}, kQueryBuckets);
  Gauge& memory = BuildGauge()
                      .Name("process_resident_memory_bytes")
                      .Help("Resident memory of this process.")
                      .Register(registry)
                      .Add({});
  Mutex mutex;
  std::map<std::string, CacheGauges> caches GUARDED_BY(mutex);
  std::vector<ReadGauge> read_gauges GUARDED_BY(mutex);

  CacheGauges& gauges_of(const std::string& key) REQUIRES(mutex) {
    const auto found = caches.find(key);
    if (found != caches.end()) {
      return found->second;
    }
    const std::size_t slash = key.find('/');
    const prometheus::Labels labels{{"namespace", key.substr(0, slash)},
                                    {"name", key.substr(slash + 1)}};
    return caches[key] = {&current.Add(labels), &desired.Add(labels), &rate.Add(labels), {}};
  }
};

Metrics::Metrics(std::string_view version) : state_(std::make_unique<State>()) {
  for (const core::Reason reason : core::kAllReasons) {
    state_->decisions.Add({{"reason", text(core::name_of(reason))}});
  }
  for (const ErrorCode code : kAllErrorCodes) {
    state_->errors.Add({{"code", text(scaledcache::name_of(code))}});
  }
  for (const core::Effect effect : core::kAllEffects) {
    state_->growths.Add({{"effect", text(core::name_of(effect))}});
  }
  for (const core::DrainEnd end : core::kAllDrainEnds) {
    state_->drains.Add({{"result", text(core::name_of(end))}});
  }
  for (const char* outcome : {"Injected", "Unchanged", "Malformed"}) {
    state_->admissions.Add({{"outcome", outcome}});
  }
  for (const char* what : {"scale", "status", "event"}) {
    state_->writes.Add({{"kind", what}});
  }
  for (const char* to : {"open", "closed"}) {
    state_->gates.Add({{"to", to}});
  }
  for (const char* result : {"Hit", "Miss", "Error"}) {
    state_->probes.Add({{"result", result}});
  }
  BuildGauge()
      .Name("scaledcache_build_info")
      .Help("Version of this binary; always 1.")
      .Register(state_->registry)
      .Add({{"version", text(version)}})
      .Set(1);
}

Metrics::~Metrics() = default;

void Metrics::count_decision(core::Reason reason) {
  state_->decisions.Add({{"reason", text(core::name_of(reason))}}).Increment();
}

void Metrics::count_error(ErrorCode code) {
  state_->errors.Add({{"code", text(scaledcache::name_of(code))}}).Increment();
}

void Metrics::count_write(std::string_view what) {
  state_->writes.Add({{"kind", text(what)}}).Increment();
}

void Metrics::observe_query(std::chrono::milliseconds took) {
  state_->query.Observe(seconds(took));
}

void Metrics::observe_reconcile(std::chrono::milliseconds took) {
  state_->reconcile.Observe(seconds(took));
}

void Metrics::count_admission(std::string_view outcome) {
  state_->admissions.Add({{"outcome", text(outcome)}}).Increment();
}

void Metrics::count_gate(bool open) {
  state_->gates.Add({{"to", open ? "open" : "closed"}}).Increment();
}

void Metrics::count_probe(std::string_view result) {
  state_->probes.Add({{"result", text(result)}}).Increment();
}

void Metrics::observe_warmup(std::string_view end,
                             std::uint64_t requests,
                             std::chrono::milliseconds took) {
  state_->warmups.Add({{"end", text(end)}}).Increment();
  state_->warmup_requests.Increment(static_cast<double>(requests));
  state_->warmup.Observe(seconds(took));
}

void Metrics::set_pods(const std::string& key, const std::map<core::WarmthState, int>& pods) {
  const std::size_t slash = key.find('/');
  MutexLock lock(state_->mutex);
  CacheGauges& gauges = state_->gauges_of(key);
  for (const core::WarmthState state : core::kAllWarmthStates) {
    Gauge*& gauge = gauges.pods[state];
    if (gauge == nullptr) {
      gauge = &state_->pods.Add({{"namespace", key.substr(0, slash)},
                                 {"name", key.substr(slash + 1)},
                                 {"state", text(core::name_of(state))}});
    }
    const auto found = pods.find(state);
    gauge->Set(found == pods.end() ? 0 : found->second);
  }
}

void Metrics::observe_dip(const core::Dip& dip) {
  const auto fell = [](const std::optional<double>& before, const std::optional<double>& worst) {
    return before && worst ? std::optional(*before - *worst) : std::nullopt;
  };
  if (const auto points = fell(dip.before.hit_ratio, dip.worst.hit_ratio)) {
    state_->dip_hit_ratio.Observe(std::max(0.0, *points));
  }
  if (const auto rate = fell(dip.worst.origin_rate, dip.before.origin_rate)) {
    state_->dip_origin.Observe(std::max(0.0, *rate));
  }
  if (dip.warm_after && dip.to > dip.from) {
    state_->warm_after.Observe(seconds(*dip.warm_after));
  }
}

void Metrics::count_growth(core::Effect effect) {
  state_->growths.Add({{"effect", text(core::name_of(effect))}}).Increment();
}

void Metrics::count_drain(core::DrainEnd end) {
  state_->drains.Add({{"result", text(core::name_of(end))}}).Increment();
}

void Metrics::set_replicas(const std::string& key, int current, int desired) {
  MutexLock lock(state_->mutex);
  const CacheGauges& gauges = state_->gauges_of(key);
  gauges.current->Set(current);
  gauges.desired->Set(desired);
}

void Metrics::set_rate(const std::string& key, double requests_per_second) {
  MutexLock lock(state_->mutex);
  state_->gauges_of(key).rate->Set(requests_per_second);
}

void Metrics::forget(const std::string& key) {
  MutexLock lock(state_->mutex);
  const auto found = state_->caches.find(key);
  if (found == state_->caches.end()) {
    return;
  }
  state_->current.Remove(found->second.current);
  state_->desired.Remove(found->second.desired);
  state_->rate.Remove(found->second.rate);
  for (const auto& [state, gauge] : found->second.pods) {
    state_->pods.Remove(gauge);
  }
  state_->caches.erase(found);
}

void Metrics::add_gauge(const std::string& name,
                        const std::string& help,
                        std::string_view label,
                        const std::string& label_value,
                        std::function<double()> read) {
  prometheus::Labels labels;
  if (!label.empty()) {
    labels.emplace(text(label), label_value);
  }
  Gauge& gauge = BuildGauge().Name(name).Help(help).Register(state_->registry).Add(labels);
  MutexLock lock(state_->mutex);
  state_->read_gauges.push_back({&gauge, std::move(read)});
}

std::string Metrics::scrape() {
  std::vector<ReadGauge> gauges;
  {
    MutexLock lock(state_->mutex);
    gauges = state_->read_gauges;
  }
  for (const ReadGauge& gauge : gauges) {
    gauge.gauge->Set(gauge.read());
  }
  state_->memory.Set(static_cast<double>(resident_bytes()));
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace scaledcache::controller
