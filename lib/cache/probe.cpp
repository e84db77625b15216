#include "cache/probe.h"

#include <utility>

#include "cache/hit.h"
#include "cache/page.h"

namespace scaledcache::cache {
namespace {

ProbeResult result_of(HitVerdict verdict) {
  switch (verdict) {
    case HitVerdict::Hit:
    case HitVerdict::StaleHit:
      return ProbeResult::Hit;
    case HitVerdict::Miss:
    case HitVerdict::Uncacheable:
      return ProbeResult::Miss;
    case HitVerdict::Unknown:
      break;
  }
  return ProbeResult::Error;
}

}  // namespace

std::string_view name_of(ProbeResult result) {
  switch (result) {
    case ProbeResult::Hit:
      return "Hit";
    case ProbeResult::Miss:
      return "Miss";
    case ProbeResult::Error:
      return "Error";
  }
  return "Error";
}

ProbeAnswer probe(http::HttpTransport& transport,
                  const PodDoor& door,
                  const http::Address& address,
                  const ProvedUrl& url,
                  const ProbeOptions& options,
                  std::stop_token stop) {
  Result<http::Request> request = pod_request(door, address, url.path);
  if (!request) {
    return {};
  }
  request->method = url.by_head ? http::Method::Head : http::Method::Get;
  request->headers = url.headers;
  request->timeout = options.timeout;
  request->max_body_bytes = kMaxAnswerBytes;
  const Result<http::Response> answer = transport.send(*request, std::move(stop));
  if (!answer || answer->status >= 500) {
    return {};
  }
  return {result_of(judge_hit(answer->headers, options.hit_header)), age_of(answer->headers),
          fresh_for(answer->headers)};
}

}  // namespace scaledcache::cache
