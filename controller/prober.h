// Keeps asking the pods that were proven warm whether they still are. A cache that lost its content
// answers as any other; only the pages tell, and only where another pod still holds them.
#pragma once

#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "cache/pod_door.h"
#include "controller/gate_book.h"
#include "controller/metrics.h"
#include "http/address.h"
#include "http/transport.h"

namespace scaledcache::controller {

inline constexpr Milliseconds kProbeInterval{2'000};
inline constexpr std::size_t kProbesPerSecond = 50;  // of all pods together

// Whom to ask.
struct ProbeCall {
  cache::PodDoor door;
  std::string hit_header;
  http::Address pod;
  std::optional<http::Address> peer;  // another warm pod of the fleet
};

// Thread safe as far as each record is in one hand.
class Prober {
 public:
  Prober(http::HttpTransport& pods, Clock& clock, Metrics& metrics)
      : pods_(pods), clock_(clock), metrics_(metrics) {}

  // Asks for the next of the proved pages. Where it misses and hits on the peer, the following ones
  // are asked for at once, so that visitors cannot fill the gap between two looks. Sets
  // `misses_in_a_row` and whose turn is next; a page that misses everywhere counts for nothing.
  void probe(const ProbeCall& call, GateRecord& record, const std::stop_token& stop);

  // How long to wait between two probes of a pod while so many pods are warm.
  [[nodiscard]] static Milliseconds interval(std::size_t warm_pods);

 private:
  [[nodiscard]] bool missed(const ProbeCall& call,
                            const cache::ProvedUrl& url,
                            bool& answered,
                            const std::stop_token& stop);

  http::HttpTransport& pods_;
  Clock& clock_;
  Metrics& metrics_;
};

}  // namespace scaledcache::controller
