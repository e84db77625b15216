// Where a resource's signals are asked for: at its own address, at the operator's, or at a backend
// that the admin has named; with all that proves who asks.
#pragma once

#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "controller/backend_access.h"
#include "controller/named_backends.h"
#include "k8s/scaled_cache.h"
#include "prom/backend.h"

namespace scaledcache::controller {

struct BackendSources {
  BackendAccess* access = nullptr;       // nullptr: no resource may show credentials
  const NamedBackends* named = nullptr;  // nullptr: the admin has named none
};

// The backend of `cache`, whose spec is valid; `default_url` where it names none. What the admin
// says of a named backend beats what the resource says, and its Secrets are the admin's. Invalid:
// nobody has named it. Otherwise the errors of BackendAccess.
[[nodiscard]] Result<prom::Backend> find_backend(const BackendSources& sources,
                                                 const k8s::ScaledCache& cache,
                                                 const std::string& default_url,
                                                 const std::stop_token& stop);

// The reason of Ready for an error of find_backend(); "" where it is the API server's, and passes.
[[nodiscard]] std::string ready_reason_of(ErrorCode code);

}  // namespace scaledcache::controller
