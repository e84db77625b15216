#include "controller/own_traffic.h"

#include <utility>

namespace scaledcache::controller {

void OwnTraffic::note(const http::Address& pod, WallTime when) {
  MutexLock lock(mutex_);
  const auto [at, is_new] = pods_.try_emplace(http::to_string(pod));
  at->second.note(when);
  if (is_new) {
    std::erase_if(pods_, [&](const auto& entry) { return entry.second.is_over(when); });
  }
}

void OwnTraffic::add_to(std::vector<core::PodFacts>& pods) const {
  MutexLock lock(mutex_);
  if (pods_.empty()) {
    return;
  }
  for (core::PodFacts& pod : pods) {
    const auto address = http::parse_address(pod.address);
    const auto found = address ? pods_.find(http::to_string(*address)) : pods_.end();
    if (found != pods_.end()) {
      pod.own = found->second.counts();
    }
  }
}

Result<http::Response> CountedTransport::send(const http::Request& request, std::stop_token stop) {
  auto answer = pods_.send(request, std::move(stop));
  if (answer && request.pod) {
    traffic_.note(request.pod->address, clock_.wall());
  }
  return answer;
}

}  // namespace scaledcache::controller
