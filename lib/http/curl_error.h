// What libcurl's codes mean to a caller.
#pragma once

#include <string_view>

#include <curl/curl.h>

#include "base/error.h"

namespace scaledcache::http {

// The error for a transfer on `easy` that ended with `code` (not CURLE_OK); `detail` is what
// libcurl wrote into its error buffer, the only place where it tells a TLS alert. The message is a
// fixed phrase: nothing in it comes from the peer. Not for CURLE_WRITE_ERROR, whose cause libcurl
// does not know.
[[nodiscard]] Error error_of(CURL* easy, CURLcode code, std::string_view detail);

}  // namespace scaledcache::http
