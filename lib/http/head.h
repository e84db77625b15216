// The heads of what goes to and comes from the API server, and the rules that they must keep: a
// request's before it is sent, an answer's before its body is read.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "http/transport.h"

namespace scaledcache::http {

struct Head {
  int status = 0;
  Headers headers;
};

// Protocol when the answer to a request of `method` is no final answer (1xx), a redirect,
// compressed, larger in its headers or announced body than allowed, or has a body whose end could
// not be told from a lost connection (neither chunked nor a Content-Length).
[[nodiscard]] Result<void> judge_head(const Head& head,
                                      Method method,
                                      std::size_t max_header_bytes,
                                      std::size_t max_body_bytes);

// Invalid where one of them belongs to the library (Host, Connection, Accept-Encoding,
// Content-Length, Transfer-Encoding) or holds a line break.
[[nodiscard]] Result<void> judge_request_headers(const Headers& headers);

}  // namespace scaledcache::http
