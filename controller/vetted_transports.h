// The ways to everything that is not the API server: metrics backends, and the pods of caches.
#pragma once

#include "controller/setup.h"
#include "http/curl_transport.h"
#include "http/resolver.h"

namespace scaledcache::controller {

// Thread safe.
struct VettedTransports {
  explicit VettedTransports(const Setup& setup);

  http::SystemResolver resolver;
  http::CurlTransport backends;
  http::CurlTransport pods;
};

}  // namespace scaledcache::controller
