// The TLS side of HttpServer: a context of OpenSSL that shows one identity. Internal: the server
// makes one for each identity that it is given.
#pragma once

#include <memory>

#include "base/result.h"
#include "http/certificate.h"

struct ssl_ctx_st;

namespace scaledcache::http {

using ServerTls = std::shared_ptr<ssl_ctx_st>;

// TLS 1.2 or newer, HTTP/1.1 only; no sessions or tickets (they would outlive a certificate), no
// renegotiation, no client certificates. Invalid when certificate or key cannot be read or do not
// belong together.
[[nodiscard]] Result<ServerTls> make_server_tls(const PemIdentity& identity);

}  // namespace scaledcache::http
