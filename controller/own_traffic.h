// Counts what the operator itself sends to the pods, at the one door that all of it goes through:
// probes and warm-ups, of the pod that is judged and of the peer it is compared with.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "core/observation.h"
#include "core/own_requests.h"
#include "http/address.h"
#include "http/transport.h"

namespace scaledcache::controller {

// Thread safe. Known only for what this process has sent.
class OwnTraffic {
 public:
  // A request to the pod at `pod` was answered at `when`.
  void note(const http::Address& pod, WallTime when) EXCLUDES(mutex_);

  // Tells each of the pods what it was sent of late.
  void add_to(std::vector<core::PodFacts>& pods) const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<std::string, core::OwnLedger> pods_ GUARDED_BY(mutex_);  // by address
};

// Sends through another transport, and notes what was answered: a request that was not may or may
// not have been counted by the pod.
class CountedTransport final : public http::HttpTransport {
 public:
  CountedTransport(http::HttpTransport& pods, OwnTraffic& traffic, Clock& clock)
      : pods_(pods), traffic_(traffic), clock_(clock) {}

  Result<http::Response> send(const http::Request& request, std::stop_token stop) override;

 private:
  http::HttpTransport& pods_;
  OwnTraffic& traffic_;
  Clock& clock_;
};

}  // namespace scaledcache::controller
