#include "http/curl_request.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "http/ascii.h"
#include "http/peer_tls.h"

namespace scaledcache::http {
namespace {

bool is_token(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return is_alnum(c) || kMarks.find(c) != std::string_view::npos;
  });
}

// Headers that say where a message ends or whom it is for are the transport's own.
bool is_reserved(std::string_view name) {
  constexpr std::string_view kReserved[] = {
      "host",       "content-length", "transfer-encoding", "expect",
      "connection", "upgrade",        "trailer",           "te"};
  return std::any_of(std::begin(kReserved), std::end(kReserved),
                     [&](std::string_view own) { return equal_ignoring_case(name, own); });
}

// What a pod gets is what every visitor gets; a backend's answers are read, so must be plain.
bool is_refused(std::string_view name, bool to_pod) {
  if (!to_pod) {
    return equal_ignoring_case(name, "accept-encoding");
  }
  return equal_ignoring_case(name, "authorization") || equal_ignoring_case(name, "cookie") ||
         equal_ignoring_case(name, "proxy-authorization");
}

bool is_host_text(std::string_view host) {
  constexpr std::string_view kMarks = "-._:[]";
  return std::all_of(host.begin(), host.end(), [&](char c) {
    return is_alnum(c) || kMarks.find(c) != std::string_view::npos;
  });
}

std::string bracketed(const Address& address) {
  return address.family == AddressFamily::V6 ? "[" + to_string(address) + "]" : to_string(address);
}

}  // namespace

Result<void> check_headers(const Request& request) {
  if (request.pod && !is_host_text(request.pod->host)) {
    return Error{ErrorCode::Invalid, "the Host header is not a host name"};
  }
  for (const Header& header : request.headers) {
    if (!is_token(header.name) || is_reserved(header.name) ||
        is_refused(header.name, request.pod.has_value())) {
      return Error{ErrorCode::Invalid, "a request header has a name that is not allowed"};
    }
    if (header.value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      return Error{ErrorCode::Invalid,
                   "the request header " + header.name + " holds a line end or NUL"};
    }
  }
  return {};
}

CurlList make_headers(const Request& request, const Url& url) {
  CurlList list;
  const auto add = [&list](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  add("Expect:");  // no waiting for 100
  if (request.pod && !request.pod->host.empty()) {
    add("Host: " + request.pod->host);
  } else if (request.tls && !request.tls->server_name().empty()) {
    add("Host: " + url.authority());
  }
  if (find_header(request.headers, "content-type").empty()) {
    add("Content-Type:");
  }
  for (const Header& header : request.headers) {
    // libcurl takes "Name:" for a header to leave out, and "Name;" for one without a value.
    add(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
  }
  return list;
}

CurlList make_resolution(const Url& url, const std::vector<Address>& addresses) {
  std::string entry = "+" + url.host + ":" + std::to_string(url.port) + ":";
  for (const Address& address : addresses) {
    entry += bracketed(address) + ",";
  }
  entry.pop_back();
  return CurlList(curl_slist_append(nullptr, entry.c_str()));
}

CurlList make_detour(const std::string& host) {
  const std::optional<Address> literal = parse_address(host);
  const std::string target = literal ? bracketed(*literal) : host;
  return CurlList(curl_slist_append(nullptr, ("::" + target + ":").c_str()));
}

void set_what_holds_for_all(CURL* easy) {
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy, CURLOPT_HTTP09_ALLOWED, 0L);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_PROXY, "");
  set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy, CURLOPT_PATH_AS_IS, 1L);
  set(easy, CURLOPT_USERAGENT, "scaledcache");
  set(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  // The authorities come from the trust store, once for all connections.
  set(easy, CURLOPT_CAINFO, static_cast<char*>(nullptr));
  set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  set(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
}

void set_method(CURL* easy, const Request& request) {
  if (request.method == Method::Head) {
    set(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  // Only a hint, to end early; the reader counts what really comes. For HEAD the announced length
  // is that of a body which does not follow.
  set(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_body_bytes));
  if (request.method != Method::Get) {
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(easy, CURLOPT_POSTFIELDS, request.body.data());
    set(easy, CURLOPT_CUSTOMREQUEST, std::string(name_of(request.method)).c_str());
  }
}

}  // namespace scaledcache::http
