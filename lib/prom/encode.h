// Questions in the form of the Prometheus HTTP API. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/transport.h"
#include "prom/backend.h"

namespace scaledcache::prom {

// One number per `step` from `start` to `end`, both included.
struct RangeQuery {
  std::string text;  // PromQL
  WallTime start;
  WallTime end;
  Milliseconds step{0};
};

// GET, since proxies and policies made for reading let it pass; a form by POST where the URL would
// pass 2,000 bytes, which not every proxy takes. Sends partial_response=false (Thanos) and
// deny_partial_response=1 (VictoriaMetrics) unless the backend's parameters say otherwise.
// Invalid, with a sentence that holds no value, for a broken URL, header or parameter, and for a
// range of more than 11,000 points.
[[nodiscard]] Result<http::Request> encode_query(const Backend& backend, std::string_view text);
[[nodiscard]] Result<http::Request> encode_range_query(const Backend& backend,
                                                       const RangeQuery& query);

// Everything but letters, digits and -._~ as %XX.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace scaledcache::prom
