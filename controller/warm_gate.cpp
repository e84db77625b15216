#include "controller/warm_gate.h"

#include <algorithm>
#include <utility>

#include "k8s/object_meta.h"
#include "k8s/paths.h"

namespace scaledcache::controller {
namespace {

constexpr std::size_t kGateThreads = 4;  // a look blocks for a patch or a probe at most
constexpr Milliseconds kManagerPatience{120'000};
constexpr Milliseconds kRetry{1'000};     // after a write or a look that failed
constexpr Milliseconds kProgress{1'000};  // while the pod is warmed, or waits for its place
constexpr Milliseconds kAfterException{5'000};

core::WarmupFacts outcome_of(const WarmJob& job, const cache::WarmupReport& report, WallTime now) {
  core::WarmupFacts facts;
  facts.identity = job.identity;
  facts.ended = now;
  facts.finished = report.end == cache::WarmupEnd::Finished;
  facts.origin_failing = report.end == cache::WarmupEnd::OriginFailing;
  facts.no_answer = report.end == cache::WarmupEnd::NoAnswer;
  facts.urls = report.urls;
  facts.cacheable = report.cacheable();
  facts.hit_percent = report.hit_percent();
  facts.trouble = report.trouble;
  return facts;
}

}  // namespace

WarmGate::WarmGate(Parts parts, Settings settings)
    : parts_(parts),
      settings_(std::move(settings)),
      scenes_({parts.cluster, parts.pods, parts.targets, parts.clock}),
      drainer_({parts.cluster, parts.client, parts.clock, parts.metrics, parts.log}),
      source_(parts.client),
      prober_(parts.transport, parts.clock, parts.metrics),
      runner_({parts.transport, source_, parts.clock, parts.metrics, settings_.requests_per_second},
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
  take_note(sight, record, verdict);
  if (warm(sight, record, verdict) && !verdict.cold_again) {
    sight.warmup_running = true;
    verdict = judge(sight, record);
    take_note(sight, record, verdict);
  }
  if (!move_gate(sight, record, verdict, stop)) {
    return kRetry;  // what was noted is noted again
  }
  probe(sight, record, stop);
  keep(sight, record, verdict.cold_again);
  return next_look(sight, record, verdict);
}

// A pod for which nobody can be found to judge it must not wait for ever, however long it has run
// already when we begin to ask.
bool WarmGate::out_of_patience(const std::string& key, const k8s::Pod& pod) {
  if (!parts_.pods.caches_synced()) {
    return false;
  }
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
  sight.identity = k8s::cache_identity(pod);
  sight.now = parts_.clock.wall();
  record.identity = sight.identity;
  record.unknown_since.reset();
  record.cache = scene.cache ? key_of(*scene.cache) : "";
  parts_.book.edit(key, pod.uid, [&](GateRecord& kept) {
    kept.unknown_since.reset();
    kept.identity = record.identity;
    kept.cache = record.cache;
  });
  sight.scene = std::move(scene);
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

void WarmGate::take_note(const GateSight& sight,
                         GateRecord& record,
                         const core::WarmthVerdict& verdict) const {
  if (verdict.cold_again) {
    record.warmup.reset();
    record.proved.clear();
    record.seen.clear();
    record.answered.reset();
    record.misses_in_a_row = 0;
    record.cold_since = sight.now;
  } else if (!record.cold_since) {
    record.cold_since = cold_since(sight.pod, record);
  }
  const bool is_warm = verdict.state == core::WarmthState::Warm;
  record.warm_since = is_warm ? record.warm_since.value_or(sight.now) : std::optional<WallTime>();
  record.state = verdict.state;
  record.reason = verdict.reason;
  record.message = verdict.message;
  record.lacks_label = verdict.lacks_label;
}

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
  const bool was_open = sight.pod.gate && sight.pod.gate->open;
  const auto written = write(sight, record, wanted, stop);
  if (!written) {
    if (!wanted.open) {
      parts_.book.release_closing(sight.pod.uid);
    }
    return false;
  }
  if (wanted.open) {
    parts_.book.release_closing(sight.pod.uid);
  }
  if (verdict.reason == core::WarmthReason::PanicOpen && !was_open) {
    parts_.book.spend_panic(record.cache);
  }
  if (was_open != wanted.open || verdict.reason == core::WarmthReason::CacheWarm) {
    tell(sight, verdict, stop);
  }
  return true;
}

Result<void> WarmGate::write(const GateSight& sight,
                             GateRecord& record,
                             const k8s::GateWrite& wanted,
                             const std::stop_token& stop) {
  const auto patch = k8s::encode_gate_patch(sight.pod, wanted, sight.now);
  if (!patch) {
    return {};
  }
  const auto answer =
      parts_.client.patch({k8s::status_path(k8s::pods(), sight.pod.name_space, sight.pod.name),
                           *patch, k8s::kGateManager},
                          stop);
  if (!answer) {
    if (answer.error().code != ErrorCode::Cancelled) {
      parts_.metrics.count_error(answer.error().code);
      Fields fields;
      fields["pod"] = sight.key;
      fields["code"] = scaledcache::name_of(answer.error().code);
      fields["error"] = answer.error().message;
      parts_.log.warn("gate not written", fields);
    }
    return answer.error();
  }
  parts_.metrics.count_gate(wanted.open);
  const bool stays = sight.pod.gate && sight.pod.gate->open == wanted.open;
  const auto meta = k8s::decode_meta(*answer);
  record.written = OwnGateWrite{meta ? meta->resource_version : "",
                                {wanted.open, wanted.reason, wanted.message,
                                 stays ? sight.pod.gate->since : std::optional(sight.now)}};
  return {};
}

void WarmGate::probe(const GateSight& sight, GateRecord& record, const std::stop_token& stop) {
  const bool wanted = record.reason == core::WarmthReason::CacheWarm && may_be_warmed(sight) &&
                      sight.scene.cache->spec.warmup.probe && !record.proved.empty();
  const Milliseconds interval = Prober::interval(parts_.book.warm_pods());
  const bool due = !record.probed || parts_.clock.steady() - *record.probed >= interval;
  const auto address = http::parse_address(sight.pod.pod_ip);
  if (!wanted || !due || !address || !may_be_asked(sight, settings_.addresses)) {
    return;
  }
  const k8s::WarmupSpec& spec = sight.scene.cache->spec.warmup;
  prober_.probe({door_of(spec), spec.hit_header, *address, warm_peer(sight, record.next_probe)},
                record, stop);
}

std::optional<Milliseconds> WarmGate::next_look(const GateSight& sight,
                                                const GateRecord& record,
                                                const core::WarmthVerdict& verdict) const {
  std::optional<Milliseconds> next = verdict.look_again_after;
  const auto no_later_than = [&](Milliseconds delay) {
    next = std::min(next.value_or(delay), delay);
  };
  if (record.reason == core::WarmthReason::CacheWarm &&
      record.misses_in_a_row >= core::kMissesInARow) {
    no_later_than(Milliseconds{0});
  }
  if (record.waits || sight.warmup_running) {
    no_later_than(kProgress);
  }
  if (record.reason == core::WarmthReason::CacheWarm && !record.proved.empty() && record.probed) {
    no_later_than(Prober::interval(parts_.book.warm_pods()));
  } else if (record.reason == core::WarmthReason::CacheWarm) {
    no_later_than(kProbeInterval);
  }
  return next;
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

// Events and the log tell what changed for visitors: a gate that opened, or one that closed.
void WarmGate::tell(const GateSight& sight,
                    const core::WarmthVerdict& verdict,
                    const std::stop_token& stop) {
  const bool opened = verdict.gate == core::GateMove::Open;
  Fields fields;
  fields["pod"] = sight.key;
  fields["reason"] = core::name_of(verdict.reason);
  fields["sentence"] = verdict.message;
  parts_.log.info(opened ? "gate opened" : "gate closed", fields);
  const char* reason = verdict.cold_again                                    ? "PodColdAgain"
                       : verdict.reason == core::WarmthReason::CacheWarm     ? "PodWarm"
                       : verdict.reason == core::WarmthReason::WarmupTimeout ? "WarmupTimeout"
                                                                             : nullptr;
  if (reason == nullptr || sight.scene.cache == nullptr) {
    return;
  }
  k8s::Event event{sight.scene.cache->reference(),
                   verdict.reason != core::WarmthReason::CacheWarm,
                   reason,
                   opened ? "OpenGate" : "CloseGate",
                   sight.pod.name + ": " + verdict.message,
                   sight.now};
  const auto posted = parts_.client.post(
      {k8s::collection_path(k8s::events(), sight.pod.name_space),
       dump_json(k8s::encode_event(event, settings_.instance)), k8s::kGateManager},
      stop);
  if (posted) {
    parts_.metrics.count_write("event");
  }
}

void WarmGate::note_end(const WarmJob& job, const cache::WarmupReport& report) {
  if (report.end != cache::WarmupEnd::Cancelled) {
    parts_.book.edit(job.key, job.uid, [&](GateRecord& record) {
      if (record.identity == job.identity) {
        record.warmup = outcome_of(job, report, parts_.clock.wall());
        record.proved = report.proved;
        record.misses_in_a_row = 0;
      }
    });
  }
  parts_.queue.add(job.key);
  parts_.book.wake_waiting(key_of(*job.cache));
}

}  // namespace scaledcache::controller
