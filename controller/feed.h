// One watch of one kind: its connection, its sink and its thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "controller/log.h"
#include "http/cpprest_transport.h"
#include "k8s/api_server.h"
#include "k8s/watcher.h"

namespace scaledcache::controller {

// What every watch needs; all references outlive the feeds.
struct FeedParts {
  std::function<Result<std::unique_ptr<http::CpprestTransport>>()> make_transport;
  const k8s::ApiServer& server;
  Clock& clock;
  const Log& log;
};

struct WatchReport {
  std::string name;  // "pods of blog"
  k8s::WatchProgress progress;
};

// Runs from construction to destruction.
class Feed {
 public:
  // `on_fault` is called on the feed's thread, for each failure.
  Feed(const FeedParts& parts,
       k8s::WatchTarget target,
       std::unique_ptr<k8s::WatchSink> sink,
       std::function<void(const Error& error)> on_fault = {});
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  [[nodiscard]] WatchReport report() const;

  // Any thread.
  void update_tls(const http::ClientTlsOptions& tls);

  // Asks the thread to end without waiting for it, so that several feeds end at once.
  void request_stop() { thread_.request_stop(); }

 private:
  const std::string name_;
  std::unique_ptr<k8s::WatchSink> sink_;
  std::unique_ptr<http::CpprestTransport> transport_;
  std::unique_ptr<k8s::Watcher> watcher_;
  std::jthread thread_;
};

}  // namespace scaledcache::controller
