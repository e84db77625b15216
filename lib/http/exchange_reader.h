// The side of an exchange that waits: takes head and body of an answer as they come, and refuses
// what breaks a rule. Knows no library.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/exchange.h"
#include "http/transport.h"

namespace scaledcache::http {

// No body of the API server may be larger, whatever a request allows.
inline constexpr std::size_t kMaxApiBodyBytes = std::size_t{64} << 20;

// For one thread, and one answer. Errors are those of HttpTransport.
class ExchangeReader {
 public:
  // `exchange` outlives the reader.
  explicit ExchangeReader(Exchange& exchange) : exchange_(exchange) {}

  // The whole answer to `request`.
  [[nodiscard]] Result<Response> read_whole(const Request& request,
                                            SteadyTime deadline,
                                            const std::stop_token& stop);

  // As HttpStreamTransport::stream: the head by the deadline, every 2xx byte to `sink`.
  [[nodiscard]] Result<Response> read_stream(const Request& request,
                                             SteadyTime deadline,
                                             std::chrono::milliseconds idle_timeout,
                                             const ByteSink& sink,
                                             const std::stop_token& stop);

  // Whether the answer was read to its clean end.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  Result<std::optional<std::string>> take(SteadyTime deadline, const std::stop_token& stop);
  Result<std::string> take_body(std::size_t limit,
                                SteadyTime deadline,
                                const std::stop_token& stop);
  Result<void> feed(const ByteSink& sink,
                    std::chrono::milliseconds idle_timeout,
                    const std::stop_token& stop);

  Exchange& exchange_;
  bool ended_ = false;
};

}  // namespace scaledcache::http
