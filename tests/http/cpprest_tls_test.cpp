// Whom the API server's transport believes.
#include <doctest/doctest.h>

#include "http/api_peer.h"

namespace scaledcache::http {
namespace {

using support::answer;
using support::certificate_pem;
using support::CertificateRequest;
using support::Identity;
using support::key_pem;
using support::make_authority;
using support::make_identity;
using support::RawPeer;
using support::ReadRequest;
using support::Script;
using support::Serve;
using support::Stall;

// The answer of a peer with this certificate, reached as `host`.
Result<Response> ask(const Identity& identity,
                     const std::string& host,
                     const ClientTlsOptions& trust) {
  const RawPeer peer({{Serve{answer("200 OK", "fine")}}}, {.tls = identity});
  const std::string origin = peer.url("", host);
  return transport_to(origin, trust)->send({.url = origin + "/", .timeout = kPatience}, {});
}

TEST_CASE("the peer must prove the name it was called by") {
  const Identity authority = make_authority();

  struct Row {
    const char* name;
    CertificateRequest certificate;
    const char* host;
    const char* refusal;  // empty: accepted
  };

  for (const Row& row : {
           Row{"the right address", {.alternative_names = "IP:127.0.0.1"}, "127.0.0.1", ""},
           Row{"the right name", {.alternative_names = "DNS:localhost"}, "localhost", ""},
           Row{"another name",
               {.alternative_names = "DNS:other.example"},
               "localhost",
               "hostname mismatch"},
           Row{"another address",
               {.alternative_names = "IP:127.0.0.2"},
               "127.0.0.1",
               "IP address mismatch"},
           Row{"an address written as a name",
               {.alternative_names = "DNS:127.0.0.1"},
               "127.0.0.1",
               "IP address mismatch"},
           Row{"a name only in the subject",
               {.common_name = "localhost"},
               "localhost",
               "hostname mismatch"},
           Row{"an address only in the subject",
               {.common_name = "127.0.0.1"},
               "127.0.0.1",
               "IP address mismatch"},
           Row{"expired",
               {.alternative_names = "IP:127.0.0.1", .valid_from_days = -9, .valid_until_days = -2},
               "127.0.0.1",
               "certificate has expired"},
           Row{"not valid yet",
               {.alternative_names = "IP:127.0.0.1", .valid_from_days = 2, .valid_until_days = 9},
               "127.0.0.1",
               "certificate is not yet valid"},
       }) {
    SUBCASE(row.name) {
      const auto response = ask(make_identity(row.certificate, &authority), row.host,
                                {.ca_pem = certificate_pem(authority)});
      if (std::string(row.refusal).empty()) {
        REQUIRE_MESSAGE(response, response.error().message);
        CHECK(response->body == "fine");
      } else {
        REQUIRE_FALSE(response);
        CHECK(response.error().code == ErrorCode::Unavailable);
        CHECK_MESSAGE(response.error().message.find(row.refusal) != std::string::npos,
                      response.error().message);
      }
    }
  }
}

TEST_CASE("only the given authority is believed, and an intermediate one may be it") {
  const Identity root = make_authority("Root");
  const Identity intermediate =
      make_identity({.common_name = "Intermediate", .authority = true}, &root);
  const Identity stranger = make_authority("Stranger");
  const Identity peer = make_identity({.alternative_names = "IP:127.0.0.1"}, &intermediate);

  CHECK(ask(peer, "127.0.0.1", {.ca_pem = certificate_pem(intermediate)}));
  CHECK(ask(peer, "127.0.0.1",
            {.ca_pem = certificate_pem(stranger) + certificate_pem(intermediate)}));
  CHECK_FALSE(ask(peer, "127.0.0.1", {.ca_pem = certificate_pem(stranger)}));
  CHECK_FALSE(ask(peer, "127.0.0.1", {.ca_pem = certificate_pem(root)}));  // the chain has a gap
  CHECK(ask(peer, "127.0.0.1", {.insecure_skip_verify = true}));
}

TEST_CASE("plain HTTP on the other side is Unavailable") {
  const Identity authority = make_authority();
  const RawPeer peer({{ReadRequest{}, support::Write{answer("400 Bad Request", "speak TLS")}}});
  const std::string origin = "https://127.0.0.1:" + std::to_string(peer.port());
  const auto transport = transport_to(origin, {.ca_pem = certificate_pem(authority)});
  const auto response = transport->send({.url = origin + "/", .timeout = kShort}, {});
  REQUIRE_FALSE(response);
  CHECK((response.error().code == ErrorCode::Unavailable ||
         response.error().code == ErrorCode::Timeout));
}

TEST_CASE("a handshake that never ends comes to the deadline or to a stop") {
  const Identity authority = make_authority();
  const RawPeer peer({{Stall{}}});
  const std::string origin = "https://127.0.0.1:" + std::to_string(peer.port());
  const auto transport = transport_to(origin, {.ca_pem = certificate_pem(authority)});
  CHECK(transport->send({.url = origin + "/", .timeout = kShort}, {}).error().code ==
        ErrorCode::Timeout);

  std::stop_source stop;
  const std::jthread stopper([&] {
    peer.wait_for_connections(2);
    stop.request_stop();
  });
  CHECK(
      transport->send({.url = origin + "/", .timeout = kPatience}, stop.get_token()).error().code ==
      ErrorCode::Cancelled);
}

TEST_CASE("new material is used by the next connection; broken material changes nothing") {
  const Identity first = make_authority("First");
  const Identity second = make_authority("Second");
  const Script one_answer{ReadRequest{}, support::Write{"HTTP/1.1 200 OK\r\nConnection: close\r\n"
                                                        "Content-Length: 0\r\n\r\n"}};
  const RawPeer peer({one_answer},
                     {.tls = make_identity({.alternative_names = "IP:127.0.0.1"}, &second)});
  const auto transport = transport_to(peer.url(""), {.ca_pem = certificate_pem(first)});
  CHECK_FALSE(transport->send(get(peer), {}));
  REQUIRE(transport->update_tls({.ca_pem = certificate_pem(second)}));
  CHECK(transport->send(get(peer), {}));
  CHECK(transport->update_tls({.ca_pem = "no PEM"}).error().code == ErrorCode::Invalid);
  CHECK(transport->send(get(peer), {}));
}

}  // namespace
}  // namespace scaledcache::http
