#include "http/certificate.h"

#include <doctest/doctest.h>

#include "support/certificates.h"

namespace scaledcache::http {
namespace {

using namespace std::chrono_literals;

const WallTime kNow{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h};
const CertificateLife kLife{kNow, std::chrono::hours{24 * 90}};

PemIdentity authority(const std::string& name = "Test CA") {
  auto made = make_authority(name, kLife);
  REQUIRE(made);
  return *std::move(made);
}

TEST_CASE("a leaf is signed by its authority and made out for its names") {
  const PemIdentity ca = authority();
  const auto leaf = make_leaf(ca, {"hook.ns.svc", "hook.ns"}, kLife);
  REQUIRE(leaf);
  CHECK(is_usable(*leaf));
  CHECK(is_signed_by(leaf->certificate_pem, ca.certificate_pem));
  CHECK(is_for(leaf->certificate_pem, "hook.ns.svc"));
  CHECK(is_for(leaf->certificate_pem, "hook.ns"));
  CHECK_FALSE(is_for(leaf->certificate_pem, "other.ns.svc"));
  CHECK_FALSE(is_for(leaf->certificate_pem, "scaledcache webhook"));  // its common name
}

TEST_CASE("a certificate begins an hour before now and ends with its span") {
  const auto leaf = make_leaf(authority(), {"a"}, kLife);
  REQUIRE(leaf);
  CHECK(*dates_of(leaf->certificate_pem) == CertificateDates{kNow - 1h, kNow + kLife.span});
}

TEST_CASE("an authority of the same name is another one") {
  const auto leaf = make_leaf(authority(), {"a"}, kLife);
  REQUIRE(leaf);
  const PemIdentity other = authority();
  CHECK_FALSE(is_signed_by(leaf->certificate_pem, other.certificate_pem));
  const PemIdentity mine = authority("Another CA");
  const auto second = make_leaf(mine, {"a"}, kLife);
  REQUIRE(second);
  CHECK(is_signed_by(second->certificate_pem, other.certificate_pem + mine.certificate_pem));
}

TEST_CASE("a key belongs to its own certificate only") {
  const PemIdentity one = authority();
  const PemIdentity two = authority();
  CHECK(is_usable(one));
  CHECK_FALSE(is_usable({one.certificate_pem, two.key_pem}));
  CHECK_FALSE(is_usable({"", one.key_pem}));
  CHECK_FALSE(is_usable({one.certificate_pem, Secret<std::string>("nonsense")}));
  CHECK(make_leaf({one.certificate_pem, two.key_pem}, {"a"}, kLife).error().code ==
        ErrorCode::Invalid);
}

TEST_CASE("names that are none make no certificate") {
  const PemIdentity ca = authority();
  for (const std::string& name : {std::string(), std::string("a,IP:10.0.0.1"), std::string("A"),
                                  std::string("a b"), std::string(254, 'a')}) {
    SUBCASE(name.c_str()) {
      CHECK(make_leaf(ca, {"good", name}, kLife).error().code == ErrorCode::Invalid);
    }
  }
  CHECK(make_leaf(ca, {}, kLife).error().code == ErrorCode::Invalid);
}

TEST_CASE("a bundle is taken apart, whatever stands between") {
  const PemIdentity one = authority("One");
  const PemIdentity two = authority("Two");
  CHECK(split_certificates("# one\n" + one.certificate_pem + "\n\n" + two.certificate_pem) ==
        std::vector<std::string>{one.certificate_pem, two.certificate_pem});
  CHECK(split_certificates("").empty());
  CHECK(split_certificates("-----BEGIN CERTIFICATE-----\nnonsense\n").empty());
  CHECK(dates_of("nonsense").error().code == ErrorCode::Invalid);
}

}  // namespace
}  // namespace scaledcache::http
