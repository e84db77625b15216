// What the head of a backend's answer says: an HTTP status and a content type become an error that
// is named by what its receiver does next.
#pragma once

#include "base/result.h"
#include "http/transport.h"

namespace scaledcache::prom {

// Success when the body is worth decoding. Else, with a fixed phrase and the status code:
//   Invalid       400, 413, 414, 422: the backend refuses this query
//   Unauthorized  401, 403: it refuses these credentials. (Forbidden is kept for an address that
//                 the operator itself refuses to dial.)
//   RateLimited   429, with what Retry-After says in seconds, at most 30
//   Timeout       408, 504
//   Unavailable   other 5xx, with Retry-After
//   Protocol      any other status, another content type than JSON, compression
[[nodiscard]] Result<void> judge_response(const http::Response& response);

}  // namespace scaledcache::prom
