#include "k8s/identity_files.h"

#include <string>

#include <doctest/doctest.h>

#include "k8s/memory_files.h"

namespace scaledcache::k8s {
namespace {

const std::string kCertificate = "-----BEGIN CERTIFICATE-----\n";

TEST_CASE("a token is what stands between the white space") {
  CHECK(decode_token(" a.b-c=\r\n").value().reveal() == "a.b-c=");
  for (const char* text : {"", " \n", "a b", "a\nb", "a\tb", "a\x7f", "\xC3\xA9"}) {
    SUBCASE(text) {
      CHECK_FALSE(decode_token(text));
    }
  }
}

TEST_CASE("certificates and keys are told apart, locked keys refused") {
  CHECK(check_certificate(kCertificate));
  CHECK_FALSE(check_certificate(""));
  CHECK_FALSE(check_certificate("-----BEGIN PRIVATE KEY-----\n"));
  CHECK(check_key("-----BEGIN PRIVATE KEY-----\n"));
  CHECK(check_key("-----BEGIN RSA PRIVATE KEY-----\n"));
  CHECK_FALSE(check_key(kCertificate));
  CHECK_FALSE(check_key("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"));
  CHECK_FALSE(check_key("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"));
}

TEST_CASE("only texts that came from files are read again") {
  const MemoryFiles files{{"/ca", kCertificate + "new"}};
  ClusterConfig config;
  config.ca_file = "/ca";
  config.tls.ca_pem = "old";
  config.tls.certificate_pem = "inline";
  const auto tls = read_tls(config, reader_of(files));
  REQUIRE(tls);
  CHECK(tls->ca_pem == kCertificate + "new");
  CHECK(tls->certificate_pem == "inline");
}

TEST_CASE("a file of the wrong kind is named, not repeated") {
  const MemoryFiles files{{"/ca", "sesame"}};
  ClusterConfig config;
  config.ca_file = "/ca";
  const auto tls = read_tls(config, reader_of(files));
  REQUIRE_FALSE(tls);
  CHECK(tls.error().message == "/ca must hold certificates in PEM form");
}

}  // namespace
}  // namespace scaledcache::k8s
