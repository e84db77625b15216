// Keeps one kind up to date: asks, reads and waits as watch_state says, and hands what it learns to
// a sink. One watcher, one thread; nothing here knows a kind.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/mutex.h"
#include "http/transport.h"
#include "k8s/api_server.h"
#include "k8s/watch_codec.h"
#include "k8s/watch_state.h"

namespace scaledcache::k8s {

// What a watcher learns, in the order of the stream. All calls come from the watcher's thread.
class WatchSink {
 public:
  WatchSink() = default;
  WatchSink(const WatchSink&) = delete;
  WatchSink& operator=(const WatchSink&) = delete;
  virtual ~WatchSink() = default;

  virtual void begin_list() = 0;  // forget what was staged
  virtual void stage(Envelope envelope, const Json& object) = 0;
  virtual void commit_list() = 0;  // what was staged is the whole content now
  virtual void put(Envelope envelope, const Json& object) = 0;
  virtual void remove(const Envelope& envelope) = 0;
};

// What to watch.
struct WatchTarget {
  std::string name;  // for metrics and messages: "pods"
  std::string path;  // a collection: collection_path(…)
  std::string label_selector{};
  std::string field_selector{};
};

// Counters only rise. Times are empty before the first of their kind.
struct WatchProgress {
  std::optional<SteadyTime> last_attempt;  // anything came back, be it an error: for liveness
  std::optional<SteadyTime> last_data;     // a whole list, an event or a bookmark: age of the data
  std::uint64_t relists = 0;
  std::uint64_t rv_regressed = 0;
  std::uint64_t bad_frames = 0;
  std::array<std::uint64_t, kAllErrorCodes.size()> errors{};  // in the order of kAllErrorCodes
  bool synced = false;
  bool degraded = false;
  std::optional<Error> last_error;  // of the attempt that failed last; empty after a success
};

class Watcher {
 public:
  struct Parts {
    http::HttpStreamTransport& transport;
    const ApiServer& server;
    Clock& clock;
    WatchSink& sink;
    std::function<double()> random;                      // in [0, 1)
    std::function<void(const Error& error)> on_fault{};  // each failed attempt, on the same thread
  };

  struct Limits {
    std::chrono::milliseconds head_timeout{10'000};
    std::chrono::milliseconds list_timeout{60'000};
    std::chrono::milliseconds idle_timeout{90'000};
    std::size_t max_list_bytes = std::size_t{32} << 20;
  };

  Watcher(WatchTarget target, Parts parts);
  Watcher(WatchTarget target, Parts parts, Limits limits);

  // Lists and watches on the calling thread until `stop` is requested. Call it once.
  void run(std::stop_token stop);

  // Any thread.
  [[nodiscard]] WatchProgress progress() const EXCLUDES(mutex_);

  [[nodiscard]] const WatchTarget& target() const { return target_; }

 private:
  Action list(const std::stop_token& stop);
  Action watch(const std::stop_token& stop);
  Action take_frame(std::string_view frame);
  Action take_object(EventType type, const Json& object);
  Action take_end(const Result<http::Response>& end, SteadyTime opened, bool cut);
  Action saw(const Action& action);
  Action bad_frame(const Error& error);
  Action request_failed(const Error& error, bool version_too_large = false);
  Action refused(const http::Response& response);

  // Asks the rules and keeps the books.
  Action feed(const Input& input);
  bool pause(const Pause& pause, const std::stop_token& stop);
  void report(const Error& error);
  void note_data(bool is_whole_list);

  [[nodiscard]] std::string list_path() const;
  [[nodiscard]] std::string watch_path() const;

  const WatchTarget target_;
  const Parts parts_;
  const Limits limits_;
  // Only the thread of run() touches these.
  WatchState state_;
  SteadyTime quiet_since_{};

  mutable Mutex mutex_;
  WatchProgress progress_ GUARDED_BY(mutex_);
};

}  // namespace scaledcache::k8s
