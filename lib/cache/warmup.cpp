#include "cache/warmup.h"

#include "cache/warmup_run.h"

namespace scaledcache::cache {

std::string_view name_of(WarmupEnd end) {
  switch (end) {
    case WarmupEnd::Finished:
      return "Finished";
    case WarmupEnd::Cancelled:
      return "Cancelled";
    case WarmupEnd::TimedOut:
      return "TimedOut";
    case WarmupEnd::OriginFailing:
      return "OriginFailing";
    case WarmupEnd::NoAnswer:
      return "NoAnswer";
    case WarmupEnd::TooMuch:
      return "TooMuch";
    case WarmupEnd::Invalid:
      return "Invalid";
  }
  return "Invalid";
}

int WarmupReport::hit_percent() const {
  return cacheable() > 0 ? (hits + stale) * 100 / cacheable() : 0;
}

Warmup::Warmup(const WarmupPlan& plan,
               const WarmupDoors& doors,
               const http::Address& pod,
               std::optional<http::Address> peer)
    : run_(std::make_unique<WarmupRun>(plan, doors, pod, peer)) {}

Warmup::~Warmup() = default;

WarmupReport Warmup::run(std::stop_token stop) {
  return run_->run(stop);
}

WarmupProgress Warmup::progress() const {
  return run_->progress();
}

}  // namespace scaledcache::cache
