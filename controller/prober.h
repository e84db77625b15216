// Keeps asking the pods that were proven warm whether they still are. A cache that lost its content
// answers as any other; only the pages tell, and only where another pod still holds them.
#pragma once

#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "cache/pod_door.h"
#include "cache/probe.h"
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

// What one page tells of its cache.
enum class Evidence {
  Kept,  // it is there, and has been since the last look
  Lost,  // it is not, or was fetched anew, though it should not have expired
  None,
};

// What was asked, and what is known of the page from before.
struct Testimony {
  cache::ProbeAnswer pod;
  cache::ProbeAnswer peer{};                // asked where the pod's answer calls for it
  std::optional<Milliseconds> expected{};   // the age that the pod's copy should have by now
  std::optional<Milliseconds> unwatched{};  // since the last answer of this pod
};

// Whether the pod's answer alone leaves a doubt: a miss, or a copy younger than the last look.
[[nodiscard]] bool is_doubtful(const Testimony& testimony);

// A page is lost only where a peer still holds it, and either our copy would be younger than the
// peer's, or Cache-Control says that it is fresh: many pages that were fetched at once expire at
// once, and that is no loss. Where no header tells ages, a miss that hits on the peer is enough.
[[nodiscard]] Evidence weigh(const Testimony& testimony);

// Thread safe as far as each record is in one hand.
class Prober {
 public:
  Prober(http::HttpTransport& pods, Clock& clock, Metrics& metrics)
      : pods_(pods), clock_(clock), metrics_(metrics) {}

  // Asks for the next of the proved pages. Where it is lost, the following ones are asked for at
  // once, so that visitors cannot fill the gap between two looks. Sets `misses_in_a_row`, whose
  // turn is next, and what was seen.
  void probe(const ProbeCall& call, GateRecord& record, const std::stop_token& stop);

  // How long to wait between two probes of a pod while so many pods are warm.
  [[nodiscard]] static Milliseconds interval(std::size_t warm_pods);

 private:
  [[nodiscard]] Evidence ask(const ProbeCall& call,
                             const cache::ProvedUrl& url,
                             GateRecord& record,
                             const std::stop_token& stop);

  http::HttpTransport& pods_;
  Clock& clock_;
  Metrics& metrics_;
};

}  // namespace scaledcache::controller
