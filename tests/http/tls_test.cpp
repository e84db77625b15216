#include "http/tls.h"

#include <doctest/doctest.h>

#include "support/certificates.h"

namespace scaledcache::http {
namespace {

using support::certificate_pem;
using support::key_pem;
using support::make_authority;
using support::make_identity;

TEST_CASE("TLS material that cannot be used is refused with the reason") {
  const auto authority = make_authority();
  const auto client = make_identity({.common_name = "client"}, &authority);
  const auto other = make_identity({.common_name = "other"}, &authority);
  const std::string ca = certificate_pem(authority);
  const std::string certificate = certificate_pem(client);
  const std::string half = ca.substr(0, ca.size() / 2);

  struct Row {
    const char* name;
    ClientTlsOptions options;
    const char* want;
  };

  for (const Row& row : {
           Row{"no authority", {}, "the certificate authority holds no readable PEM certificate"},
           Row{"an authority that is no PEM",
               {.ca_pem = "hello"},
               "the certificate authority holds no readable PEM certificate"},
           Row{"a second authority cut in half",
               {.ca_pem = ca + half},
               "the certificate authority holds no readable PEM certificate"},
           Row{"an authority together with no verification",
               {.ca_pem = ca, .insecure_skip_verify = true},
               "a certificate authority is given, yet verification is switched off"},
           Row{"a key without a certificate",
               {.ca_pem = ca, .key_pem = Secret(key_pem(client))},
               "the client certificate holds no readable PEM certificate"},
           Row{"a certificate without a key",
               {.ca_pem = ca, .certificate_pem = certificate},
               "the client key is no readable, unencrypted PEM key"},
           Row{"a key of another certificate",
               {.ca_pem = ca, .certificate_pem = certificate, .key_pem = Secret(key_pem(other))},
               "the client key does not belong to the client certificate"},
       }) {
    SUBCASE(row.name) {
      const auto created = ClientTls::create(row.options, "peer");
      REQUIRE_FALSE(created);
      CHECK(created.error() == Error{ErrorCode::Invalid, row.want});
    }
  }
}

TEST_CASE("an authority of two certificates and a client identity are taken") {
  const auto authority = make_authority();
  const auto client = make_identity({.common_name = "client"}, &authority);
  CHECK(ClientTls::create({.ca_pem = certificate_pem(authority) + certificate_pem(client),
                           .certificate_pem = certificate_pem(client),
                           .key_pem = Secret(key_pem(client))},
                          "peer"));
}

TEST_CASE("IP literals are told from names") {
  CHECK(is_ip_literal("127.0.0.1"));
  CHECK(is_ip_literal("2001:db8::1"));
  CHECK_FALSE(is_ip_literal("localhost"));
  CHECK_FALSE(is_ip_literal("1.2.3.example"));
  CHECK_FALSE(is_ip_literal(""));
}

}  // namespace
}  // namespace scaledcache::http
