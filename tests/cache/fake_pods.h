// Pods with a cache each in front of one origin, behind a transport; and a clock on which waiting
// takes no time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "http/address.h"
#include "http/transport.h"
#include "http/url.h"

namespace scaledcache::support {

// Thread safe. Whoever waits moves the time.
class SteppingClock final : public Clock {
 public:
  [[nodiscard]] WallTime wall() const override {
    return WallTime{std::chrono::duration_cast<Milliseconds>(steady().time_since_epoch())};
  }

  [[nodiscard]] SteadyTime steady() const override {
    std::lock_guard lock(mutex_);
    return now_;
  }

  bool wait_until(SteadyTime deadline, std::stop_token stop) override {
    std::lock_guard lock(mutex_);
    if (stop.stop_requested()) {
      return false;
    }
    now_ = std::max(now_, deadline);
    return true;
  }

  void pass(Milliseconds time) {
    std::lock_guard lock(mutex_);
    now_ += time;
  }

 private:
  mutable std::mutex mutex_;
  SteadyTime now_{std::chrono::hours{1}};
};

struct FakePage {
  int status = 200;
  std::string type = "text/plain";
  std::string body = "content";
  http::Headers headers{};
  int kept_after = 1;  // requests to the origin; 0: never
};

// Thread safe. Set the public members before anybody asks.
class FakePods final : public http::HttpTransport {
 public:
  explicit FakePods(SteppingClock& clock) : clock_(clock) {}

  Result<http::Response> send(const http::Request& request, std::stop_token stop) override {
    std::lock_guard lock(mutex_);
    requests.push_back(request);
    if (stop.stop_requested()) {
      return Error{ErrorCode::Cancelled, "stopped"};
    }
    if (refused_connections > 0) {
      --refused_connections;
      return Error{ErrorCode::Unavailable, "connection refused"};
    }
    const std::string path = path_of(request);
    if (before_answer) {
      before_answer(path);
    }
    const auto encoding = std::string(http::find_header(request.headers, "accept-encoding"));
    const std::string key =
        http::to_string(request.pod.value().address) + " " + path + " " + encoding;
    const bool hit = kept.contains(key);
    if (!hit) {
      clock_.pass(origin_delay);
      ++origin_requests;
      const FakePage& page = page_of(path);
      if (page.kept_after > 0 && ++fetches_[key] >= page.kept_after) {
        kept.insert(key);
      }
    }
    return answer(request, path, hit);
  }

  // The paths asked for with GET, in order.
  [[nodiscard]] std::vector<std::string> asked() const {
    std::vector<std::string> paths;
    for (const http::Request& request : requests) {
      if (request.method == http::Method::Get) {
        paths.push_back(path_of(request));
      }
    }
    return paths;
  }

  std::map<std::string, FakePage> site;
  Milliseconds origin_delay{50};
  int refused_connections = 0;
  std::function<void(const std::string& path)> before_answer;
  std::function<FakePage(const std::string& address, const FakePage& page)> change;
  bool answers_head_from_cache = true;
  bool says_hit = true;

  std::vector<http::Request> requests;
  std::set<std::string> kept;  // "address path encoding"
  int origin_requests = 0;

 private:
  static std::string path_of(const http::Request& request) {
    const http::Url url = http::parse_url(request.url).value();
    return url.query.empty() ? url.path : url.path + "?" + url.query;
  }

  const FakePage& page_of(const std::string& path) const {
    static const FakePage kMissing{.status = 404, .body = "no", .kept_after = 0};
    const auto found = site.find(path);
    return found == site.end() ? kMissing : found->second;
  }

  Result<http::Response> answer(const http::Request& request, const std::string& path, bool hit) {
    FakePage page = page_of(path);
    if (change) {
      page = change(http::to_string(request.pod->address), page);
    }
    http::Response response;
    response.status = page.status;
    response.headers = page.headers;
    response.headers.push_back({"Content-Type", page.type});
    const bool is_head = request.method == http::Method::Head;
    if (says_hit) {
      const bool says = hit && (!is_head || answers_head_from_cache);
      response.headers.push_back({"X-Cache", says ? "HIT" : "MISS"});
    }
    if (!is_head) {
      response.body = page.body.substr(0, request.pod->keep_body_bytes);
      response.body_bytes = page.body.size();
    }
    return response;
  }

  SteppingClock& clock_;
  std::mutex mutex_;
  std::map<std::string, int> fetches_;
};

}  // namespace scaledcache::support
