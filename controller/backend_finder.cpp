#include "controller/backend_finder.h"

#include <utility>

#include "http/ascii.h"

namespace scaledcache::controller {
namespace {

void add_what_is_plain(prom::Backend& backend, const k8s::BackendSpec& spec) {
  for (const auto& [name, value] : spec.headers) {
    backend.headers.push_back({name, value});
  }
  for (const auto& [name, value] : spec.query_parameters) {
    backend.parameters.push_back({name, value});
  }
}

// Takes out of `backend` what `spec` sets as well, however a header is written.
void take_out(prom::Backend& backend, const k8s::BackendSpec& spec) {
  std::erase_if(backend.headers, [&](const http::Header& header) {
    const auto is_it = [&](const std::string& name) {
      return http::equal_ignoring_case(name, header.name);
    };
    bool taken = spec.auth && spec.auth->header && is_it(spec.auth->header->name);
    for (const auto& [name, value] : spec.headers) {
      taken = taken || is_it(name);
    }
    return taken;
  });
  std::erase_if(backend.parameters, [&](const prom::Parameter& parameter) {
    return spec.query_parameters.contains(parameter.name);
  });
}

// Adds what `spec` proves itself with.
Result<prom::Backend> proven(BackendAccess* access,
                             prom::Backend backend,
                             const AccessPlace& place,
                             const k8s::BackendSpec& spec,
                             const std::stop_token& stop) {
  if (access == nullptr && (spec.auth || spec.tls)) {
    return Error{ErrorCode::Invalid, "spec.backend.auth and tls: there is nobody to read a Secret"};
  }
  if (spec.auth) {
    auto headers = access->headers(place, *spec.auth, stop);
    if (!headers) {
      return headers.error();
    }
    backend.secret_headers = *std::move(headers);
  }
  if (spec.tls) {
    auto tls = access->tls(place, *spec.tls, stop);
    if (!tls) {
      return tls.error();
    }
    backend.tls = *std::move(tls);
  }
  return backend;
}

Error refused(const std::string& name, const std::string& what) {
  return Error{ErrorCode::Invalid, "spec.backend.name: " + what + " \"" + name + "\""};
}

}  // namespace

Result<prom::Backend> find_backend(const BackendSources& sources,
                                   const k8s::ScaledCache& cache,
                                   const std::string& default_url,
                                   const std::stop_token& stop) {
  const k8s::BackendSpec& own = cache.spec.backend;
  prom::Backend backend;
  backend.timeout = own.timeout;
  add_what_is_plain(backend, own);
  if (!own.name) {
    backend.url = own.address.value_or(default_url);
    const std::string url = backend.url;
    return proven(sources.access, std::move(backend), {cache.meta.name_space, url}, own, stop);
  }
  constexpr const char* kNobody = "the operator's --backends-config has no backend";
  if (sources.named == nullptr) {
    return refused(*own.name, kNobody);
  }
  const auto named = sources.named->find(*own.name);
  if (named == nullptr) {
    return refused(*own.name, kNobody);
  }
  backend.url = named->address.value_or("");
  take_out(backend, *named);
  add_what_is_plain(backend, *named);
  const std::string url = backend.url;
  if (!named->auth && !named->tls) {
    return proven(sources.access, std::move(backend), {cache.meta.name_space, url}, own, stop);
  }
  if (own.auth || own.tls) {
    return refused(*own.name,
                   "auth and tls must not stand beside the name of a backend that has "
                   "its own,");
  }
  return proven(sources.access, std::move(backend), {sources.named->name_space(), url, true},
                *named, stop);
}

std::string ready_reason_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::NotFound:
      return "SecretNotFound";
    case ErrorCode::Forbidden:
      return "SecretNotAllowed";
    case ErrorCode::Invalid:
      return "InvalidSpec";
    default:
      return "";
  }
}

}  // namespace scaledcache::controller
