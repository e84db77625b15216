// Leader election with one Lease (coordination.k8s.io/v1), as a pure state machine: it is told what
// time it is and what the API server answered, and says what to send. The rules and their reasons
// are those of docs/webhook.md.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/boot_clock.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace scaledcache::k8s {

// What a Lease says. Its times are the holder's, and are never compared with our clock.
struct LeaseRecord {
  std::string holder;  // "": nobody
  std::chrono::seconds duration{0};
  std::string acquire_time;  // as it came; kept by the holder
  std::string renew_time;    // as it came
  std::int64_t transitions = 0;

  bool operator==(const LeaseRecord&) const = default;
};

// A record and the resource version at which it was seen.
struct StoredLease {
  LeaseRecord record;
  std::string resource_version;

  bool operator==(const StoredLease&) const = default;
};

// Protocol when there is no resource version; every other missing or mistyped field reads as empty.
[[nodiscard]] Result<StoredLease> decode_lease(const Json& object);

struct LeaseName {
  std::string name_space;
  std::string name;
};

// The body of a POST (no version) or of a PUT that succeeds only at `resource_version`.
[[nodiscard]] std::string encode_lease(const LeaseName& name,
                                       const LeaseRecord& record,
                                       const std::string& resource_version);

// duration > renew_deadline > 1.2 retry_period. The rates of two clocks may differ at most by
// duration / renew_deadline.
struct LeaseTiming {
  std::chrono::seconds duration{15};                 // how long others wait after the last renewal
  std::chrono::milliseconds renew_deadline{10'000};  // how long we lead without a renewal
  std::chrono::milliseconds retry_period{2'000};     // between two attempts
};

struct ReadLease {};

struct CreateLease {
  LeaseRecord record;
};

struct ReplaceLease {
  LeaseRecord record;
  std::string resource_version;
};

// What a round sends next; nothing when it is over.
using LeaseRequest = std::variant<ReadLease, CreateLease, ReplaceLease>;
using LeaseStep = std::optional<LeaseRequest>;

// When a function is called. Read after an answer has come and before the next request goes out:
// another's renewal counts from when we saw it, ours from when we asked for it.
struct LeaseTimes {
  BootTime now;
  WallTime wall;  // only for people who read the Lease
};

// One candidate. For one thread; window_end() may be copied to others. A round is begin(), then the
// request that it or read() names, until there is none.
class LeaseCandidate {
 public:
  // `identity` is unique to this process.
  LeaseCandidate(std::string identity, const LeaseTiming& timing);

  // Starts a round: a replacement without a read while our own view is the last one known, else a
  // read.
  [[nodiscard]] LeaseStep begin(const LeaseTimes& times);

  // The answer to a ReadLease: NotFound means that there is none. Any other error ends the round.
  [[nodiscard]] LeaseStep read(const Result<StoredLease>& answer, const LeaseTimes& times);

  // The answer to a CreateLease or ReplaceLease; `start` is the `now` that was given to the call
  // that asked for it. Any error ends the round, and the next one reads first: whether it was
  // applied is unknown.
  void written(const Result<StoredLease>& answer, BootTime start);

  // When the next round is due.
  [[nodiscard]] BootTime next_round(BootTime now) const;

  // Until when writes may be sent, and must have ended; nothing while we do not lead. It starts at
  // the beginning of the last successful renewal, so that it ends before others may take over.
  [[nodiscard]] std::optional<BootTime> window_end() const;

  // True once leadership was held and is over; it stays so: a process that led must end.
  [[nodiscard]] bool lost(BootTime now) const;

  // What gives the Lease back, after all guarded work has ended; nothing when it is not ours, as
  // far as we know. On Conflict, read() and ask again.
  [[nodiscard]] LeaseStep release(const LeaseTimes& times) const;

  // The holder that was seen last; empty when nobody holds it or nothing is known.
  [[nodiscard]] std::string holder() const;

 private:
  void observe(const StoredLease& lease, BootTime now);
  [[nodiscard]] bool is_held_by_other(BootTime now) const;
  [[nodiscard]] LeaseRecord claim(const LeaseTimes& times) const;

  std::string identity_;
  LeaseTiming timing_;
  std::optional<StoredLease> seen_;
  BootTime seen_since_{};            // when `seen_` last changed, on our clock
  bool view_is_ours_ = false;        // seen_ is the answer to our own last write
  std::optional<BootTime> renewed_;  // the start of the last successful renewal
  bool taken_from_us_ = false;
};

}  // namespace scaledcache::k8s
