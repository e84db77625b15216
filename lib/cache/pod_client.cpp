#include "cache/pod_client.h"

#include <algorithm>
#include <utility>

namespace scaledcache::cache {

Result<PodAnswer> PodClient::ask(const PodQuestion& question, const std::stop_token& stop) {
  Result<http::Request> request = pod_request(plan_.door, address_, question.path);
  if (!request) {
    return request.error();
  }
  const SteadyTime begin = doors_.clock.steady();
  const Milliseconds rest = std::chrono::floor<Milliseconds>(deadline_ - begin);
  if (rest <= Milliseconds::zero()) {
    return Error{ErrorCode::Timeout, "the warm-up is out of time"};
  }
  request->method = question.method;
  request->headers = question.headers;
  request->timeout = std::min(rest, plan_.request_timeout);
  request->max_body_bytes = plan_.limits.answer_bytes;
  request->pod->keep_body_bytes = question.keep_body_bytes;
  Result<http::Response> response = doors_.transport.send(*request, stop);
  if (!response) {
    return response.error();
  }
  reached_ = true;
  bytes_ += response->body_bytes;
  const HitVerdict verdict = judge_hit(response->headers, plan_.hit_header);
  return PodAnswer{std::move(*response), verdict,
                   std::chrono::round<Milliseconds>(doors_.clock.steady() - begin)};
}

}  // namespace scaledcache::cache
