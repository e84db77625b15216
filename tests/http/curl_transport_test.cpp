// What a hostile or broken peer may answer, and what the transport makes of it. Fault cases F4, F5.
#include "http/curl_transport.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/curl_fixture.h"

namespace scaledcache::http {
namespace {

using support::ReadRequest;
using support::Repeat;
using support::Reset;
using support::Serve;
using support::Write;

const std::string kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::size_t kTwoMiB = std::size_t{2} << 20;

TEST_CASE("an answer comes back with status, headers and body") {
  CurlFixture curl;
  const support::RawPeer peer({{ReadRequest{}, Write{support::answer("418 Teapot", "short")}}});
  const auto response = curl.transport.send(
      {.url = peer.url("/a/../b?q=%7Bx%7D"), .headers = {{"X-One", "1"}, {"X-Empty", ""}}}, {});
  REQUIRE_MESSAGE(response, response.error().message);
  CHECK(response->status == 418);
  CHECK(find_header(response->headers, "content-type") == "application/json");
  CHECK(response->body == "short");
  const std::string seen = peer.requests().at(0);
  CHECK(seen.starts_with("GET /a/../b?q=%7Bx%7D HTTP/1.1\r\nHost: 127.0.0.1:"));
  CHECK(seen.find("\r\nX-One: 1\r\n") != std::string::npos);
  CHECK(seen.find("\r\nX-Empty:\r\n") != std::string::npos);
  CHECK(seen.find("Accept-Encoding") == std::string::npos);
  CHECK(seen.find("Content-Type") == std::string::npos);
}

TEST_CASE("each method is sent with its body") {
  for (const Method method : {Method::Post, Method::Put, Method::Patch}) {
    CAPTURE(std::string(name_of(method)));
    CurlFixture curl;
    const support::RawPeer peer({{ReadRequest{}, Write{support::answer("200 OK", "")}}});
    REQUIRE(curl.transport.send({.method = method,
                                 .url = peer.url(),
                                 .headers = {{"Content-Type", "text/plain"}},
                                 .body = "a body"},
                                {}));
    const std::string seen = peer.requests().at(0);
    CHECK(seen.starts_with(std::string(name_of(method)) + " / HTTP/1.1\r\n"));
    CHECK(seen.find("\r\nContent-Type: text/plain\r\n") != std::string::npos);
    CHECK(seen.ends_with("\r\n\r\na body"));
  }
}

TEST_CASE("a long body is sent without asking whether it is welcome") {
  CurlFixture curl;
  const support::RawPeer peer({{ReadRequest{}, Write{support::answer("200 OK", "")}}});
  REQUIRE(curl.transport.send(
      {.method = Method::Put, .url = peer.url(), .body = std::string(kTwoMiB, 'x')}, {}));
  CHECK(peer.requests().at(0).find("Expect") == std::string::npos);
}

TEST_CASE("the answer to HEAD has no body, whatever length it announces") {
  CurlFixture curl;
  const support::RawPeer peer(
      {{ReadRequest{}, Write{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"}}});
  const auto response = curl.transport.send({.method = Method::Head, .url = peer.url()}, {});
  REQUIRE_MESSAGE(response, response.error().message);
  CHECK(response->body.empty());
  CHECK(find_header(response->headers, "Content-Length") == "99999999999");
}

TEST_CASE("answers that are odd but whole are taken") {
  struct Row {
    const char* name;
    std::string bytes;
    int status;
    const char* body;
  };

  const std::vector<Row> rows{
      {"chunks", kChunked + "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", 200, "abc"},
      {"chunk extension", kChunked + "2;x=\"y\"\r\nab\r\n0;z\r\n\r\n", 200, "ab"},
      {"trailers", kChunked + "2\r\nab\r\n0\r\nX-Trailer: 1\r\n\r\n", 200, "ab"},
      {"103 before the answer",
       "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + support::answer("200 OK", "ab"), 200,
       "ab"},
      {"100 before the answer", "HTTP/1.1 100 Continue\r\n\r\n" + support::answer("200 OK", "ab"),
       200, "ab"},
      {"no length", "HTTP/1.0 200 OK\r\n\r\nab", 200, "ab"},
      {"identity", "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 2\r\n\r\nab",
       200, "ab"},
      {"no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""},
      {"server error", support::answer("503 Busy", "ab"), 503, "ab"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CurlFixture curl;
      const auto response = curl.get_from({ReadRequest{}, Write{row.bytes}});
      REQUIRE_MESSAGE(response, response.error().message);
      CHECK(response->status == row.status);
      CHECK(response->body == row.body);
    }
  }
  SUBCASE("103 is not in the headers of the answer") {
    CurlFixture curl;
    const auto response = curl.get_from({ReadRequest{}, Write{rows[3].bytes}});
    REQUIRE(response);
    CHECK(find_header(response->headers, "Link").empty());
  }
}

TEST_CASE("answers that are broken or not wanted are refused") {
  struct Row {
    const char* name;
    std::string bytes;
    ErrorCode code;
    const char* phrase;
  };

  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Row> rows{
      {"chunk size -1", kChunked + "-1\r\nab", ErrorCode::Protocol, "framing"},
      {"chunk size beyond 64 bits", kChunked + "fffffffffffffffff\r\nab", ErrorCode::Protocol,
       "framing"},
      {"chunk size of 8 EiB", kChunked + "7fffffffffffffff\r\nab", ErrorCode::Unavailable,
       "cut short"},
      {"chunk size is garbage", kChunked + "zz\r\nab", ErrorCode::Protocol, "framing"},
      {"chunk without line end", kChunked + "2\r\nabXX0\r\n\r\n", ErrorCode::Protocol, "framing"},
      {"last chunk missing", kChunked + "2\r\nab\r\n", ErrorCode::Unavailable, "cut short"},
      {"chunk cut", kChunked + "8\r\nab", ErrorCode::Unavailable, "cut short"},
      {"length cut", ok + "Content-Length: 5\r\n\r\nab", ErrorCode::Unavailable, "cut short"},
      {"length beyond the limit", ok + "Content-Length: 99999999999\r\n\r\nab", ErrorCode::Protocol,
       "beyond the limit"},
      {"length that is no number", ok + "Content-Length: -1\r\n\r\nab", ErrorCode::Protocol,
       "not HTTP"},
      {"nothing at all", "", ErrorCode::Unavailable, "without an answer"},
      {"not HTTP", "SSH-2.0-OpenSSH_9.2\r\n", ErrorCode::Protocol, "not HTTP"},
      {"HTTP/2", "HTTP/2 200 OK\r\n\r\n", ErrorCode::Protocol, "not HTTP"},
      {"status without a number", "HTTP/1.1 OK\r\n\r\n", ErrorCode::Protocol, "not HTTP"},
      {"only interim answers", "HTTP/1.1 103 Early Hints\r\n\r\n", ErrorCode::Unavailable, ""},
      {"protocol switch", "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n",
       ErrorCode::Protocol, "switches"},
      {"gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab", ErrorCode::Protocol,
       "compressed"},
      {"gzip as transfer encoding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
       ErrorCode::Protocol, "transfer encoding"},
      {"header without a colon", ok + "nonsense\r\nContent-Length: 0\r\n\r\n", ErrorCode::Protocol,
       "not HTTP"},
      {"folded header", ok + "A: b\r\n c\r\nContent-Length: 0\r\n\r\n", ErrorCode::Protocol,
       "broken header"},
      {"redirect", "HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n",
       ErrorCode::Protocol, "redirects"},
      {"not modified", "HTTP/1.1 304 Not Modified\r\n\r\n", ErrorCode::Protocol, "redirects"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CurlFixture curl;
      const auto response = curl.get_from({ReadRequest{}, Write{row.bytes}});
      REQUIRE(!response);
      CHECK(name_of(response.error().code) == name_of(row.code));
      CHECK_MESSAGE(response.error().message.find(row.phrase) != std::string::npos,
                    response.error().message);
    }
  }
}

TEST_CASE("a connection that is reset or refused is unavailable") {
  CurlFixture curl;
  CHECK(curl.get_from({ReadRequest{}, Write{"HTTP/1.1 200 OK\r\n"}, Reset{}}).error().code ==
        ErrorCode::Unavailable);
  CHECK(curl.get_from({Reset{}}).error().code == ErrorCode::Unavailable);
  std::string url;
  {
    const support::RawPeer gone({{Reset{}}});
    url = gone.url();
  }
  const auto response = curl.get(url);
  REQUIRE(!response);
  CHECK(response.error().code == ErrorCode::Unavailable);
  CHECK(response.error().message == url.substr(7, url.size() - 8) + ": connection refused");
}

TEST_CASE("answers without end are cut at the limits") {
  struct Row {
    const char* name;
    support::Script script;
    const char* phrase;
  };

  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const std::vector<Row> rows{
      {"endless body",
       {ReadRequest{}, Write{ok + "\r\n"}, Repeat{std::string(65536, 'x')}},
       "body passes 1000000 bytes"},
      {"endless chunks",
       {ReadRequest{}, Write{kChunked}, Repeat{"4\r\nabcd\r\n"}},
       "body passes 1000000 bytes"},
      {"endless headers",
       {ReadRequest{}, Write{ok}, Repeat{"X-Filler: 0123456789\r\n"}},
       "header passes 16384 bytes"},
      {"header of 1 MiB",
       {ReadRequest{}, Write{ok + "X: " + std::string(kTwoMiB / 2, 'x')}},
       "header"},
      {"header without end",
       {ReadRequest{}, Write{ok + "X: "}, Repeat{std::string(4096, 'x')}},
       "header"},
      {"interim answers without end",
       {ReadRequest{}, Repeat{"HTTP/1.1 103 Early Hints\r\n\r\n"}},
       "header passes 16384 bytes"},
      {"trailers without end", {ReadRequest{}, Write{kChunked + "0\r\n"}, Repeat{"X: yy\r\n"}}, ""},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      CurlFixture curl;
      const support::RawPeer peer({row.script});
      const auto response = curl.transport.send(
          {.url = peer.url(), .timeout = kAmple, .max_body_bytes = 1'000'000}, {});
      REQUIRE(!response);
      CHECK(name_of(response.error().code) == name_of(ErrorCode::Protocol));
      CHECK_MESSAGE(response.error().message.find(row.phrase) != std::string::npos,
                    response.error().message);
    }
  }
}

TEST_CASE("a body of exactly the limit passes, one byte more does not") {
  CurlFixture curl;
  const support::RawPeer peer({{ReadRequest{}, Write{kChunked + "4\r\nabcd\r\n0\r\n\r\n"}}});
  CHECK(curl.transport.send({.url = peer.url(), .max_body_bytes = 4}, {}));
  CHECK(!curl.transport.send({.url = peer.url(), .max_body_bytes = 3}, {}));
}

TEST_CASE("no message repeats what the peer said or what the query holds") {
  CurlFixture curl;
  for (const char* bytes :
       {"HTTP/1.1 secret\r\n\r\n", "secret\r\n\r\n", "HTTP/1.1 200 OK\r\nsecret\r\n\r\n",
        "HTTP/1.1 302 secret\r\nLocation: secret\r\n\r\n"}) {
    const support::RawPeer peer({{ReadRequest{}, Write{bytes}}});
    const auto response = curl.get(peer.url("/secret?q=secret"));
    REQUIRE(!response);
    CHECK_MESSAGE(response.error().message.find("secret") == std::string::npos,
                  response.error().message);
  }
}

TEST_CASE("a request that cannot be sent as it stands is invalid") {
  CurlFixture curl;
  const support::RawPeer peer({{ReadRequest{}, Write{support::answer("200 OK", "")}}});
  CHECK(curl.get("ftp://vm/").error().code == ErrorCode::Invalid);
  for (const Header& header :
       {Header{"X", "a\r\nHost: b"}, Header{"X", "a\n"}, Header{"X", std::string("a\0b", 3)},
        Header{"X y", "a"}, Header{"X:", "a"}, Header{"", "a"}, Header{"hOST", "a"},
        Header{"Content-Length", "1"}, Header{"Transfer-Encoding", "chunked"}}) {
    CAPTURE(header.name);
    const auto response = curl.transport.send({.url = peer.url(), .headers = {header}}, {});
    REQUIRE(!response);
    CHECK(response.error().code == ErrorCode::Invalid);
  }
  CHECK(peer.connections() == 0);
}

}  // namespace
}  // namespace scaledcache::http
