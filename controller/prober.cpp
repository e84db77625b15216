#include "controller/prober.h"

#include <algorithm>

namespace scaledcache::controller {
namespace {

constexpr Milliseconds kAgeStep{1'000};  // Age counts whole seconds, rounded down

}  // namespace

Milliseconds Prober::interval(std::size_t warm_pods) {
  const auto spread = std::chrono::seconds{1} * warm_pods / kProbesPerSecond;
  return std::max(kProbeInterval, std::chrono::duration_cast<Milliseconds>(spread));
}

bool is_doubtful(const Testimony& testimony) {
  const cache::ProbeAnswer& pod = testimony.pod;
  if (pod.result == cache::ProbeResult::Hit) {
    return pod.age && testimony.unwatched && *pod.age + kAgeStep <= *testimony.unwatched;
  }
  return pod.result == cache::ProbeResult::Miss;
}

Evidence weigh(const Testimony& testimony) {
  const cache::ProbeAnswer& pod = testimony.pod;
  if (pod.result == cache::ProbeResult::Error) {
    return Evidence::None;
  }
  if (!is_doubtful(testimony)) {
    return Evidence::Kept;
  }
  const bool hit = pod.result == cache::ProbeResult::Hit;
  const Evidence otherwise = hit ? Evidence::Kept : Evidence::None;
  if (testimony.peer.result != cache::ProbeResult::Hit) {
    return otherwise;
  }
  if (!testimony.expected || !testimony.peer.age) {
    return hit ? Evidence::Kept : Evidence::Lost;
  }
  const Milliseconds expected = *testimony.expected + kAgeStep;
  const bool is_fresh = pod.fresh_for && expected < *pod.fresh_for;
  return is_fresh || expected < *testimony.peer.age ? Evidence::Lost : otherwise;
}

Evidence Prober::ask(const ProbeCall& call,
                     const cache::ProvedUrl& url,
                     GateRecord& record,
                     const std::stop_token& stop) {
  const cache::ProbeOptions options{call.hit_header};
  const SteadyTime now = clock_.steady();
  const auto since = [&](SteadyTime time) {
    return std::chrono::duration_cast<Milliseconds>(now - time);
  };
  Testimony testimony;
  testimony.pod = cache::probe(pods_, call.door, call.pod, url, options, stop);
  metrics_.count_probe(cache::name_of(testimony.pod.result));
  if (const auto seen = record.seen.find(url.path); seen != record.seen.end()) {
    testimony.expected = seen->second.age + since(seen->second.at);
  }
  if (record.answered) {
    testimony.unwatched = since(*record.answered);
  }
  if (is_doubtful(testimony) && call.peer) {
    testimony.peer = cache::probe(pods_, call.door, *call.peer, url, options, stop);
  }
  if (testimony.pod.result != cache::ProbeResult::Error) {
    record.seen.erase(url.path);
    if (testimony.pod.age) {
      record.seen[url.path] = {now, *testimony.pod.age};
    }
  }
  return weigh(testimony);
}

void Prober::probe(const ProbeCall& call, GateRecord& record, const std::stop_token& stop) {
  record.probed = clock_.steady();
  const std::size_t most = std::min<std::size_t>(record.proved.size(), core::kMissesInARow);
  for (std::size_t asked = 0; asked < most && !stop.stop_requested(); ++asked) {
    const cache::ProvedUrl& url = record.proved[record.next_probe++ % record.proved.size()];
    const Evidence evidence = ask(call, url, record, stop);
    if (evidence == Evidence::Kept) {
      record.misses_in_a_row = 0;
      record.answered = record.probed;
    }
    if (evidence != Evidence::Lost || ++record.misses_in_a_row >= core::kMissesInARow) {
      return;
    }
  }
}

}  // namespace scaledcache::controller
