// One request in flight, seen from both sides. The library's threads put the head, the bytes and
// the end of an answer; the thread that asked takes them, with a deadline and a stop of its own, so
// that it comes back even when the library never does. Knows no library.
#pragma once

#include <condition_variable>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "http/head.h"

namespace scaledcache::http {

// Thread safe. One reader; writers in the order head, bytes, end.
class Exchange {
 public:
  void put_head(Head head);

  // Keeps a copy of `bytes`. `drained` is called once there is room for more: inside this call, or
  // later by the reader. False when the reader is gone: then `drained` is not called.
  [[nodiscard]] bool put_bytes(std::string_view bytes, std::function<void()> drained);

  // The body ended as its framing says.
  void finish();

  // The answer cannot go on; no effect after an end.
  void fail(Error error);

  // Timeout at the deadline, Cancelled at a stop, else what fail() was given.
  [[nodiscard]] Result<Head> take_head(SteadyTime deadline, const std::stop_token& stop);

  // What has arrived since the last call, at least one byte; nothing after a clean end. Bytes that
  // came before a failure are handed out before it. Errors as take_head.
  [[nodiscard]] Result<std::optional<std::string>> take_bytes(SteadyTime deadline,
                                                              const std::stop_token& stop);

  // The reader leaves: what comes later is refused.
  void abandon();

 private:
  // More than this, unread, holds the peer back.
  static constexpr std::size_t kHighWater = std::size_t{256} << 10;

  [[nodiscard]] std::optional<Error> failure(bool ready, const std::stop_token& stop) const
      REQUIRES(mutex_);

  Mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Head> head_ GUARDED_BY(mutex_);
  std::string bytes_ GUARDED_BY(mutex_);
  std::function<void()> drained_ GUARDED_BY(mutex_);
  std::optional<Error> error_ GUARDED_BY(mutex_);
  bool ended_ GUARDED_BY(mutex_) = false;
  bool abandoned_ GUARDED_BY(mutex_) = false;
};

}  // namespace scaledcache::http
