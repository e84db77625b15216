#include "http/exchange_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "http/head.h"

namespace scaledcache::http {

Result<std::optional<std::string>> ExchangeReader::take(SteadyTime deadline,
                                                        const std::stop_token& stop) {
  auto bytes = exchange_.take_bytes(deadline, stop);
  ended_ = bytes && !*bytes;
  return bytes;
}

Result<std::string> ExchangeReader::take_body(std::size_t limit,
                                              SteadyTime deadline,
                                              const std::stop_token& stop) {
  std::string body;
  while (true) {
    auto more = take(deadline, stop);
    if (!more) {
      return more.error();
    }
    if (!*more) {
      return body;
    }
    if (body.size() + (*more)->size() > limit) {
      return Error{ErrorCode::Protocol,
                   "the body is larger than " + std::to_string(limit) + " bytes"};
    }
    if (system_clock().steady() >= deadline) {
      return Error{ErrorCode::Timeout, "the body did not end in time"};
    }
    body.append(**more);
  }
}

Result<void> ExchangeReader::feed(const ByteSink& sink,
                                  std::chrono::milliseconds idle_timeout,
                                  const std::stop_token& stop) {
  while (true) {
    const auto more = take(system_clock().steady() + idle_timeout, stop);
    if (!more) {
      return more.error();
    }
    if (!*more || !sink(**more)) {
      return {};
    }
  }
}

Result<Response> ExchangeReader::read_whole(const Request& request,
                                            SteadyTime deadline,
                                            const std::stop_token& stop) {
  const std::size_t limit = std::min(request.max_body_bytes, kMaxApiBodyBytes);
  auto head = exchange_.take_head(deadline, stop);
  if (!head) {
    return head.error();
  }
  if (auto judged = judge_head(*head, request.method, request.max_header_bytes, limit); !judged) {
    return judged.error();
  }
  auto body = take_body(limit, deadline, stop);
  if (!body) {
    return body.error();
  }
  return Response{head->status, std::move(head->headers), *std::move(body)};
}

Result<Response> ExchangeReader::read_stream(const Request& request,
                                             SteadyTime deadline,
                                             std::chrono::milliseconds idle_timeout,
                                             const ByteSink& sink,
                                             const std::stop_token& stop) {
  auto head = exchange_.take_head(deadline, stop);
  if (!head) {
    return head.error();
  }
  const bool streams = head->status >= 200 && head->status < 300;
  const std::size_t limit = streams ? std::numeric_limits<std::size_t>::max()
                                    : std::min(request.max_body_bytes, kMaxApiBodyBytes);
  if (auto judged = judge_head(*head, request.method, request.max_header_bytes, limit); !judged) {
    return judged.error();
  }
  Response response{head->status, std::move(head->headers), {}};
  if (streams) {
    auto fed = feed(sink, idle_timeout, stop);
    return fed ? Result<Response>(std::move(response)) : fed.error();
  }
  auto body = take_body(limit, system_clock().steady() + idle_timeout, stop);
  if (!body) {
    return body.error();
  }
  response.body = *std::move(body);
  return response;
}

}  // namespace scaledcache::http
