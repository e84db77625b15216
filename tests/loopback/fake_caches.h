// Caches of pods on loopback, each at an address of its own: they answer as Varnish does, with
// X-Varnish and Age, and forget everything on command.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "loopback/http_peer.h"
#include "loopback/pulse.h"

namespace scaledcache::loopback {

// Thread safe. Ten caches, at the addresses that the pods of FakeWorkloads get, all on one port.
class FakeCaches {
 public:
  explicit FakeCaches(Pulse& pulse);

  [[nodiscard]] int port() const { return port_; }

  // The cache process of that pod ends and starts anew: empty.
  void forget(const std::string& address);

  // While stalled, requests of every cache are taken and not answered.
  void stall(bool stalled) { stalled_ = stalled; }

  // Whether the origin's answers may be kept; what is kept already stays.
  void set_cacheable(bool cacheable) { cacheable_ = cacheable; }

  // Requests to the cache of that pod, and those of all that went on to the origin.
  [[nodiscard]] std::size_t requests(const std::string& address) const;

  [[nodiscard]] std::size_t origin_requests() const { return origin_requests_; }

  // The Host header that came last.
  [[nodiscard]] std::string last_host() const;

 private:
  struct Cache {
    std::set<std::string> pages;
    std::size_t requests = 0;
  };

  void handle(HttpExchange& exchange, const std::string& address);

  Pulse& pulse_;
  int port_ = 0;
  std::atomic<bool> stalled_ = false;
  std::atomic<bool> cacheable_ = true;
  std::atomic<std::size_t> origin_requests_ = 0;
  std::atomic<std::uint64_t> transactions_ = 1000;
  mutable std::mutex mutex_;
  std::map<std::string, Cache> caches_;
  std::string last_host_;
  std::vector<std::unique_ptr<HttpPeer>> peers_;  // last: they are the first to end
};

}  // namespace scaledcache::loopback
