// An API server for one watcher that plays a script: each request has one answer, and a request
// beyond the script stops the watcher.
#pragma once

#include <deque>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "http/transport.h"
#include "k8s/jumping_clock.h"

namespace scaledcache::k8s {

// One exchange. `chunks` are the body of a stream as they arrive; `lasts` passes on the clock
// before the answer is whole.
struct Scene {
  std::string url;
  Result<http::Response> answer = http::Response{200, {}, ""};
  std::vector<std::string> chunks{};
  Milliseconds lasts{5000};
};

class WatchScript final : public http::HttpStreamTransport {
 public:
  explicit WatchScript(JumpingClock& clock) : clock_(clock) {}

  ~WatchScript() override { CHECK_MESSAGE(scenes_.empty(), "scenes that were never played"); }

  void add(Scene scene) { scenes_.push_back(std::move(scene)); }

  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }

  [[nodiscard]] const std::vector<http::Request>& requests() const { return requests_; }

  Result<http::Response> send(const http::Request& request, std::stop_token) override {
    return play(request, [](std::string_view) { return true; });
  }

  Result<http::Response> stream(const http::Request& request,
                                std::chrono::milliseconds,
                                const http::ByteSink& sink,
                                std::stop_token) override {
    return play(request, sink);
  }

 private:
  Result<http::Response> play(const http::Request& request, const http::ByteSink& sink) {
    if (scenes_.empty()) {
      stop_.request_stop();
      return Error{ErrorCode::Cancelled, "the script is over"};
    }
    requests_.push_back(request);
    Scene scene = std::move(scenes_.front());
    scenes_.pop_front();
    CHECK(request.url == scene.url);
    for (const std::string& chunk : scene.chunks) {
      if (!sink(chunk)) {
        return http::Response{200, {}, ""};
      }
    }
    clock_.advance(scene.lasts);
    return std::move(scene.answer);
  }

  JumpingClock& clock_;
  std::stop_source stop_;
  std::deque<Scene> scenes_;
  std::vector<http::Request> requests_;
};

}  // namespace scaledcache::k8s
