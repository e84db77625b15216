#include "controller/health.h"

#include "base/duration.h"

namespace scaledcache::controller {
namespace {

std::string whole_seconds(Milliseconds duration) {
  return format_duration(std::chrono::duration_cast<std::chrono::seconds>(duration));
}

}  // namespace

std::optional<std::string> judge_liveness(const HealthInput& input) {
  for (const WatchReport& watch : input.watches) {
    const auto& last = watch.progress.last_attempt;
    if (last && input.now - *last > kWatchStuck) {
      return "watch of " + watch.name + " has not moved for " +
             whole_seconds(std::chrono::duration_cast<Milliseconds>(input.now - *last));
    }
  }
  if (input.oldest_in_flight && *input.oldest_in_flight > kWorkStuck) {
    return "a worker has been busy with one resource for " + whole_seconds(*input.oldest_in_flight);
  }
  if (input.lease_silence && *input.lease_silence > kLeaseStuck) {
    return "nobody has looked at the lease for " + whole_seconds(*input.lease_silence);
  }
  return std::nullopt;
}

std::optional<std::string> judge_readiness(const std::vector<WatchReport>& watches) {
  for (const WatchReport& watch : watches) {
    if (!watch.progress.synced) {
      std::string why = "watch of " + watch.name + " has not listed yet";
      return watch.progress.last_error ? why + ": " + watch.progress.last_error->message : why;
    }
  }
  return std::nullopt;
}

}  // namespace scaledcache::controller
