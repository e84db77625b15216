#include "controller/prober.h"

#include <algorithm>

namespace scaledcache::controller {

Milliseconds Prober::interval(std::size_t warm_pods) {
  const auto spread = std::chrono::seconds{1} * warm_pods / kProbesPerSecond;
  return std::max(kProbeInterval, std::chrono::duration_cast<Milliseconds>(spread));
}

bool Prober::missed(const ProbeCall& call,
                    const cache::ProvedUrl& url,
                    bool& answered,
                    const std::stop_token& stop) {
  const cache::ProbeOptions options{call.hit_header};
  const auto result = cache::probe(pods_, call.door, call.pod, url, options, stop);
  metrics_.count_probe(cache::name_of(result));
  answered = result != cache::ProbeResult::Error;
  if (result != cache::ProbeResult::Miss || !call.peer) {
    return false;
  }
  const auto elsewhere = cache::probe(pods_, call.door, *call.peer, url, options, stop);
  answered = elsewhere == cache::ProbeResult::Hit;
  return answered;
}

void Prober::probe(const ProbeCall& call, GateRecord& record, const std::stop_token& stop) {
  record.probed = clock_.steady();
  if (record.proved.empty()) {
    return;
  }
  const std::size_t most = std::min<std::size_t>(record.proved.size(), core::kMissesInARow);
  for (std::size_t asked = 0; asked < most && !stop.stop_requested(); ++asked) {
    const cache::ProvedUrl& url = record.proved[record.next_probe++ % record.proved.size()];
    bool answered = false;
    if (!missed(call, url, answered, stop)) {
      // No answer says nothing; a hit, or a page that nobody holds any more, ends the row.
      record.misses_in_a_row = answered ? 0 : record.misses_in_a_row;
      return;
    }
    if (++record.misses_in_a_row >= core::kMissesInARow) {
      return;
    }
  }
}

}  // namespace scaledcache::controller
