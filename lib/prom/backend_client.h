// Asks metrics backends, politely: with limits per backend and in all, without asking twice what is
// being asked already, and not at all while a backend cannot be reached.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "core/samples.h"
#include "http/transport.h"
#include "prom/admission.h"
#include "prom/backend.h"
#include "prom/decode.h"
#include "prom/encode.h"
#include "prom/selector.h"

namespace scaledcache::prom {

// `metric{matchers}[window]`.
struct CounterQuery {
  std::string metric;
  Matchers matchers;
  Milliseconds window{0};
};

// The backend's clock when it answered: the Date header; nothing where there is none.
struct CounterAnswer : SeriesAnswer {
  std::optional<WallTime> server_time{};
};

struct NumberAnswer : ValueAnswer {
  std::optional<WallTime> server_time{};
};

// One number per step, where there was one.
struct RangeAnswer {
  std::vector<core::Sample> samples;
  bool partial = false;
  int warnings = 0;
  std::optional<WallTime> server_time{};
};

struct ClientLimits {
  AdmissionLimits admission{};
  DecodeLimits decode{};
  std::size_t max_body_bytes = std::size_t{16} << 20;
};

// Thread safe; blocks the caller for at most backend.timeout. Errors are those of HttpTransport, of
// Admission::enter, judge_response and decode; Invalid also where the question itself is broken. No
// message holds a URL, a value of a header or text of the backend.
class BackendClient {
 public:
  // `transport` and `clock` must outlive this object.
  BackendClient(http::HttpTransport& transport, Clock& clock, ClientLimits limits = {});

  Result<CounterAnswer> query_counter(const Backend& backend,
                                      const CounterQuery& query,
                                      const std::stop_token& stop);

  // `text` is PromQL that gives one number; the answer's fault says where it does not.
  Result<NumberAnswer> query_value(const Backend& backend,
                                   const std::string& text,
                                   const std::stop_token& stop);

  // Protocol where the query gives several series.
  Result<RangeAnswer> query_range_values(const Backend& backend,
                                         const RangeQuery& query,
                                         const std::stop_token& stop);

  struct Load {
    Admission::Load admission;
    std::size_t sharing = 0;  // callers that wait for the answer to somebody else's question
  };

  [[nodiscard]] Load load() const;

 private:
  using Answer = Result<http::Response>;
  using SharedAnswer = std::shared_ptr<const Answer>;

  // A question under way, and the answer for all who ask it.
  struct Flight {
    std::string backend;
    http::Request request;
    SharedAnswer answer{};
  };

  template <class Decoded, class Decode>
  Result<Decoded> ask(const Backend& backend,
                      Result<http::Request> request,
                      const std::stop_token& stop,
                      Decode decode);
  Result<SharedAnswer> fetch(const Backend& backend,
                             http::Request request,
                             const std::stop_token& stop);
  std::shared_ptr<Flight> find_flight(const Flight& wanted) const REQUIRES(mutex_);
  SharedAnswer follow(const Flight& flight, const std::stop_token& stop) EXCLUDES(mutex_);
  SharedAnswer lead(const std::shared_ptr<Flight>& flight, const std::stop_token& stop)
      EXCLUDES(mutex_);
  void land(const std::shared_ptr<Flight>& flight, Answer answer) EXCLUDES(mutex_);

  http::HttpTransport& transport_;
  Clock& clock_;
  const ClientLimits limits_;
  Admission admission_;

  mutable Mutex mutex_;
  std::condition_variable_any landed_;
  std::list<std::shared_ptr<Flight>> flights_ GUARDED_BY(mutex_);
  std::size_t sharing_ GUARDED_BY(mutex_) = 0;
};

}  // namespace scaledcache::prom
