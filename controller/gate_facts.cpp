#include "controller/gate_facts.h"

#include <algorithm>
#include <compare>
#include <tuple>

#include "k8s/gate.h"
#include "k8s/watch_state.h"

namespace scaledcache::controller {
namespace {

using k8s::Pod;

bool is_paused(const k8s::ScaledCache& cache) {
  return !cache.valid() || cache.pause.paused || cache.pause.replicas || cache.spec.dry_run;
}

bool waits(const Pod& pod, const k8s::ScaledCache* cache) {
  return pod.alive() && pod.containers_ready && pod.has_gate && !(pod.gate && pod.gate->open) &&
         !is_draining(pod, cache);
}

// How full the cache is, in percent of what it is to hold.
int fullness(const GateRecord& record) {
  if (record.progress && record.progress->urls > 0) {
    const auto done = std::max(record.progress->hits, record.progress->fetched / 2);
    return static_cast<int>(100LL * done / record.progress->urls);
  }
  return record.warmup ? record.warmup->hit_percent : 0;
}

bool is_best_of_cold(const GateSight& sight) {
  const auto rank = [&](const Pod& pod) {
    const auto found = sight.records.find(pod.uid);
    const int full = found == sight.records.end() ? 0 : fullness(found->second);
    return std::make_tuple(-full, pod.name);
  };
  const auto& fleet = sight.scene.fleet;
  const auto* cache = sight.scene.cache.get();
  return waits(sight.pod, cache) && std::none_of(fleet.begin(), fleet.end(), [&](const Pod& other) {
           return other.uid != sight.pod.uid && waits(other, cache) &&
                  rank(other) < rank(sight.pod);
         });
}

bool may_be_dialled(const Pod& pod, bool allow_host_network, const http::AddressPolicy& addresses) {
  const auto address = http::parse_address(pod.pod_ip);
  return address && addresses.judge(*address) && (!pod.host_network || allow_host_network);
}

// It may have been written when another port, or none, said which container is the cache: that is
// no restart.
std::optional<core::GateFacts> gate_facts(const Pod& pod, const std::string& identity) {
  if (!pod.gate) {
    return std::nullopt;
  }
  const std::string written_for = k8s::identity_in(pod.gate->message);
  return core::GateFacts{pod.gate->open, pod.gate->reason,
                         k8s::is_identity_of(pod, written_for) ? identity : written_for,
                         pod.gate->since};
}

}  // namespace

std::optional<WallTime> cold_since(const Pod& pod, WallTime now) {
  if (!pod.containers_ready) {
    return std::nullopt;
  }
  WallTime since = pod.containers_ready_since.value_or(now);
  if (pod.gate && !pod.gate->open) {
    since = std::max(since, pod.gate->since.value_or(since));
  }
  return std::min(since, now);
}

Pod with_own_write(Pod pod, const std::optional<OwnGateWrite>& written) {
  if (!written) {
    return pod;
  }
  const auto order =
      k8s::compare_resource_versions(pod.resource_version, written->resource_version);
  if (order && std::is_lt(*order)) {
    pod.gate = written->gate;
  }
  return pod;
}

core::WarmthPolicy warmth_policy(const GateSight& sight) {
  core::WarmthPolicy policy;
  if (sight.scene.cache == nullptr || !sight.scene.cache->valid()) {
    return policy;
  }
  const k8s::WarmupSpec& spec = sight.scene.cache->spec.warmup;
  policy.gates = spec.mode == k8s::WarmupMode::Gate;
  policy.min_hit_percent = spec.min_hit_percent;
  policy.timeout = spec.timeout;
  policy.on_timeout =
      spec.on_timeout == k8s::OnWarmupTimeout::Hold ? core::OnTimeout::Hold : core::OnTimeout::Open;
  return policy;
}

core::WarmthFacts warmth_facts(const GateSight& sight,
                               const GateRecord& record,
                               const http::AddressPolicy& addresses) {
  const Pod& pod = sight.pod;
  const k8s::ScaledCache* cache = sight.scene.cache.get();
  core::WarmthFacts facts;
  facts.terminating = !pod.alive();
  facts.has_gate = pod.has_gate;
  facts.gated_label = pod.gated_label;
  facts.containers_ready = pod.containers_ready;
  facts.containers_ready_since = pod.containers_ready_since;
  facts.ready = pod.ready;
  facts.identity = sight.identity;
  facts.gate = gate_facts(pod, sight.identity);
  facts.draining = is_draining(pod, cache);
  if (cache != nullptr) {
    facts.port_declared = pod.declares(cache->spec.warmup.port);
    facts.address_allowed = may_be_dialled(pod, cache->spec.warmup.allow_host_network, addresses);
    facts.paused = is_paused(*cache);
  }
  facts.cold_since = record.cold_since;
  facts.warmup_running = sight.warmup_running;
  facts.warmup = record.warmup;
  facts.cache_started = record.cache_started;
  facts.misses_in_a_row = record.misses_in_a_row;
  facts.managed = cache != nullptr;
  facts.other_ready = sight.other_ready;
  facts.overloaded = sight.overloaded;
  facts.best_of_cold = is_best_of_cold(sight);
  return facts;
}

bool may_be_asked(const GateSight& sight, const http::AddressPolicy& addresses) {
  const k8s::ScaledCache* cache = sight.scene.cache.get();
  return cache != nullptr && sight.pod.declares(cache->spec.warmup.port) &&
         may_be_dialled(sight.pod, cache->spec.warmup.allow_host_network, addresses);
}

bool may_be_warmed(const GateSight& sight) {
  const k8s::ScaledCache* cache = sight.scene.cache.get();
  return cache != nullptr && !is_paused(*cache) && cache->spec.gates() && sight.pod.alive() &&
         sight.pod.containers_ready && !is_draining(sight.pod, cache);
}

std::optional<http::Address> warm_peer(const GateSight& sight, std::size_t turn) {
  std::vector<http::Address> peers;
  for (const Pod& pod : sight.scene.fleet) {
    const auto found = sight.records.find(pod.uid);
    const bool warm = found != sight.records.end() &&
                      found->second.state == core::WarmthState::Warm && is_serving(pod);
    const auto address = http::parse_address(pod.pod_ip);
    if (pod.uid != sight.pod.uid && warm && address) {
      peers.push_back(*address);
    }
  }
  return peers.empty() ? std::nullopt : std::optional(peers[turn % peers.size()]);
}

}  // namespace scaledcache::controller
