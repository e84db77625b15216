#include "loopback/fake_caches.h"

#include "loopback/fake_workloads.h"

namespace scaledcache::loopback {
namespace {

constexpr int kCaches = 10;
constexpr std::chrono::milliseconds kSlice{50};  // how soon the end of a stall is noticed

}  // namespace

FakeCaches::FakeCaches(Pulse& pulse) : pulse_(pulse) {
  for (int i = 0; i < kCaches; ++i) {
    const std::string address = gated_pod_address(i);
    peers_.push_back(std::make_unique<HttpPeer>(
        [this, address](HttpExchange& exchange) { handle(exchange, address); }, std::nullopt,
        ListenAt{address, static_cast<std::uint16_t>(port_)}));
    port_ = peers_.front()->port();
  }
}

void FakeCaches::forget(const std::string& address) {
  std::lock_guard lock(mutex_);
  caches_[address].pages.clear();
}

std::size_t FakeCaches::requests(const std::string& address) const {
  std::lock_guard lock(mutex_);
  const auto found = caches_.find(address);
  return found == caches_.end() ? 0 : found->second.requests;
}

std::string FakeCaches::last_host() const {
  std::lock_guard lock(mutex_);
  return last_host_;
}

void FakeCaches::handle(HttpExchange& exchange, const std::string& address) {
  const HttpRequest& request = exchange.request();
  bool hit = false;
  {
    std::lock_guard lock(mutex_);
    Cache& cache = caches_[address];
    ++cache.requests;
    last_host_ = request.header("host");
  }
  pulse_.beat();
  while (stalled_ && !exchange.client_gone(kSlice)) {
  }
  {
    std::lock_guard lock(mutex_);
    Cache& cache = caches_[address];
    hit = cache.pages.contains(request.target);
    if (!hit && cacheable_) {
      cache.pages.insert(request.target);
    }
  }
  origin_requests_ += hit ? 0 : 1;
  const std::string transaction = std::to_string(transactions_ += 2);
  HeaderList headers{{"Content-Type", "text/html"},
                     {"X-Varnish", hit ? transaction + " 7" : transaction},
                     {"Age", hit ? "3" : "0"}};
  if (!hit && !cacheable_) {
    headers.emplace_back("Cache-Control", "private");
  }
  exchange.answer(200, request.method == "HEAD" ? "" : "<p>page</p>", headers);
  pulse_.beat();
}

}  // namespace scaledcache::loopback
