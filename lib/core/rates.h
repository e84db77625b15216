// From samples to a reading: decision.md sections 2 and 3, for one signal and one tick.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "core/history.h"
#include "core/observation.h"
#include "core/policy.h"
#include "core/samples.h"

namespace scaledcache::core {

// Labels that say how a sample was scraped, not what it counts: no part of a series' identity.
[[nodiscard]] const std::vector<std::string>& default_scrape_labels();

// How one answer is to be read. Make it with `question_for`, then set what the answer brought.
struct Question {
  SignalPolicy signal;
  Milliseconds short_window{30'000};
  std::optional<Milliseconds> max_sample_age;   // the policy's; nothing: learned
  std::optional<Milliseconds> scrape_interval;  // as known before this answer
  bool has_served = false;                      // above 1 request per second, before the window
  Milliseconds window{70'000};                  // the range selector w to ask for
  WallTime now;                                 // our clock when the answer came
  std::optional<WallTime> backend_now;       // the backend's clock then; nothing: it has shown none
  bool partial_answer = false;               // the backend says that the answer is partial
  bool counts_own = false;                   // the series count what PodFacts::own says, too
  std::optional<Milliseconds> history_step;  // fill `history` at this step from a long answer
  std::vector<std::string> scrape_labels = default_scrape_labels();
};

[[nodiscard]] Question question_for(const Policy& policy,
                                    const SignalPolicy& signal,
                                    const History& history,
                                    WallTime now);

// Reads the answer to `metric{matchers}[w]`. `pods` are those of the target and those that were
// within `w`, with their times by our clock. Never fails: what cannot be used comes back Stale,
// Missing or Invalid, with the fault named.
[[nodiscard]] SignalReading read_counter(const Question& question,
                                         std::span<const Series> series,
                                         std::span<const PodFacts> pods);

// Reads a query's one number. `age` of the number where an ageQuery gave it.
[[nodiscard]] SignalReading read_value(const Question& question,
                                       double value,
                                       std::optional<Milliseconds> age = std::nullopt);

// The reading of an answer that could not be read at all.
[[nodiscard]] SignalReading unusable(Fault fault);

// What a failed query means for its signal.
[[nodiscard]] Fault fault_of(ErrorCode code);

}  // namespace scaledcache::core
