// How the pods of one fleet are spoken to: as a visitor would, but at the pod's own address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/address.h"
#include "http/transport.h"

namespace scaledcache::cache {

struct PodDoor {
  std::string scheme = "http";  // or "https": the pod's certificate must be made out for `host`
  std::uint16_t port = 0;       // of the pod, declared by one of its containers
  std::string host;             // the Host header, with a port only where visitors send one

  bool operator==(const PodDoor&) const = default;
};

// The request for `path` (starts with '/', may hold a query) to the pod at `address`. Redirects and
// compressed answers come back as answers, the body is counted and thrown away; change
// `request.pod->keep_body_bytes` to read it. Invalid when scheme, host, port or path cannot be
// part of a URL.
[[nodiscard]] Result<http::Request> pod_request(const PodDoor& door,
                                                const http::Address& address,
                                                std::string_view path);

// `host` without its port, in lower case: what URLs of the same site have in common.
[[nodiscard]] std::string host_name(std::string_view host);

}  // namespace scaledcache::cache
