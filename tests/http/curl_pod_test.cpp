// Requests to a pod: dialled at its own address under the name of its site, and more liberal in
// what is taken for an answer. Nothing of that holds for backends.
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"
#include "support/certificates.h"

namespace scaledcache::http {
namespace {

using support::ReadRequest;
using support::Serve;
using support::Write;

const Address kLoopback = parse_address("127.0.0.1").value();

// To the pod behind `peer`, as visitors of `host` would ask.
Request pod_request(const support::RawPeer& peer, const std::string& host = "www.test") {
  Request request{.url = peer.url("/page?a=1", "www.test"), .timeout = kAmple};
  request.pod = PodCall{.address = kLoopback, .host = host};
  return request;
}

TEST_CASE("a pod is dialled at its address, and asked under the name of its site") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  for (const char* host : {"www.test", "www.test:8080", "[2001:db8::1]:80"}) {
    CAPTURE(host);
    const auto response = curl.transport.send(pod_request(peer, host), {});
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(peer.requests().back().starts_with(
        "GET /page?a=1 HTTP/1.1\r\nHost: " + std::string(host) + "\r\n"));
  }
  CHECK(curl.resolver.asked().empty());
  CHECK(peer.connections() == 1);
}

TEST_CASE("the address goes before a literal one in the URL") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  Request request = pod_request(peer);
  request.url = peer.url("/", "127.0.0.9");
  const auto response = curl.transport.send(request, {});
  CHECK_MESSAGE(response, response.error().message);
}

TEST_CASE("the address of a pod is judged as any other") {
  support::ScriptedResolver resolver({"127.0.0.1"});
  CurlTransport transport({}, resolver);
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  Request request = pod_request(peer);
  for (const char* address : {"127.0.0.1", "169.254.169.254", "::1", "0.0.0.0"}) {
    CAPTURE(address);
    request.pod->address = parse_address(address).value();
    const auto response = transport.send(request, {});
    REQUIRE(!response);
    CHECK(response.error().code == ErrorCode::Forbidden);
  }
  CHECK(peer.connections() == 0);
}

TEST_CASE("two pods of one site share no connection") {
  CurlFixture curl({.max_idle_connections = 4});
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  Request request = pod_request(peer);
  REQUIRE(curl.transport.send(request, {}));
  request.pod->address = parse_address("127.0.0.9").value();
  CHECK(curl.transport.send(request, {}).error().code == ErrorCode::Unavailable);
  request.pod->address = kLoopback;
  REQUIRE(curl.transport.send(request, {}));
  CHECK(peer.connections() == 1);
}

TEST_CASE("a pod's body is counted, and kept only as far as asked for") {
  struct Row {
    std::size_t keep;
    const char* body;
  };

  CurlFixture curl;
  const support::RawPeer peer({{Serve{support::answer("200 OK", "0123456789")}}});
  for (const Row& row :
       {Row{0, ""}, Row{4, "0123"}, Row{10, "0123456789"}, Row{99, "0123456789"}}) {
    CAPTURE(row.keep);
    Request request = pod_request(peer);
    request.pod->keep_body_bytes = row.keep;
    const auto response = curl.transport.send(request, {});
    REQUIRE(response);
    CHECK(response->body_bytes == 10);
    CHECK(response->body == row.body);
  }
  Request request = pod_request(peer);
  request.max_body_bytes = 9;
  CHECK(curl.transport.send(request, {}).error().code == ErrorCode::Protocol);
}

TEST_CASE("a pod may compress and redirect, and is asked for an encoding") {
  struct Row {
    const char* bytes;
    int status;
    std::size_t body_bytes;
  };

  for (const Row& row : {
           Row{"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b!",
               200, 3},
           Row{"HTTP/1.1 301 Moved\r\nLocation: http://10.0.0.1/\r\nContent-Length: 0\r\n\r\n", 301,
               0},
           Row{"HTTP/1.1 304 Not Modified\r\n\r\n", 304, 0},
       }) {
    CAPTURE(row.status);
    CurlFixture curl;
    const support::RawPeer peer({{ReadRequest{}, Write{row.bytes}}});
    Request request = pod_request(peer);
    request.headers = {{"Accept-Encoding", "gzip"}};
    const auto response = curl.transport.send(request, {});
    REQUIRE_MESSAGE(response, response.error().message);
    CHECK(response->status == row.status);
    CHECK(response->body_bytes == row.body_bytes);
    CHECK(peer.requests().at(0).find("\r\nAccept-Encoding: gzip\r\n") != std::string::npos);
    CHECK(peer.connections() == 1);
  }
}

TEST_CASE("no credentials go to a pod, and no Host that is none") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  for (const char* name : {"Authorization", "cookie", "Proxy-Authorization", "Host"}) {
    CAPTURE(name);
    Request request = pod_request(peer);
    request.headers = {{name, "x"}};
    CHECK(curl.transport.send(request, {}).error().code == ErrorCode::Invalid);
  }
  for (const char* host : {"a\r\nX: y", "a b", "a/b", "user@a"}) {
    CAPTURE(host);
    CHECK(curl.transport.send(pod_request(peer, host), {}).error().code == ErrorCode::Invalid);
  }
  CHECK(peer.connections() == 0);
}

TEST_CASE("a backend may still not be asked for an encoding") {
  CurlFixture curl;
  const support::RawPeer peer({{Serve{support::answer("200 OK", "hello")}}});
  const auto response = curl.transport.send(
      {.url = peer.url(), .headers = {{"Accept-Encoding", "gzip"}}, .timeout = kAmple}, {});
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Invalid);
}

TEST_CASE("over TLS a pod must show a certificate for the name of its site") {
  const support::Identity authority = support::make_authority();
  const support::TemporaryFile ca_file(support::certificate_pem(authority));

  struct Row {
    const char* names;
    const char* trouble;  // nullptr: none
  };

  for (const Row& row : {Row{"DNS:www.test", nullptr}, Row{"IP:127.0.0.1", "hostname mismatch"},
                         Row{"DNS:other.test", "hostname mismatch"}}) {
    CAPTURE(row.names);
    CurlFixture curl({.ca_file = ca_file.path()});
    const support::RawPeer peer(
        {{Serve{support::answer("200 OK", "hello")}}},
        {.tls = support::make_identity({.alternative_names = row.names}, &authority)});
    const auto response = curl.transport.send(pod_request(peer), {});
    if (row.trouble == nullptr) {
      REQUIRE_MESSAGE(response, response.error().message);
    } else {
      REQUIRE(!response);
      CHECK(response.error().message.find("the certificate is refused: ") != std::string::npos);
      CHECK(response.error().message.find(row.trouble) != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace scaledcache::http
