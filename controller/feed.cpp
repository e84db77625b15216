#include "controller/feed.h"

#include <random>

#include "runtime/thread_name.h"

namespace scaledcache::controller {
namespace {

// Jitter needs to differ between processes and watches, nothing more.
std::function<double()> jitter() {
  return [engine = std::minstd_rand(std::random_device{}())]() mutable {
    return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
  };
}

// A watch that fails again and again for one reason says so once.
class FaultLog {
 public:
  FaultLog(const Log& log, std::string name) : log_(log), name_(std::move(name)) {}

  void operator()(const Error& error) {
    if (error.code == last_.code && error.message == last_.message) {
      return;
    }
    last_ = error;
    Fields fields;
    fields["watch"] = name_;
    fields["code"] = scaledcache::name_of(error.code);
    fields["error"] = error.message;
    log_.warn("watch failed, trying again", fields);
  }

 private:
  const Log& log_;
  std::string name_;
  Error last_{ErrorCode::Cancelled, ""};
};

}  // namespace

Feed::Feed(const FeedParts& parts,
           k8s::WatchTarget target,
           std::unique_ptr<k8s::WatchSink> sink,
           std::function<void(const Error& error)> on_fault)
    : name_(target.name), sink_(std::move(sink)) {
  auto transport = parts.make_transport();
  if (!transport) {
    FaultLog(parts.log, name_)(transport.error());
    return;
  }
  transport_ = std::move(*transport);
  auto report = [log = FaultLog(parts.log, name_),
                 on_fault = std::move(on_fault)](const Error& error) mutable {
    log(error);
    if (on_fault) {
      on_fault(error);
    }
  };
  watcher_ = std::make_unique<k8s::Watcher>(
      std::move(target), k8s::Watcher::Parts{*transport_, parts.server, parts.clock, *sink_,
                                             jitter(), std::move(report)});
  thread_ = std::jthread([this](std::stop_token stop) {
    set_thread_name("sc-watch");
    watcher_->run(std::move(stop));
  });
}

Feed::~Feed() = default;

WatchReport Feed::report() const {
  return {name_, watcher_ ? watcher_->progress() : k8s::WatchProgress{}};
}

void Feed::update_tls(const http::ClientTlsOptions& tls) {
  if (transport_) {
    (void)transport_->update_tls(tls);  // Credentials hands out only material that was checked
  }
}

}  // namespace scaledcache::controller
