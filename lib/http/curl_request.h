// How a request, and the rules that hold for every request, are told to libcurl.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "http/address.h"
#include "http/curl_pool.h"
#include "http/transport.h"
#include "http/url.h"

namespace scaledcache::http {

// Invalid when a name is no token or is the transport's own (Host, framing, Accept-Encoding), or
// when a value could begin another header. To a pod Accept-Encoding may be sent, but no
// credentials, and its Host must be a name or an address with or without a port. The message holds
// no value.
[[nodiscard]] Result<void> check_headers(const Request& request);

// For CURLOPT_HTTPHEADER. `url` is the request's own, also where another name is verified.
[[nodiscard]] CurlList make_headers(const Request& request, const Url& url);

// "+host:port:address,address" for CURLOPT_RESOLVE; '+' makes the entry expire.
[[nodiscard]] CurlList make_resolution(const Url& url, const std::vector<Address>& addresses);

// "::host:" for CURLOPT_CONNECT_TO: whatever the URL's host is, this one is dialled, at the URL's
// port.
[[nodiscard]] CurlList make_detour(const std::string& host);

// No signals, proxies, redirects, other schemes, old TLS; no trust in any authority yet.
void set_what_holds_for_all(CURL* easy);

// `request` must stay as it is until the transfer ends: its body is not copied.
void set_method(CURL* easy, const Request& request);

}  // namespace scaledcache::http
