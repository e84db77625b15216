// The requests of one warm-up to one pod, within its limits of time and bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cache/hit.h"
#include "cache/warmup.h"

namespace scaledcache::cache {

struct PodAnswer {
  http::Response response;
  HitVerdict verdict = HitVerdict::Unknown;
  Milliseconds took{0};

  [[nodiscard]] bool ok() const { return response.status >= 200 && response.status < 300; }

  [[nodiscard]] bool failed() const { return response.status >= 500; }
};

struct PodQuestion {
  const std::string& path;
  const http::Headers& headers;
  std::size_t keep_body_bytes = 0;
  http::Method method = http::Method::Get;
};

// Thread safe.
class PodClient {
 public:
  // No request lasts beyond `deadline`. All arguments must outlive this object.
  PodClient(const WarmupPlan& plan,
            const WarmupDoors& doors,
            const http::Address& address,
            SteadyTime deadline)
      : plan_(plan), doors_(doors), address_(address), deadline_(deadline) {}

  [[nodiscard]] Result<PodAnswer> ask(const PodQuestion& question, const std::stop_token& stop);

  // Anything came back, ever.
  [[nodiscard]] bool was_reached() const { return reached_; }

  // Of all bodies so far.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  [[nodiscard]] bool is_out_of_time() const { return doors_.clock.steady() >= deadline_; }

 private:
  const WarmupPlan& plan_;
  const WarmupDoors& doors_;
  const http::Address address_;
  const SteadyTime deadline_;
  std::atomic<bool> reached_{false};
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace scaledcache::cache
