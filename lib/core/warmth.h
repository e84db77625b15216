// Whether a pod may take traffic: the rules for the readiness gate as one function over facts. It
// fetches nothing and remembers nothing; who calls it does.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace scaledcache::core {

// What cannot be told from the user's wishes: pods whose gate is opened after so long, when nothing
// else serves, and how many probes in a row must miss before a cache counts as lost.
inline constexpr Milliseconds kBestEffort{5'000};
inline constexpr int kMissesInARow = 3;
// A process that started later than its proof by no more than this is the same: sample times and
// condition times are whole seconds on different clocks.
inline constexpr Milliseconds kUptimeSlack{5'000};
// After a warm-up that did not prove the pod the next one waits so long; of a pod that serves all
// the same twice as long each time, up to the longest.
inline constexpr Milliseconds kWarmupPause{5'000};
inline constexpr Milliseconds kLongestWarmupPause{300'000};

enum class OnTimeout { Open, Hold };

struct WarmthPolicy {
  bool gates = false;  // warmup.mode is Gate
  int min_hit_percent = 90;
  Milliseconds timeout{120'000};
  OnTimeout on_timeout = OnTimeout::Open;
};

enum class WarmthState { Cold, Warming, Warm, Draining, Ungated };

inline constexpr std::array kAllWarmthStates{WarmthState::Cold, WarmthState::Warming,
                                             WarmthState::Warm, WarmthState::Draining,
                                             WarmthState::Ungated};

[[nodiscard]] std::string_view name_of(WarmthState state);

// What to do with the condition. Leave also where it says what it should already.
enum class GateMove { Open, Closed, Leave };

[[nodiscard]] std::string_view name_of(GateMove move);

// The reason of the condition, or, where it is left, of the state.
enum class WarmthReason {
  // The gate is open, or may be.
  CacheWarm,          // proven: the only reason that is a proof of warmth
  WarmupTimeout,      // not proven in time
  NotManaged,         // no ScaledCache owns the pod any more
  Paused,             // by annotation
  GateOff,            // warmup.mode is Off
  FirstPods,          // nothing else serves, and there was a short try
  PanicOpen,          // the fleet is overloaded: a cold pod beats no pod
  LastReadyPod,       // would be closed, but nothing else serves
  UncacheableList,    // nothing on the list can be cached
  PortNotDeclared,    // warmup.port is no container port: the pod is not asked
  AddressNotAllowed,  // no address of its own that may be asked: host network, or a denied range
  // The gate is closed, or not yet written.
  ContainersNotReady,  // before that nobody may open it
  Waiting,             // for its turn
  Warming,             // being filled
  BelowMinHitPercent,  // filled, but too little of it comes out of the cache
  OriginFailing,       // stopped, to leave the origin alone
  NoAnswer,            // nobody answers at the port, or not with a certificate to trust
  ContainerRestarted,  // the cache that was proven is gone with its container
  CacheRestarted,      // the process started anew inside its container
  ProbesMissed,        // pages that were proven come from the origin again
  Draining,
  // The gate is not ours to write.
  Ungated,      // the pod has no such gate
  Terminating,  // on its way out
};

inline constexpr std::array kAllWarmthReasons{WarmthReason::CacheWarm,
                                              WarmthReason::WarmupTimeout,
                                              WarmthReason::NotManaged,
                                              WarmthReason::Paused,
                                              WarmthReason::GateOff,
                                              WarmthReason::FirstPods,
                                              WarmthReason::PanicOpen,
                                              WarmthReason::LastReadyPod,
                                              WarmthReason::UncacheableList,
                                              WarmthReason::PortNotDeclared,
                                              WarmthReason::AddressNotAllowed,
                                              WarmthReason::ContainersNotReady,
                                              WarmthReason::Waiting,
                                              WarmthReason::Warming,
                                              WarmthReason::BelowMinHitPercent,
                                              WarmthReason::OriginFailing,
                                              WarmthReason::NoAnswer,
                                              WarmthReason::ContainerRestarted,
                                              WarmthReason::CacheRestarted,
                                              WarmthReason::ProbesMissed,
                                              WarmthReason::Draining,
                                              WarmthReason::Ungated,
                                              WarmthReason::Terminating};

[[nodiscard]] std::string_view name_of(WarmthReason reason);

// The condition as the pod's status holds it.
struct GateFacts {
  bool open = false;
  std::string reason{};
  std::string identity{};  // of the containers it was written for; "" where it does not say
  std::optional<WallTime> since{};
};

// What the last warm-up that ended came to.
struct WarmupFacts {
  std::string identity{};  // of the containers that it warmed
  WallTime ended{};
  int attempts = 1;             // warm-ups of them that have ended, this one included
  bool finished = false;        // every URL was judged
  bool origin_failing = false;  // stopped to leave the origin alone
  bool no_answer = false;       // nobody answered, or with a bad certificate
  int urls = 0;                 // with variants counted
  int cacheable = 0;            // of them
  int hit_percent = 0;          // of the cacheable ones
  std::string trouble{};        // one sentence; "" where there was none
};

// All about one pod and what it needs to know of its fleet. An identity is a text that differs
// after every restart of a container, and between pods.
struct WarmthFacts {
  // The pod, as the cluster shows it.
  bool terminating = false;
  bool has_gate = false;
  bool gated_label = false;
  bool containers_ready = false;
  std::optional<WallTime> containers_ready_since;
  bool ready = false;
  std::string identity;
  std::optional<GateFacts> gate;  // nothing: never written
  bool draining = false;          // chosen to go
  bool port_declared = true;
  bool address_allowed = true;

  // What we know of its cache.
  std::optional<WallTime> cold_since;     // when its containers became ready, or it turned cold
  bool warmup_running = false;            // at this moment
  std::optional<WarmupFacts> warmup;      // nothing: none has ended since we look after it
  std::optional<WallTime> cache_started;  // by its uptime metric; nothing: unknown
  int misses_in_a_row = 0;                // probes that missed URLs that hit on a peer

  // The fleet.
  bool managed = true;  // a ScaledCache owns the pod
  bool paused = false;
  int other_ready = 0;        // pods of the fleet that are Ready, without this one
  bool overloaded = false;    // the pods that serve refuse work
  bool best_of_cold = false;  // of the pods that wait, the one to be opened first
};

struct WarmthVerdict {
  WarmthState state = WarmthState::Cold;
  GateMove gate = GateMove::Leave;
  WarmthReason reason = WarmthReason::ContainersNotReady;
  std::string message{};  // one sentence; does not change while nothing happens
  // What was proven is lost: forget the warm-up's outcome and the probes; cold_since begins now.
  bool cold_again = false;
  // A warm-up should run: to prove the pod warm, or, when it was proven before we looked after it,
  // to learn what to probe. Not while one runs; when is its caller's business.
  bool wants_warmup = false;
  bool lacks_label = false;  // gated, but without the label that lets it be found: GateWithoutLabel
  std::optional<Milliseconds> look_again_after{};  // nothing: only when a fact changes
};

// One pod. Rules, in order; the first that applies decides:
//  1. a pod without the gate, or on its way out, is not touched;
//  2. nothing is opened before the containers are ready;
//  3. unmanaged, paused, or with gating off: open;
//  4. draining: closed;
//  5. another identity, a younger cache process, or kMissesInARow: cold again, closed;
//  6. proven for this identity: open;
//  7. cannot be asked, or nothing to cache: open;
//  8. nothing else serves: open after kBestEffort; overloaded: the best of the cold ones opens;
//  9. out of time: open or hold, as the policy says.
// A gate that is open is closed by 4 and 5 only, and never while nothing else of the fleet is
// ready.
[[nodiscard]] WarmthVerdict judge_warmth(const WarmthPolicy& policy,
                                         const WarmthFacts& facts,
                                         WallTime now);

}  // namespace scaledcache::core
