// Requests with an authority, a name or a certificate of their own: what is believed, what is
// shown, and that nothing of it reaches the next request.
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"
#include "http/peer_tls.h"
#include "support/certificates.h"

namespace scaledcache::http {
namespace {

using support::RawPeer;
using support::Serve;

const support::Script kOk{Serve{support::answer("200 OK", "ok")}};

using Tls = std::shared_ptr<const PeerTls>;

Tls tls_of(const PeerTls::Texts& texts) {
  auto tls = PeerTls::create(texts);
  REQUIRE_MESSAGE(tls, tls.error().message);
  return *tls;
}

// Two authorities, of which the transport itself believes neither.
struct Rig {
  support::Identity ours = support::make_authority("Ours");
  support::Identity theirs = support::make_authority("Theirs");
  support::TemporaryFile stranger{support::certificate_pem(support::make_authority("Stranger"))};
  CurlFixture curl{{.ca_file = stranger.path()}};

  [[nodiscard]] support::Identity server(const std::string& names = "DNS:vm.test") const {
    return support::make_identity({.alternative_names = names}, &ours);
  }

  // Believes `ours`, and shows a certificate of `authority` where there is one.
  [[nodiscard]] Tls client(const support::Identity* authority = nullptr,
                           const std::string& server_name = "") const {
    PeerTls::Texts texts{.ca_pem = support::certificate_pem(ours), .server_name = server_name};
    if (authority != nullptr) {
      const support::Identity shown = support::make_identity({.common_name = "me"}, authority);
      texts.certificate_pem = support::certificate_pem(shown);
      texts.key_pem = Secret<std::string>(support::key_pem(shown));
    }
    return tls_of(texts);
  }

  Result<Response> ask(const RawPeer& peer, Tls tls, const char* host = "vm.test") {
    return curl.transport.send(
        {.url = peer.url("/", host), .timeout = kAmple, .tls = std::move(tls)}, {});
  }
};

TEST_CASE("an authority of the request's own is believed in place of the transport's") {
  Rig rig;
  const RawPeer peer({kOk}, {.tls = rig.server()});
  CHECK(rig.ask(peer, rig.client()));
  const auto others = tls_of({.ca_pem = support::certificate_pem(rig.theirs)});
  const auto refused = rig.ask(peer, others);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::Unavailable);
  CHECK(refused.error().message.find("the certificate is refused") != std::string::npos);
  CHECK_FALSE(rig.ask(peer, nullptr));
  CHECK(peer.requests().size() == 1);
}

TEST_CASE("the name to prove may be another than the one that is dialled") {
  Rig rig;
  const RawPeer peer({kOk}, {.tls = rig.server("DNS:vm.test,IP:10.9.8.7")});
  for (const char* host : {"store.test", "127.0.0.1"}) {
    CAPTURE(host);
    CHECK_FALSE(rig.ask(peer, rig.client(), host));
    for (const char* name : {"vm.test", "VM.test", "10.9.8.7"}) {
      CAPTURE(name);
      const auto answer = rig.ask(peer, rig.client(nullptr, name), host);
      CHECK_MESSAGE(answer, answer.error().message);
      CHECK(peer.requests().back().find("Host: " + std::string(host) + ":") != std::string::npos);
    }
    CHECK_FALSE(rig.ask(peer, rig.client(nullptr, "wm.test"), host));
  }
}

TEST_CASE("a peer that demands a certificate gets it, and without it says so") {
  Rig rig;
  const RawPeer peer({kOk}, {.tls = rig.server(), .client_authority = rig.theirs});
  const auto shown = rig.ask(peer, rig.client(&rig.theirs));
  CHECK_MESSAGE(shown, shown.error().message);

  const auto none = rig.ask(peer, rig.client());
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::Unauthorized);
  CHECK(none.error().message.find("the peer demands a client certificate") != std::string::npos);

  const auto wrong = rig.ask(peer, rig.client(&rig.ours));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().code == ErrorCode::Unauthorized);
  CHECK(wrong.error().message.find("the peer refuses the client certificate") != std::string::npos);
}

TEST_CASE("connections belong to one identity each") {
  Rig rig;
  const RawPeer peer({kOk}, {.tls = rig.server()});
  const Tls one = rig.client(&rig.theirs);
  const Tls other = rig.client(&rig.theirs);
  REQUIRE(rig.ask(peer, one));
  REQUIRE(rig.ask(peer, one));
  CHECK(peer.connections() == 1);
  REQUIRE(rig.ask(peer, other));
  CHECK(peer.connections() == 2);
  REQUIRE(rig.ask(peer, rig.client()));
  CHECK(peer.connections() == 3);
  REQUIRE(rig.ask(peer, one));
  REQUIRE(rig.ask(peer, other));
  CHECK(peer.connections() == 3);
}

TEST_CASE("an open connection is no way round a certificate that the next request lacks") {
  Rig rig;
  const RawPeer peer({kOk}, {.tls = rig.server(), .client_authority = rig.theirs});
  REQUIRE(rig.ask(peer, rig.client(&rig.theirs)));
  CHECK_FALSE(rig.ask(peer, rig.client()));
}

TEST_CASE("a rotated certificate is shown from the next request on") {
  Rig rig;
  const RawPeer before({kOk}, {.tls = rig.server(), .client_authority = rig.ours});
  const RawPeer after({kOk}, {.tls = rig.server(), .client_authority = rig.theirs});
  const Tls old = rig.client(&rig.ours);
  const Tls renewed = rig.client(&rig.theirs);
  CHECK(rig.ask(before, old));
  CHECK_FALSE(rig.ask(after, old));
  CHECK(rig.ask(after, renewed));
  CHECK_FALSE(rig.ask(before, renewed));
}

TEST_CASE("plain http has no use for any of it") {
  Rig rig;
  const RawPeer peer({kOk});
  const auto answer = rig.ask(peer, rig.client());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::Invalid);
  CHECK(peer.connections() == 0);
}

}  // namespace
}  // namespace scaledcache::http
