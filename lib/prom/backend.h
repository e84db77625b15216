// A metrics backend: anything that speaks the Prometheus HTTP API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/secret.h"
#include "http/peer_tls.h"
#include "http/transport.h"

namespace scaledcache::prom {

struct Parameter {
  std::string name;
  std::string value;

  bool operator==(const Parameter&) const = default;
};

using Parameters = std::vector<Parameter>;

// A header that carries a credential, such as Authorization. A line end behind the value, as files
// and Secrets have it, is dropped.
struct SecretHeader {
  std::string name;
  Secret<std::string> value;

  bool operator==(const SecretHeader&) const = default;
};

struct Backend {
  std::string url;  // base URL; /api/v1/query goes behind its path
  http::Headers headers{};
  std::vector<SecretHeader> secret_headers{};
  std::shared_ptr<const http::PeerTls> tls{};  // nullptr: system authorities, no certificate
  Parameters parameters{};                     // replace our own of the same name
  Milliseconds timeout{5000};                  // total, from the question to the last byte
  Milliseconds poll_interval{5000};  // a broken backend is tried again at least this often
};

}  // namespace scaledcache::prom
