#include <atomic>
#include <deque>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/raw_client.h"
#include "http/server.h"
#include "http/tls_client.h"

namespace scaledcache::http {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kShort{100};
constexpr std::chrono::milliseconds kPatience{60'000};
constexpr const char* kName = "hook.ns.svc";

// Far ahead of any real clock, so that these certificates are valid whenever the test runs.
const CertificateLife kLife{WallTime{} + std::chrono::hours{24},
                            std::chrono::hours{24 * 365 * 400}};

struct Authority {
  PemIdentity identity = *make_authority("Test CA", kLife);

  [[nodiscard]] PemIdentity leaf(const std::string& name = kName) const {
    return *make_leaf(identity, {name}, kLife);
  }

  [[nodiscard]] TlsClientOptions trusted() const { return {.trust_pem = identity.certificate_pem}; }
};

std::vector<Route> routes() {
  const Handler echo = [](const ServerRequest& request) {
    return Response{200, {}, request.path + " " + request.body};
  };
  return {{"/page", Method::Get, echo}, {"/hook", Method::Post, echo}};
}

std::unique_ptr<HttpServer> serve(const PemIdentity& identity, ServerOptions options = {}) {
  options.address = "127.0.0.1";
  options.tls = true;
  auto server = HttpServer::start(std::move(options), routes());
  REQUIRE(server);
  REQUIRE((*server)->use_identity(identity));
  return *std::move(server);
}

std::string post(const std::string& body, std::string_view more = "") {
  return "POST /hook HTTP/1.1\r\nHost: hook\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

bool ends_with_body(const std::string& answer, const std::string& body) {
  return answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n/hook " + body);
}

TEST_CASE("a client that trusts the authority gets its answers, on one connection") {
  const Authority authority;
  const PemIdentity leaf = authority.leaf();
  const auto server = serve(leaf);
  TlsClient client(server->port(), authority.trusted());
  REQUIRE(client.connected());
  CHECK(client.version() == "TLSv1.3");
  CHECK(client.shown() == leaf.certificate_pem);
  for (const char* body : {"one", "two", ""}) {
    REQUIRE(client.say(post(body)));
    CHECK(ends_with_body(client.read_answer(), body));
  }
}

TEST_CASE("a large body and a large answer pass") {
  const Authority authority;
  const auto server = serve(authority.leaf());
  TlsClient client(server->port(), authority.trusted());
  REQUIRE(client.connected());
  const std::string body(std::size_t{3} << 20, 'x');
  REQUIRE(client.say(post(body)));
  CHECK(ends_with_body(client.read_answer(), body));
}

TEST_CASE("the end is said, so that nobody takes it for a cut") {
  const Authority authority;
  const auto server = serve(authority.leaf());
  for (const char* request : {"POST /hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                              "Content-Length: 0\r\n\r\n",
                              "nonsense\r\n\r\n"}) {
    TlsClient client(server->port(), authority.trusted());
    REQUIRE(client.connected());
    REQUIRE(client.say(request));
    CHECK(client.read_all().starts_with("HTTP/1.1 "));
    CHECK(client.ended_properly());
  }
}

TEST_CASE("old versions are refused, HTTP/1.1 is chosen") {
  const Authority authority;
  const auto server = serve(authority.leaf());

  struct Row {
    const char* name;
    int max_version;
    std::string protocols;
    const char* version;  // "": refused
    const char* protocol;
  };

  for (const Row& row : {
           Row{"TLS 1.3", TLS1_3_VERSION, "", "TLSv1.3", ""},
           Row{"TLS 1.2", TLS1_2_VERSION, "", "TLSv1.2", ""},
           Row{"TLS 1.1", TLS1_1_VERSION, "", "", ""},
           Row{"HTTP/2 before HTTP/1.1", TLS1_3_VERSION, "\x02h2\x08http/1.1", "TLSv1.3",
               "http/1.1"},
           Row{"HTTP/2 alone", TLS1_3_VERSION, "\x02h2", "TLSv1.3", ""},
       }) {
    SUBCASE(row.name) {
      TlsClientOptions options = authority.trusted();
      options.max_version = row.max_version;
      options.protocols = row.protocols;
      const TlsClient client(server->port(), options);
      REQUIRE(client.connected() == (*row.version != '\0'));
      if (client.connected()) {
        CHECK(client.version() == row.version);
        CHECK(client.protocol() == row.protocol);
      }
    }
  }
}

TEST_CASE("a client that trusts another authority or wants another name goes away") {
  const Authority authority;
  const Authority other;
  const auto server = serve(authority.leaf());
  CHECK_FALSE(TlsClient(server->port(), other.trusted()).connected());
  TlsClientOptions options = authority.trusted();
  options.name = "other.ns.svc";
  CHECK_FALSE(TlsClient(server->port(), options).connected());
  CHECK(TlsClient(server->port(), authority.trusted()).connected());
}

TEST_CASE("without an identity nobody is served, and a wrong one changes nothing") {
  auto started = HttpServer::start({.address = "127.0.0.1", .tls = true}, routes());
  REQUIRE(started);
  HttpServer& server = **started;
  CHECK(RawClient(server.port()).read_all().empty());
  const Authority authority;
  const Authority other;
  REQUIRE(server.use_identity(authority.leaf()));
  CHECK(server.use_identity({}).error().code == ErrorCode::Invalid);
  CHECK(server.use_identity({authority.leaf().certificate_pem, other.leaf().key_pem})
            .error()
            .message == "the server key does not belong to the server certificate");
  CHECK(server.use_identity({authority.leaf().certificate_pem, Secret<std::string>("x")})
            .error()
            .message == "the server key is no readable, unencrypted PEM key");
  CHECK(TlsClient(server.port(), authority.trusted()).connected());
}

TEST_CASE("hostile bytes instead of a handshake end that connection only") {
  const Authority authority;
  const auto server = serve(authority.leaf());
  const std::string hello("\x16\x03\x01\x00\x05\x01\x00\x00\x01\x03", 10);
  const std::string rows[] = {
      "GET /page HTTP/1.1\r\nHost: x\r\n\r\n",
      std::string(20'000, '\0'),
      std::string(20'000, '\xff'),
      hello,
      std::string("\x16\x03\x01\xff\xff", 5) + std::string(70'000, '\x01'),  // a record too long
      std::string("\x16\x03\x03\x00\x04\x01\xff\xff\xff", 9),                // a hello of 16 MiB
      std::string("\x15\x03\x01\x00\x02\x02\x28", 7),                        // an alert first
      std::string("\x80\x2e\x01\x03\x01\x00\x15\x00\x00\x00\x10", 11),       // SSLv2
      std::string("\x17\x03\x03\x00\x05hello", 10)};                         // data first
  for (const std::string& bytes : rows) {
    RawClient client(server->port());
    client.say(bytes);
    client.close_sending();
    const std::string answer = client.read_all();
    CHECK(answer.find("HTTP/") == std::string::npos);
  }
  CHECK(TlsClient(server->port(), authority.trusted()).connected());
}

TEST_CASE("hostile bytes inside TLS are refused as they are without it") {
  const Authority authority;
  const auto server = serve(authority.leaf());
  const std::string chunks = "Transfer-Encoding: chunked\r\n\r\n";

  struct Row {
    const char* name;
    std::string request;
    const char* want;
  };

  for (const Row& row : {
           Row{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400 "},
           Row{"chunk size -1", "POST /hook HTTP/1.1\r\n" + chunks + "-1\r\nx\r\n",
               "HTTP/1.1 400 "},
           Row{"a body too large", "POST /hook HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
               "HTTP/1.1 413 "},
           Row{"a header too large",
               "POST /hook HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n",
               "HTTP/1.1 431 "},
       }) {
    SUBCASE(row.name) {
      TlsClient client(server->port(), authority.trusted());
      REQUIRE(client.connected());
      client.say(row.request);
      CHECK(client.read_all().starts_with(row.want));
    }
  }
}

TEST_CASE("a client that is slow in its handshake, or behind it, is closed") {
  const Authority authority;
  ServerOptions options;
  options.header_timeout = kShort;
  options.request_timeout = 2 * kShort;
  options.idle_timeout = kShort;
  const auto server = serve(authority.leaf(), options);
  RawClient silent(server->port());
  CHECK(silent.closed_within(kPatience));

  RawClient dripping(server->port());
  dripping.say(std::string("\x16\x03\x01\x00\xc8\x01", 6));
  while (!dripping.closed_within(kShort / 20)) {
    if (!dripping.say("\x01")) {
      break;
    }
  }

  TlsClient quiet(server->port(), authority.trusted());
  REQUIRE(quiet.connected());
  CHECK(quiet.read_all().empty());

  TlsClient idle(server->port(), authority.trusted());
  REQUIRE(idle.connected());
  idle.say(post("x"));
  CHECK(ends_with_body(idle.read_answer(), "x"));
  CHECK(idle.read_all().empty());
}

TEST_CASE("beyond the most connections, those stuck in a handshake make room") {
  const Authority authority;
  ServerOptions options;
  options.max_connections = 8;
  const auto server = serve(authority.leaf(), options);
  TlsClient active(server->port(), authority.trusted());
  REQUIRE(active.connected());
  std::deque<RawClient> stuck;
  for (int i = 0; i < 50; ++i) {
    stuck.emplace_back(server->port()).say(std::string("\x16\x03\x01", 3));
    REQUIRE(active.say(post("x")));
    CHECK(ends_with_body(active.read_answer(), "x"));
  }
  for (std::size_t i = 0; i < 50 - 7; ++i) {
    CHECK(stuck[i].closed_within(kPatience));
  }
}

TEST_CASE("twenty rotations under requests: none fails, and the newest certificate is shown") {
  const Authority authority;
  const auto server = serve(authority.leaf());
  std::atomic<bool> rotating{true};
  std::atomic<int> failed{0};
  std::atomic<int> answered{0};
  {
    std::vector<std::jthread> clients;
    for (int i = 0; i < 4; ++i) {
      clients.emplace_back([&] {
        TlsClient kept(server->port(), authority.trusted());
        while (rotating) {
          TlsClient fresh(server->port(), authority.trusted());
          for (TlsClient* client : {&kept, &fresh}) {
            const bool good = client->connected() && client->say(post("x")) &&
                              ends_with_body(client->read_answer(), "x");
            ++(good ? answered : failed);
          }
        }
      });
    }
    PemIdentity leaf;
    for (int i = 0; i < 20; ++i) {
      leaf = authority.leaf();
      const int before = answered;
      REQUIRE(server->use_identity(leaf));
      CHECK(TlsClient(server->port(), authority.trusted()).shown() == leaf.certificate_pem);
      while (answered < before + 8 && failed == 0) {
        std::this_thread::yield();
      }
    }
    rotating = false;
  }
  CHECK(failed == 0);
  CHECK(answered >= 160);
}

}  // namespace
}  // namespace scaledcache::http
