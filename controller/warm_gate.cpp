#include "controller/warm_gate.h"

#include <functional>
#include <utility>

#include "controller/gate_notes.h"

namespace scaledcache::controller {
namespace {

// A look blocks for a patch or a probe at most. Pods that do not answer must not hold up the looks
// at others, so only so many of the threads probe at once.
constexpr std::size_t kGateThreads = 6;
constexpr int kProbesAtOnce = 3;
constexpr Milliseconds kSlowProbe{1'000};
constexpr Milliseconds kManagerPatience{120'000};
constexpr Milliseconds kRetry{1'000};  // after a write or a look that failed
constexpr Milliseconds kAfterException{5'000};

// One of the places for those who probe.
class Place {
 public:
  explicit Place(std::atomic<int>& taken) : taken_(taken), is_free_(++taken <= kProbesAtOnce) {}

  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  ~Place() { --taken_; }

  [[nodiscard]] bool is_free() const { return is_free_; }

 private:
  std::atomic<int>& taken_;
  const bool is_free_;
};

}  // namespace

WarmGate::WarmGate(Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      scenes_({parts.cluster, parts.pods, parts.targets, parts.clock}),
      writer_({parts.client, parts.metrics, parts.log, settings_.instance}),
      drainer_({parts.cluster, parts.client, parts.clock, parts.metrics, parts.log, &parts.book}),
      source_(parts.client),
      transport_(parts.transport, parts.book.own_traffic(), parts.clock),
      prober_(transport_, parts.clock, parts.metrics),
      runner_({transport_, source_, parts.clock, parts.metrics, settings_.requests_per_second},
              [this](const WarmJob& job, const cache::WarmupReport& report) {
                note_end(job, report);
              }) {}

void WarmGate::start() {
  runner_.start();
  pool_ = std::make_unique<WorkerPool>(
      parts_.queue, kGateThreads,
      WorkerCallbacks{[this](const std::string& key, const std::stop_token& stop) {
                        if (const auto again = look(key, stop)) {
                          parts_.queue.add_after(key, *again);
                        }
                      },
                      [this](const std::string& key, std::string_view what) {
                        Fields fields;
                        fields["pod"] = key;
                        fields["error"] = what;
                        parts_.log.error("a look at a gate ended with an exception", fields);
                        parts_.queue.add_after(key, kAfterException);
                      }},
      "sc-gate");
}

std::optional<Milliseconds> WarmGate::look(const std::string& key, const std::stop_token& stop) {
  const auto pod = parts_.pods.find_gated_pod(key);
  if (!pod) {
    runner_.cancel(key);
    parts_.book.forget(key);
    return std::nullopt;
  }
  auto scene = scenes_.find(*pod, stop);
  if (!scene && !out_of_patience(key, *pod)) {
    return kRetry;
  }
  if (!scene) {
    scene = GateScene{};
  }
  if (!scene->cache && !pod->drain.empty()) {  // nobody else is left to end its drain
    return drainer_.release({*pod}, stop) ? std::nullopt : std::optional(kRetry);
  }
  GateRecord record = parts_.book.record(key, pod->uid);
  GateSight sight = see(key, *pod, std::move(*scene), record);
  core::WarmthVerdict verdict = judge(sight, record);
  note_verdict(sight, record, verdict);
  if (warm(sight, record, verdict) && !verdict.cold_again) {
    sight.warmup_running = true;
    verdict = judge(sight, record);
    note_verdict(sight, record, verdict);
  }
  if (!move_gate(sight, record, verdict, stop)) {
    return kRetry;  // what was noted is noted again
  }
  probe(sight, record, stop);
  keep(sight, record, verdict.cold_again);
  return next_look(sight, record, verdict, parts_.book.warm_pods());
}

// A pod for which nobody can be found to judge it must not wait for ever, however long it has run
// already when we begin to ask: not for lists that nobody may read, nor for those of a kind that
// was taken away.
bool WarmGate::out_of_patience(const std::string& key, const k8s::Pod& pod) {
  const SteadyTime now = parts_.clock.steady();
  const SteadyTime since = parts_.book.record(key, pod.uid).unknown_since.value_or(now);
  parts_.book.edit(key, pod.uid, [&](GateRecord& record) { record.unknown_since = since; });
  return now - since > kManagerPatience;
}

GateSight WarmGate::see(const std::string& key,
                        const k8s::Pod& pod,
                        GateScene scene,
                        GateRecord& record) const {
  GateSight sight;
  sight.key = key;
  sight.pod = with_own_write(pod, record.written);
  sight.identity = k8s::cache_identity(pod, scene.cache ? scene.cache->spec.warmup.port : 0);
  sight.now = parts_.clock.wall();
  sight.steady = parts_.clock.steady();
  sight.scene = std::move(scene);
  note_sight(sight, record);
  parts_.book.edit(key, pod.uid, [&](GateRecord& kept) { note_sight(sight, kept); });
  if (!record.cache.empty()) {
    sight.records = parts_.book.pods_of(record.cache);
    sight.overloaded = parts_.book.overloaded(record.cache);
  }
  sight.serving = sight.scene.serving_without(pod.uid);
  sight.other_ready = parts_.book.count_open(sight.serving);
  const auto running = runner_.running(key);
  sight.warmup_running = running && running->identity == sight.identity;
  return sight;
}

// A gate that is open is closed only while another pod that serves keeps its own open.
core::WarmthVerdict WarmGate::judge(const GateSight& sight, const GateRecord& record) {
  const core::WarmthPolicy policy = warmth_policy(sight);
  core::WarmthFacts facts = warmth_facts(sight, record, settings_.addresses);
  core::WarmthVerdict verdict = core::judge_warmth(policy, facts, sight.now);
  const bool closes = verdict.gate == core::GateMove::Closed && facts.gate && facts.gate->open;
  if (closes && !facts.draining && !parts_.book.claim_closing(sight.pod.uid, sight.serving)) {
    facts.other_ready = 0;
    verdict = core::judge_warmth(policy, facts, sight.now);
  }
  return verdict;
}

// True when a warm-up was begun.
bool WarmGate::warm(const GateSight& sight,
                    GateRecord& record,
                    const core::WarmthVerdict& verdict) {
  const auto running = runner_.running(sight.key);
  if (running && (running->identity != sight.identity || !may_be_warmed(sight) ||
                  running->cache->meta.generation != sight.scene.cache->meta.generation)) {
    runner_.cancel(sight.key);  // its end asks for a look, and that one begins anew
  }
  record.waits = false;
  record.progress =
      sight.warmup_running ? std::optional(runner_.progress(sight.key)) : std::nullopt;
  const auto address = http::parse_address(sight.pod.pod_ip);
  if (!verdict.wants_warmup || !may_be_warmed(sight) || !address) {
    return false;
  }
  const bool begun =
      runner_.begin({sight.key, sight.pod.uid, sight.identity, sight.scene.cache, *address,
                     warm_peer(sight, std::hash<std::string>{}(sight.pod.uid))});
  record.waits = !begun;
  return begun;
}

// False when the gate had to be written and could not be.
bool WarmGate::move_gate(const GateSight& sight,
                         GateRecord& record,
                         const core::WarmthVerdict& verdict,
                         const std::stop_token& stop) {
  // The last ready pod goes on serving, and its gate says of which containers that is known.
  const bool stays_open = verdict.cold_again && verdict.reason == core::WarmthReason::LastReadyPod;
  const bool moves = verdict.gate != core::GateMove::Leave || stays_open;
  if (!moves || is_draining(sight.pod, sight.scene.cache.get())) {
    return true;
  }
  const k8s::GateWrite wanted{verdict.gate != core::GateMove::Closed,
                              std::string(core::name_of(verdict.reason)),
                              k8s::with_identity(verdict.message, sight.identity)};
  const auto written = writer_.write(sight, wanted, stop);
  if (wanted.open || !written) {
    parts_.book.release_closing(sight.pod.uid);
  }
  if (!written) {
    return false;
  }
  if (*written) {
    record.written = **written;
  }
  const bool was_open = sight.pod.gate && sight.pod.gate->open;
  if (verdict.reason == core::WarmthReason::PanicOpen && !was_open) {
    parts_.book.spend_panic(record.cache);
  }
  if (was_open != wanted.open || verdict.reason == core::WarmthReason::CacheWarm) {
    writer_.tell(sight, verdict, stop);
  }
  return true;
}

void WarmGate::probe(const GateSight& sight, GateRecord& record, const std::stop_token& stop) {
  const SteadyTime begin = parts_.clock.steady();
  const auto address = http::parse_address(sight.pod.pod_ip);
  const Milliseconds interval = probe_interval(record, parts_.book.warm_pods());
  const bool is_due = !record.probed || begin - *record.probed >= interval;
  if (!is_due || !address || !wants_probes(sight, record) ||
      !may_be_asked(sight, settings_.addresses)) {
    return;
  }
  const Place place(probing_);
  if (!place.is_free()) {
    record.probed = begin;  // its turn is gone: it waits for the next one
    return;
  }
  const k8s::WarmupSpec& spec = sight.scene.cache->spec.warmup;
  prober_.probe({door_of(spec), spec.hit_header, *address, warm_peer(sight, record.next_probe)},
                record, stop);
  const bool is_slow = parts_.clock.steady() - begin >= kSlowProbe;
  record.slow_probes = is_slow ? record.slow_probes + 1 : 0;
}

void WarmGate::keep(const GateSight& sight, const GateRecord& record, bool cold_again) {
  parts_.book.edit(sight.key, sight.pod.uid, [&](GateRecord& kept) {
    GateRecord next = record;
    if (!cold_again) {  // what others have noted meanwhile
      next.warmup = std::move(kept.warmup);
      next.proved = std::move(kept.proved);
    }
    next.cache_started = kept.cache_started;
    kept = std::move(next);
  });
}

void WarmGate::note_end(const WarmJob& job, const cache::WarmupReport& report) {
  if (report.end != cache::WarmupEnd::Cancelled) {
    parts_.book.edit(job.key, job.uid, [&](GateRecord& record) {
      if (record.identity == job.identity) {
        record.warmup = outcome_of(job, report, record.warmup, parts_.clock.wall());
        record.proved = report.proved;
        record.misses_in_a_row = 0;
      }
    });
  }
  parts_.queue.add(job.key);
  parts_.book.wake_waiting(key_of(*job.cache));
}

}  // namespace scaledcache::controller
