// Whose certificates are believed. Fault case E6 on the untrusted side.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"
#include "support/certificates.h"

namespace scaledcache::http {
namespace {

using support::Serve;

const std::string kOk = support::answer("200 OK", "ok");

struct TlsCase {
  support::Identity authority = support::make_authority();
  support::TemporaryFile ca_file{support::certificate_pem(authority)};

  // What a request to `host` ends with when the peer shows `identity`.
  [[nodiscard]] Result<Response> ask(const support::Identity& identity,
                                     std::string_view host) const {
    const support::RawPeer peer({{Serve{kOk}}}, {.tls = identity});
    CurlFixture curl({.ca_file = ca_file.path()});
    return curl.get(peer.url("/", host));
  }

  [[nodiscard]] support::Identity sign(const support::CertificateRequest& request) const {
    return support::make_identity(request, &authority);
  }
};

TEST_CASE("a certificate for the name or the address is accepted") {
  struct Row {
    const char* names;
    const char* host;
  };

  const TlsCase tls;
  for (const Row& row : std::vector<Row>{{"DNS:vm.test", "vm.test"},
                                         {"DNS:other.test,DNS:VM.test", "vm.test"},
                                         {"DNS:*.a.test", "vm.a.test"},
                                         {"IP:127.0.0.1", "127.0.0.1"}}) {
    SUBCASE(row.names) {
      const auto response = tls.ask(tls.sign({.alternative_names = row.names}), row.host);
      REQUIRE_MESSAGE(response, response.error().message);
      CHECK(response->body == "ok");
    }
  }
}

TEST_CASE("every other certificate is refused, with the reason") {
  struct Row {
    const char* name;
    support::CertificateRequest certificate;
    const char* host;
    const char* reason;
  };

  const std::vector<Row> rows{
      {"common name only", {.common_name = "vm.test"}, "vm.test", "hostname mismatch"},
      {"expired",
       {.alternative_names = "DNS:vm.test", .valid_from_days = -3, .valid_until_days = -1},
       "vm.test",
       "expired"},
      {"not yet valid",
       {.alternative_names = "DNS:vm.test", .valid_from_days = 1, .valid_until_days = 3},
       "vm.test",
       "not yet valid"},
      {"other name", {.alternative_names = "DNS:other.test"}, "vm.test", "hostname mismatch"},
      {"partial wildcard",
       {.alternative_names = "DNS:v*.a.test"},
       "vm.a.test",
       "hostname mismatch"},
      {"wildcard over two labels",
       {.alternative_names = "DNS:*.test"},
       "vm.a.test",
       "hostname mismatch"},
      {"other address", {.alternative_names = "IP:127.0.0.2"}, "127.0.0.1", "IP address mismatch"},
      {"address as a DNS name",
       {.alternative_names = "DNS:127.0.0.1"},
       "127.0.0.1",
       "IP address mismatch"},
      {"name for an address",
       {.alternative_names = "DNS:vm.test"},
       "127.0.0.1",
       "IP address mismatch"},
  };
  const TlsCase tls;
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const auto response = tls.ask(tls.sign(row.certificate), row.host);
      REQUIRE(!response);
      CHECK(response.error().code == ErrorCode::Unavailable);
      CHECK_MESSAGE(response.error().message.find(row.reason) != std::string::npos,
                    response.error().message);
    }
  }
}

TEST_CASE("a certificate of another authority, or of none, is refused") {
  const TlsCase tls;
  const support::CertificateRequest request{.alternative_names = "DNS:vm.test"};
  const support::Identity stranger = support::make_authority();
  CHECK(tls.ask(support::make_identity(request, &stranger), "vm.test").error().code ==
        ErrorCode::Unavailable);
  CHECK(tls.ask(support::make_identity(request), "vm.test").error().code == ErrorCode::Unavailable);
}

TEST_CASE("an intermediate authority in the file is trusted as it stands") {
  const support::Identity root = support::make_authority("Root");
  TlsCase tls;
  tls.authority = support::make_identity({.common_name = "Between", .authority = true}, &root);
  const support::TemporaryFile file(support::certificate_pem(tls.authority));
  const support::RawPeer peer({{Serve{kOk}}},
                              {.tls = tls.sign({.alternative_names = "DNS:vm.test"})});
  CurlFixture curl({.ca_file = file.path()});
  const auto response = curl.get(peer.url("/", "vm.test"));
  CHECK_MESSAGE(response, response.error().message);
}

TEST_CASE("without a readable CA file nothing is trusted") {
  const TlsCase tls;
  const support::RawPeer peer({{Serve{kOk}}},
                              {.tls = tls.sign({.alternative_names = "DNS:vm.test"})});
  const support::TemporaryFile empty("");
  for (const std::string& path : {std::string("/nonexistent"), empty.path()}) {
    CurlFixture curl({.ca_file = path});
    const auto response = curl.get(peer.url("/", "vm.test"));
    REQUIRE(!response);
    CHECK(response.error().code == ErrorCode::Unavailable);
    CHECK(response.error().message.find("CA file " + path) != std::string::npos);
  }
  CHECK(peer.requests().empty());
}

TEST_CASE("a CA file that changes is read again, a broken one changes nothing") {
  const TlsCase before;
  const TlsCase after;
  const support::CertificateRequest request{.alternative_names = "DNS:vm.test"};
  const support::RawPeer old_peer({{Serve{kOk}}}, {.tls = before.sign(request)});
  const support::RawPeer new_peer({{Serve{kOk}}}, {.tls = after.sign(request)});
  const support::TemporaryFile file(support::certificate_pem(before.authority));
  CurlFixture curl({.ca_file = file.path(), .max_idle_connections = 0});
  REQUIRE(curl.get(old_peer.url("/", "vm.test")));
  REQUIRE(!curl.get(new_peer.url("/", "vm.test")));
  file.write("not a certificate");
  CHECK(curl.get(old_peer.url("/", "vm.test")));
  file.write(support::certificate_pem(after.authority));
  CHECK(curl.get(new_peer.url("/", "vm.test")));
  CHECK(!curl.get(old_peer.url("/", "vm.test")));
}

TEST_CASE("the environment adds no authority") {
  const TlsCase tls;
  const TlsCase other;
  const support::RawPeer peer({{Serve{kOk}}},
                              {.tls = tls.sign({.alternative_names = "DNS:vm.test"})});
  ::setenv("SSL_CERT_FILE", tls.ca_file.path().c_str(), 1);
  CurlFixture curl({.ca_file = other.ca_file.path()});
  const auto response = curl.get(peer.url("/", "vm.test"));
  ::unsetenv("SSL_CERT_FILE");
  CHECK(!response);
}

TEST_CASE("plain HTTP on a TLS port, and TLS on a plain port, are errors") {
  const TlsCase tls;
  const support::RawPeer secure({{Serve{kOk}}}, {.tls = tls.sign({})});
  CurlFixture curl;
  CHECK(!curl.get("http" + secure.url().substr(5)));
  const support::RawPeer talks_first({{support::Write{kOk}}});
  CHECK(!curl.get("https" + talks_first.url().substr(4)));
}

TEST_CASE("requests over TLS share a connection") {
  const TlsCase tls;
  const support::RawPeer peer({{Serve{kOk}}},
                              {.tls = tls.sign({.alternative_names = "DNS:vm.test"})});
  CurlFixture curl({.ca_file = tls.ca_file.path()});
  for (int i = 0; i < 3; ++i) {
    REQUIRE(curl.get(peer.url("/", "vm.test")));
  }
  CHECK(peer.connections() == 1);
}

}  // namespace
}  // namespace scaledcache::http
