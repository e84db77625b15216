#include "http/peer_tls.h"

#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/certificates.h"

namespace scaledcache::http {
namespace {

TEST_CASE("what is no identity is told in a sentence") {
  const support::Identity one = support::make_identity({});
  const support::Identity other = support::make_identity({});
  const std::string certificate = support::certificate_pem(one);
  const Secret<std::string> key(support::key_pem(one));

  struct Row {
    const char* name;
    PeerTls::Texts texts;
    const char* want;
  };

  for (const Row& row : std::vector<Row>{
           {"an authority that is no PEM",
            {.ca_pem = "no certificate"},
            "there is no readable PEM certificate of an authority"},
           {"an authority that is a key",
            {.ca_pem = key.reveal()},
            "there is no readable PEM certificate of an authority"},
           {"an authority with a broken one behind it",
            {.ca_pem =
                 certificate + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"},
            "there is no readable PEM certificate of an authority"},
           {"a certificate without a key",
            {.certificate_pem = certificate},
            "the client certificate has no key"},
           {"a key without a certificate",
            {.key_pem = key},
            "there is no readable PEM client certificate"},
           {"a certificate that is no PEM",
            {.certificate_pem = "x", .key_pem = key},
            "there is no readable PEM client certificate"},
           {"a key that is no PEM",
            {.certificate_pem = certificate, .key_pem = Secret<std::string>("hunter2")},
            "the client key is no readable PEM key without a pass phrase"},
           {"somebody else's key",
            {.certificate_pem = certificate,
            .key_pem = Secret<std::string>(support::key_pem(other))},
            "the client key does not belong to the client certificate"},
       }) {
    CAPTURE(row.name);
    const auto tls = PeerTls::create(row.texts);
    REQUIRE_FALSE(tls);
    CHECK(tls.error() == Error{ErrorCode::Invalid, row.want});
  }
}

TEST_CASE("a fingerprint is the same for the same texts, and different for all others") {
  const support::Identity authority = support::make_authority();
  const support::Identity one = support::make_identity({}, &authority);
  const support::Identity other = support::make_identity({}, &authority);
  const std::string ca = support::certificate_pem(authority);
  const auto shown = [](const support::Identity& identity) {
    return PeerTls::Texts{.certificate_pem = support::certificate_pem(identity),
                          .key_pem = Secret<std::string>(support::key_pem(identity))};
  };
  const std::vector<PeerTls::Texts> all{
      {}, {.ca_pem = ca}, {.server_name = "vm"}, {.server_name = "wm"}, shown(one), shown(other)};
  std::set<std::string> seen;
  for (const PeerTls::Texts& texts : all) {
    const auto first = PeerTls::create(texts);
    const auto again = PeerTls::create(texts);
    REQUIRE(first);
    REQUIRE(again);
    CHECK((*first)->fingerprint() == (*again)->fingerprint());
    seen.insert((*first)->fingerprint());
  }
  CHECK(seen.size() == all.size());
}

}  // namespace
}  // namespace scaledcache::http
