// Where the transport goes, and where it does not. Fault cases F6, F7; invariant S10.
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"

namespace scaledcache::http {
namespace {

using support::ReadRequest;
using support::ScriptedResolver;
using support::Serve;
using support::Write;

const std::string kOk = support::answer("200 OK", "ok");

TEST_CASE("a name is dialled at its vetted address and keeps its name") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{kOk}}});
  REQUIRE(curl.get(peer.url("/", "vm.test")));
  CHECK(curl.resolver.asked() == std::vector<std::string>{"vm.test"});
  CHECK(peer.requests().at(0).find("\r\nHost: vm.test:" + std::to_string(peer.port()) + "\r\n") !=
        std::string::npos);
}

TEST_CASE("localhost is resolved like every name") {
  ScriptedResolver resolver({"169.254.169.254"});
  CurlTransport transport({.addresses = {.allow_loopback = true}}, resolver);
  const support::RawPeer peer({{Serve{kOk}}});
  CHECK(transport.send({.url = peer.url("/", "localhost")}, {}).error().code ==
        ErrorCode::Forbidden);
  CHECK(peer.connections() == 0);
}

TEST_CASE("without the development flag loopback is refused in every form") {
  const support::RawPeer peer({{Serve{kOk}}});
  for (const char* answer : {"127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "::1"}) {
    CAPTURE(answer);
    ScriptedResolver resolver({answer});
    CurlTransport transport({}, resolver);
    const auto response = transport.send({.url = peer.url("/", "vm.test")}, {});
    REQUIRE(!response);
    CHECK(response.error().code == ErrorCode::Forbidden);
  }
  ScriptedResolver resolver({"127.0.0.1"});
  CurlTransport transport({}, resolver);
  for (const char* host : {"127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"}) {
    CAPTURE(host);
    CHECK(transport.send({.url = peer.url("/", host)}, {}).error().code == ErrorCode::Forbidden);
  }
  for (const char* host : {"2130706433", "0177.0.0.1", "0x7f.1", "127.1"}) {
    CAPTURE(host);
    CHECK(transport.send({.url = peer.url("/", host)}, {}).error().code == ErrorCode::Invalid);
  }
  CHECK(peer.connections() == 0);
  CHECK(resolver.asked().empty());
}

TEST_CASE("one bad address among the answers refuses them all") {
  ScriptedResolver resolver({"127.0.0.1,169.254.169.254"});
  CurlTransport transport({.addresses = {.allow_loopback = true}}, resolver);
  const support::RawPeer peer({{Serve{kOk}}});
  const auto response = transport.send({.url = peer.url("/", "vm.test")}, {});
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Forbidden);
  CHECK(peer.connections() == 0);
}

TEST_CASE("a name that turns to a denied address is refused, even with a connection open") {
  // 127.0.0.1 stands in for a public address, 127.0.0.9 for a private one of the API server.
  ScriptedResolver resolver({"127.0.0.1", "127.0.0.9"});
  CurlTransport transport(
      {.addresses = {.allow_loopback = true, .denied = {*parse_address("127.0.0.9")}}}, resolver);
  const support::RawPeer peer({{Serve{kOk}}});
  const Request request{.url = peer.url("/", "vm.test")};
  REQUIRE(transport.send(request, {}));
  CHECK(transport.send(request, {}).error().code == ErrorCode::Forbidden);
  CHECK(peer.requests().size() == 1);
}

TEST_CASE("a later answer replaces an earlier one") {
  ScriptedResolver resolver({"127.0.0.9", "127.0.0.1"});
  CurlTransport transport({.addresses = {.allow_loopback = true}}, resolver);
  const support::RawPeer peer({{ReadRequest{}, Write{kOk}}});
  const Request request{.url = peer.url("/", "vm.test")};
  CHECK(transport.send(request, {}).error().code == ErrorCode::Unavailable);
  CHECK(transport.send(request, {}));
}

TEST_CASE("the next address is tried when one does not answer the call") {
  ScriptedResolver resolver({"127.0.0.9,::1,127.0.0.1"});
  CurlTransport transport({.addresses = {.allow_loopback = true}}, resolver);
  const support::RawPeer peer({{Serve{kOk}}});
  CHECK(transport.send({.url = peer.url("/", "vm.test")}, {}));
}

TEST_CASE("a redirect is not followed and its target hears nothing") {
  CurlFixture curl;
  const support::RawPeer target({{Serve{kOk}}});
  const support::RawPeer peer(
      {{ReadRequest{}, Write{"HTTP/1.1 307 Temporary Redirect\r\nLocation: " + target.url() +
                             "\r\nContent-Length: 0\r\n\r\n"}}});
  const auto response =
      curl.transport.send({.url = peer.url(), .headers = {{"Authorization", "Bearer token"}}}, {});
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Protocol);
  CHECK(target.connections() == 0);
}

TEST_CASE("proxies of the environment are not asked") {
  CurlFixture curl;
  const support::RawPeer proxy({{Serve{kOk}}});
  const support::RawPeer peer({{Serve{kOk}}});
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    ::setenv(name, proxy.url().c_str(), 1);
  }
  const auto response = curl.get(peer.url());
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    ::unsetenv(name);
  }
  CHECK(response);
  CHECK(proxy.connections() == 0);
  CHECK(peer.connections() == 1);
}

}  // namespace
}  // namespace scaledcache::http
