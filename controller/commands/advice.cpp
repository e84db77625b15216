#include "controller/commands/advice.h"

#include "base/duration.h"

namespace scaledcache::controller {
namespace {

class Advice {
 public:
  explicit Advice(std::string path) : path_(std::move(path)) {}

  void when(bool holds, const std::string& field, const std::string& message) {
    if (holds) {
      given.push_back({path_ + "." + field, message});
    }
  }

  k8s::Problems given;

 private:
  std::string path_;
};

std::string shown(Milliseconds time) {
  return format_duration(time);
}

void advise_windows(const k8s::Spec& spec, std::optional<Milliseconds> scrape, Advice& advice) {
  advice.when(spec.long_window < 2 * spec.short_window, "longWindow",
              "is " + shown(spec.long_window) + ", less than two short windows (" +
                  shown(spec.short_window) + "): a lull of one is enough to shrink");
  advice.when(spec.cooldown < spec.short_window, "cooldown",
              "is " + shown(spec.cooldown) + ", shorter than shortWindow (" +
                  shown(spec.short_window) +
                  "): new pods may go before they have shown their worth");
  advice.when(spec.poll_interval > spec.short_window, "pollInterval",
              "is " + shown(spec.poll_interval) + ", longer than shortWindow (" +
                  shown(spec.short_window) + "): bursts between two polls are not seen");
  advice.when(spec.scale_up.cooldown.count() > 0, "scaleUp.cooldown",
              "is " + shown(spec.scale_up.cooldown) +
                  ": a spike that goes on growing waits for it between two steps");
  if (!scrape) {
    return;
  }
  advice.when(spec.short_window < 2 * *scrape, "shortWindow",
              "is " + shown(spec.short_window) + ", must hold two samples: with scrapes every " +
                  shown(*scrape) + " that takes " + shown(2 * *scrape));
  advice.when(spec.max_sample_age && *spec.max_sample_age < 2 * *scrape, "maxSampleAge",
              "is " + shown(spec.max_sample_age.value_or(Milliseconds{0})) +
                  ", shorter than two scrapes (" + shown(2 * *scrape) +
                  "): one scrape that fails and nothing is decided");
  advice.when(spec.poll_interval * 2 < *scrape, "pollInterval",
              "is " + shown(spec.poll_interval) + ", but samples come only every " +
                  shown(*scrape) + ": most polls see nothing new");
}

void advise_counter(const k8s::SignalSpec& signal, const std::string& field, Advice& advice) {
  const bool has_matchers = signal.counter && !signal.counter->matchers.empty();
  advice.when(!signal.preset && !has_matchers, field + ".counter.matchers",
              "is not set: every series called " +
                  (signal.counter ? signal.counter->metric : std::string()) +
                  " of these pods is added up, totals and parts alike; name the one that counts "
                  "each request once");
  advice.when(signal.pod_label.empty() && !has_matchers, field + ".podLabel",
              "is empty and there are no matchers: other caches of the namespace are counted too, "
              "and pods without samples are not noticed");
}

void advise_query(const k8s::SignalSpec& signal, const std::string& field, Advice& advice) {
  const std::string& query = *signal.query;
  advice.when(query.find('[') != std::string::npos && query.find("$window") == std::string::npos,
              field + ".query", "has a range of its own: [$window] would follow shortWindow");
  advice.when(query.find('{') == std::string::npos, field + ".query",
              "has no matchers: it adds up every cache that the backend knows");
  advice.when(signal.age_query.empty(), field + ".ageQuery",
              "is not set: how old the data is cannot be seen, so stale numbers count as fresh");
  advice.when(query.find("or vector(0)") != std::string::npos, field + ".query",
              "turns missing data into 0: an outage of the backend sends the fleet to its minimum");
}

void advise_signals(const k8s::Spec& spec, Advice& advice) {
  for (std::size_t i = 0; i < spec.signals.size(); ++i) {
    const k8s::SignalSpec& signal = spec.signals[i];
    const std::string field = "signals[" + std::to_string(i) + "]";
    if (signal.query) {
      advise_query(signal, field, advice);
    } else {
      advise_counter(signal, field, advice);
    }
    const bool nothing_in_reserve = signal.target_utilization_percent == 100 &&
                                    spec.scale_up.headroom == core::Headroom::None &&
                                    spec.scale_up.look_ahead_percent == 0;
    advice.when(nothing_in_reserve, field + ".targetUtilizationPercent",
                "is 100 without headroom and look-ahead: nothing is in reserve while pods start");
  }
}

void advise_bounds(const k8s::Spec& spec, Advice& advice) {
  advice.when(spec.min_replicas == 1, "minReplicas",
              "is 1: when that pod restarts, its cache is gone and nobody answers; 2 survive it");
  advice.when(spec.min_replicas == spec.max_replicas, "maxReplicas",
              "is the same as minReplicas: there is nothing to decide");
  advice.when(spec.scale_down.step_percent == 100, "scaleDown.stepPercent",
              "is 100: the whole surplus goes in one step, and with it what its pods have cached");
  if (spec.fallback.replicas) {
    advice.when(
        *spec.fallback.replicas < spec.min_replicas || *spec.fallback.replicas > spec.max_replicas,
        "fallback.replicas",
        "is " + std::to_string(*spec.fallback.replicas) + ", outside " +
            std::to_string(spec.min_replicas) + " to " + std::to_string(spec.max_replicas) +
            ", and will be cut to that");
  }
  for (std::size_t i = 0; i < spec.schedules.size(); ++i) {
    const int least = spec.schedules[i].min_replicas;
    const std::string field = "schedules[" + std::to_string(i) + "].minReplicas";
    advice.when(least <= spec.min_replicas, field,
                "is " + std::to_string(least) + ", not above spec.minReplicas: it changes nothing");
    advice.when(least > spec.max_replicas, field,
                "is " + std::to_string(least) + ", above spec.maxReplicas (" +
                    std::to_string(spec.max_replicas) + "), and will be cut to that");
  }
}

void advise_backend(const k8s::BackendSpec& backend, Advice& advice) {
  const bool plain = backend.address && backend.address->starts_with("http://");
  advice.when(plain && backend.auth, "backend.auth",
              "goes over plain http: anybody on the way can read it");
}

void advise_warmup(const k8s::Spec& spec, Advice& advice) {
  if (!spec.gates()) {
    advice.when(spec.warmup.mode == k8s::WarmupMode::Off && spec.warmup.port != 0, "warmup.mode",
                "is Off, so the rest of warmup does nothing");
    return;
  }
  advice.when(spec.warmup.timeout < std::chrono::seconds{30}, "warmup.timeout",
              "is " + shown(spec.warmup.timeout) + ": few caches are warm so soon");
  advice.when(
      !spec.drains(), "drain.mode",
      "is Off: pods are warmed before they join and cut off in mid-request when they leave");
}

}  // namespace

k8s::Problems advise(const k8s::Spec& spec,
                     const std::string& path,
                     std::optional<Milliseconds> scrape_interval) {
  Advice advice(path);
  advise_bounds(spec, advice);
  advise_windows(spec, scrape_interval, advice);
  advise_backend(spec.backend, advice);
  advise_signals(spec, advice);
  advise_warmup(spec, advice);
  return std::move(advice.given);
}

}  // namespace scaledcache::controller
