// The sense of where signals are asked for and of how the operator proves who asks.
#include <algorithm>
#include <array>

#include "http/url.h"
#include "k8s/object_reader.h"
#include "k8s/spec_checks.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::seconds;

constexpr std::size_t kMaxAddress = 2048;
constexpr std::size_t kMaxEntries = 16;       // headers, query parameters
constexpr std::size_t kMaxEntryName = 64;     // bytes
constexpr std::size_t kMaxEntryValue = 1024;  // bytes
constexpr std::size_t kMaxUsername = 256;     // bytes
constexpr std::size_t kMaxAudience = 1024;    // bytes

// What would change the framing of a request or belongs to the transport.
constexpr std::array<std::string_view, 13> kTransportHeaders{
    "connection", "content-encoding",  "content-length", "content-type", "expect",
    "host",       "keep-alive",        "range",          "te",           "proxy-authenticate",
    "trailer",    "transfer-encoding", "upgrade"};

// What the query itself is made of.
constexpr std::array<std::string_view, 5> kForbiddenParameters{"query", "time", "start", "end",
                                                               "step"};

template <std::size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Secrets have a place of their own, and answers are read as they are.
bool is_forbidden(std::string_view name) {
  return is_transport_header(name) || name == "accept-encoding" || name == "authorization" ||
         name == "cookie" || name == "proxy-authorization";
}

void check_parameters(const std::map<std::string, std::string>& parameters, Checks checks) {
  checks.expect(parameters.size() <= kMaxEntries, "queryParameters", "has more than 16 entries");
  for (const auto& [name, value] : parameters) {
    const std::string field = "queryParameters[" + shown(name) + "]";
    checks.expect(!name.empty() && name.size() <= kMaxEntryName && !has_control_character(name),
                  field, "must have a name of 1 to 64 bytes without control characters");
    checks.expect(std::find(kForbiddenParameters.begin(), kForbiddenParameters.end(), name) ==
                      kForbiddenParameters.end(),
                  field, "must not be set here: the operator sets it itself");
    checks.expect(value.size() <= kMaxEntryValue && !has_control_character(value), field,
                  "must have a value of at most 1024 bytes without control characters");
  }
}

void check_auth(const AuthSpec& auth, Checks checks) {
  const auto part = [&](const char* field) {
    return Checks(checks.path() + "." + field, checks.problems());
  };
  if (auth.bearer_secret) {
    check_key_ref(*auth.bearer_secret, part("bearer.secretRef"));
  }
  if (auth.bearer_service_account) {
    const AuthSpec::ServiceAccount& account = *auth.bearer_service_account;
    checks.expect(is_dns_name(account.name, 253, true), "bearer.serviceAccount.name",
                  "is " + shown(account.name) + ", must be the name of an object");
    checks.expect(!account.audience.empty() && account.audience.size() <= kMaxAudience &&
                      !has_control_character(account.audience),
                  "bearer.serviceAccount.audience",
                  "must have 1 to 1024 bytes without control characters");
  }
  if (auth.basic) {
    const std::string& user = auth.basic->username;
    checks.expect(!user.empty() && user.size() <= kMaxUsername &&
                      user.find(':') == std::string::npos && !has_control_character(user),
                  "basic.username",
                  "must have 1 to 256 bytes without a colon or control characters");
    check_key_ref(auth.basic->password, part("basic.passwordSecretRef"));
  }
  if (auth.header) {
    const std::string& name = auth.header->name;
    checks.expect(is_token(name) && name.size() <= kMaxEntryName, "header.name",
                  "is " + shown(name) + ", must be a header name of at most 64 characters");
    checks.expect(!is_transport_header(to_lower(name)), "header.name",
                  "is " + shown(name) + ", which belongs to the transport");
    check_key_ref(auth.header->secret, part("header.secretRef"));
  }
}

void check_tls(const TlsSpec& tls, Checks checks) {
  if (tls.ca) {
    check_key_ref(tls.ca->ref, Checks(checks.path() + ".caRef", checks.problems()));
  }
  checks.expect(tls.server_name.empty() || is_dns_name(to_lower(tls.server_name), 253, true),
                "serverName", "is " + shown(tls.server_name) + ", must be the name of a host");
  checks.expect(
      !tls.client_certificate || is_dns_name(*tls.client_certificate, 253, true),
      "clientCertificateSecretRef.name",
      "is " + shown(tls.client_certificate.value_or("")) + ", must be the name of an object");
}

// What of a backend only makes sense for an address that is known.
void check_address(const BackendSpec& backend, Checks& checks) {
  checks.expect(backend.address->size() <= kMaxAddress, "address", "is longer than 2048 bytes");
  // The text itself is not repeated: it may hold a password.
  const auto url = http::parse_url(*backend.address);
  checks.expect(url.has_value(), "address", "cannot be used: " + (url ? "" : url.error().message));
  if (!url) {
    return;
  }
  checks.expect(url->query.empty() && !backend.address->ends_with('?'), "address",
                "has a query, which belongs in queryParameters");
  checks.expect(!backend.auth || backend.auth->allow_insecure || url->scheme == "https", "auth",
                "would be sent unencrypted, since the address is http: use https, or set "
                "allowInsecure");
  checks.expect(!backend.tls || url->scheme == "https", "tls",
                "has no use, since the address is http");
}

}  // namespace

bool is_transport_header(std::string_view lower_name) {
  return is_one_of(kTransportHeaders, lower_name);
}

void check_headers(const std::string& field,
                   const std::map<std::string, std::string>& headers,
                   bool (*is_forbidden)(std::string_view lower_name),
                   Checks& checks) {
  checks.expect(headers.size() <= kMaxEntries, field, "has more than 16 entries");
  for (const auto& [name, value] : headers) {
    const std::string entry = field + "[" + shown(name) + "]";
    checks.expect(is_token(name) && name.size() <= kMaxEntryName, entry,
                  "is no header name of at most 64 characters");
    checks.expect(!is_forbidden(to_lower(name)), entry,
                  "must not be set here: it belongs to the transport or holds a secret");
    checks.expect(value.size() <= kMaxEntryValue && !has_control_character(value), entry,
                  "must have a value of at most 1024 bytes without control characters");
  }
}

void check_key_ref(const KeyRef& ref, Checks checks) {
  constexpr std::size_t kMaxKey = 253;
  constexpr std::string_view kMarks = "-_.";
  checks.expect(is_dns_name(ref.name, 253, true), "name",
                "is " + shown(ref.name) + ", must be the name of an object");
  const bool key_fits = !ref.key.empty() && ref.key.size() <= kMaxKey &&
                        std::all_of(ref.key.begin(), ref.key.end(), [&](char c) {
                          return kMarks.find(c) != std::string_view::npos ||
                                 is_identifier(std::string("_") + c, false);
                        });
  checks.expect(key_fits, "key",
                "is " + shown(ref.key) + ", must be 1 to 253 of letters, digits, -, _ and .");
}

void check_backend(const BackendSpec& backend, Checks checks) {
  checks.in_range("timeout", backend.timeout, Milliseconds{100}, seconds{30});
  check_headers("headers", backend.headers, is_forbidden, checks);
  check_parameters(backend.query_parameters, checks);
  checks.expect(!backend.name || is_dns_name(*backend.name, 63, false), "name",
                "is " + shown(backend.name.value_or("")) + ", must be 1 to 63 of a-z, 0-9 and -");
  checks.expect(!backend.name || !backend.address, "name",
                "must not stand beside address: one of them says where to ask");
  if (backend.auth) {
    check_auth(*backend.auth, Checks(checks.path() + ".auth", checks.problems()));
  }
  if (backend.tls) {
    check_tls(*backend.tls, Checks(checks.path() + ".tls", checks.problems()));
  }
  if (backend.address) {
    check_address(backend, checks);
  }
}

}  // namespace scaledcache::k8s
