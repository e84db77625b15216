#include "prom/backend_client.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/rfc3339.h"
#include "prom/verdict.h"

namespace scaledcache::prom {
namespace {

using Outcome = CircuitBreaker::Outcome;

Outcome outcome_of(const Result<http::Response>& answer) {
  if (answer) {
    return Outcome::Answered;
  }
  switch (answer.error().code) {
    case ErrorCode::Unavailable:
    case ErrorCode::Timeout:
      return Outcome::Unreachable;
    case ErrorCode::Protocol:
      return Outcome::Answered;
    default:
      return Outcome::Unknown;
  }
}

Result<RangeAnswer> one_series(SeriesAnswer&& answer) {
  if (answer.series.size() != 1) {
    return Error{ErrorCode::Protocol, "the query gives several series instead of one"};
  }
  return RangeAnswer{std::move(answer.series.front().samples), answer.partial, answer.warnings};
}

}  // namespace

BackendClient::BackendClient(http::HttpTransport& transport, Clock& clock, ClientLimits limits)
    : transport_(transport), clock_(clock), limits_(limits), admission_(clock, limits.admission) {}

Result<CounterAnswer> BackendClient::query_counter(const Backend& backend,
                                                   const CounterQuery& query,
                                                   const std::stop_token& stop) {
  auto request =
      range_selector(query.metric, query.matchers, query.window)
          .and_then([&](const std::string& text) { return encode_query(backend, text); });
  return ask<CounterAnswer>(backend, std::move(request), stop, [&](std::string_view body) {
    return decode_series(body, limits_.decode).transform([](SeriesAnswer&& answer) {
      return CounterAnswer{std::move(answer)};
    });
  });
}

Result<NumberAnswer> BackendClient::query_value(const Backend& backend,
                                                const std::string& text,
                                                const std::stop_token& stop) {
  return ask<NumberAnswer>(backend, encode_query(backend, text), stop, [&](std::string_view body) {
    return decode_value(body, limits_.decode).transform([](const ValueAnswer& answer) {
      return NumberAnswer{answer};
    });
  });
}

Result<RangeAnswer> BackendClient::query_range_values(const Backend& backend,
                                                      const RangeQuery& query,
                                                      const std::stop_token& stop) {
  return ask<RangeAnswer>(backend, encode_range_query(backend, query), stop,
                          [&](std::string_view body) {
                            return decode_series(body, limits_.decode).and_then(one_series);
                          });
}

BackendClient::Load BackendClient::load() const {
  const Admission::Load admission = admission_.load();
  MutexLock lock(mutex_);
  return {admission, sharing_};
}

template <class Decoded, class Decode>
Result<Decoded> BackendClient::ask(const Backend& backend,
                                   Result<http::Request> request,
                                   const std::stop_token& stop,
                                   Decode decode) {
  if (!request) {
    return request.error();
  }
  const auto fetched = fetch(backend, *std::move(request), stop);
  if (!fetched) {
    return fetched.error();
  }
  const Answer& response = **fetched;
  if (!response) {
    return response.error();
  }
  if (auto good = judge_response(*response); !good) {
    return good.error();
  }
  Result<Decoded> decoded = decode(response->body);
  if (decoded) {
    decoded->server_time = parse_http_date(http::find_header(response->headers, "Date"));
  }
  return decoded;
}

// The place in the queue is taken before it is known whether the question is under way already:
// whoever shares an answer occupies a worker too, and the limit keeps workers free.
Result<BackendClient::SharedAnswer> BackendClient::fetch(const Backend& backend,
                                                         http::Request request,
                                                         const std::stop_token& stop) {
  const SteadyTime since = clock_.steady();
  request.max_body_bytes = limits_.max_body_bytes;
  auto flight = std::make_shared<Flight>(Flight{identity_of(backend), std::move(request)});
  while (!stop.stop_requested()) {
    auto pass = admission_.enter(backend, stop);
    if (!pass) {
      return pass.error();
    }
    const auto waited = std::chrono::ceil<Milliseconds>(clock_.steady() - since);
    if (waited >= backend.timeout) {
      return Error{ErrorCode::Timeout, "other queries to the backend took all the time"};
    }
    flight->request.timeout = backend.timeout - waited;
    std::shared_ptr<Flight> other;
    {
      MutexLock lock(mutex_);
      other = find_flight(*flight);
      if (!other) {
        flights_.push_back(flight);
      }
    }
    if (!other) {
      SharedAnswer answer = lead(flight, stop);
      pass->set_outcome(outcome_of(*answer));
      return answer;
    }
    SharedAnswer answer = follow(*other, stop);
    if (answer && (*answer || answer->error().code != ErrorCode::Cancelled)) {
      return answer;
    }
    // Cancelled by the caller whose question it was: ask ourselves, unless we are stopping too.
  }
  return Error{ErrorCode::Cancelled, "stopping"};
}

std::shared_ptr<BackendClient::Flight> BackendClient::find_flight(const Flight& wanted) const {
  const auto found = std::find_if(flights_.begin(), flights_.end(), [&](const auto& flight) {
    return flight->backend == wanted.backend && flight->request.url == wanted.request.url &&
           flight->request.body == wanted.request.body;
  });
  return found == flights_.end() ? nullptr : *found;
}

// Nothing when `stop` is requested first.
BackendClient::SharedAnswer BackendClient::follow(const Flight& flight,
                                                  const std::stop_token& stop) {
  MutexLock lock(mutex_);
  ++sharing_;
  landed_.wait(lock, stop, [&] { return flight.answer != nullptr; });
  --sharing_;
  return flight.answer;
}

BackendClient::SharedAnswer BackendClient::lead(const std::shared_ptr<Flight>& flight,
                                                const std::stop_token& stop) {
  try {
    land(flight, transport_.send(flight->request, stop));
  } catch (...) {
    land(flight, Error{ErrorCode::Cancelled, "the query was given up"});
    throw;  // those who share the question ask again
  }
  return flight->answer;
}

void BackendClient::land(const std::shared_ptr<Flight>& flight, Answer answer) {
  auto shared = std::make_shared<const Answer>(std::move(answer));
  {
    MutexLock lock(mutex_);
    flight->answer = std::move(shared);
    flights_.remove(flight);
  }
  landed_.notify_all();
}

}  // namespace scaledcache::prom
