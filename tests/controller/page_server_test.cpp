#include "controller/page_server.h"

#include <atomic>

#include <doctest/doctest.h>

#include "controller/hand_made_cluster.h"
#include "controller/page_files.h"
#include "http/raw_client.h"
#include "support/fake_clock.h"

namespace scaledcache::controller {
namespace {

using namespace std::chrono_literals;

constexpr const char* kToken = "correct-horse-battery";

// A page about blog/web; its clock is moved by the test.
struct Served {
  support::FakeClock clock;
  Log log{clock, LogFormat::Json, LogLevel::Error};
  PageBook book;
  std::atomic<bool> readable{true};
  std::string token = kToken;
  k8s::ScaledCache cache = cache_of("web");
  std::unique_ptr<PageServer> server;

  void look(int replicas) {
    Gathered gathered;
    gathered.target.replicas = replicas;
    core::Decision decision;
    decision.from = replicas;
    decision.replicas = replicas;
    book.note_look({cache, gathered, decision, "stays", clock.wall()}, {});
  }

  void start(const std::string& token_file = "") {
    look(2);
    auto started = PageServer::start({book, clock, log, "1.2.3", "pod-0", [] { return true; },
                                      [this](const std::string&) -> Result<std::string> {
                                        return readable
                                                   ? Result<std::string>(token + "\n")
                                                   : Error{ErrorCode::NotFound, "no such file"};
                                      }},
                                     {"127.0.0.1:0", token_file});
    REQUIRE(started);
    server = *std::move(started);
  }

  [[nodiscard]] std::string get(const std::string& path, const std::string& headers) const {
    http::RawClient client(server->port());
    client.say("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n");
    return client.read_answer();
  }
};

const std::string kLocal = "Host: localhost:8081\r\n";

TEST_CASE("a token is compared whole") {
  const Secret<std::string> token{std::string(kToken)};

  struct Row {
    const char* name;
    std::string_view authorization;
    bool want;
  };

  for (const Row& row : {
           Row{"the token", "Bearer correct-horse-battery", true},
           Row{"the scheme in lower case", "bearer correct-horse-battery", true},
           Row{"nothing", "", false},
           Row{"the scheme alone", "Bearer ", false},
           Row{"another scheme", "Basic correct-horse-battery", false},
           Row{"without a scheme", "correct-horse-battery", false},
           Row{"wrong at its first character", "Bearer Correct-horse-battery", false},
           Row{"wrong at its last character", "Bearer correct-horse-batterY", false},
           Row{"its beginning", "Bearer correct-horse", false},
           Row{"more than it", "Bearer correct-horse-battery!", false},
           Row{"twice it", "Bearer correct-horse-batterycorrect-horse-battery", false},
       }) {
    SUBCASE(row.name) {
      CHECK(carries_token(row.authorization, token) == row.want);
    }
  }
  CHECK_FALSE(carries_token("Bearer ", Secret<std::string>{}));
}

TEST_CASE("a token file holds one line that is hard to guess") {
  const auto read = [](const std::string& text) {
    return read_page_token("/t", [&](const std::string&) { return Result<std::string>(text); });
  };
  CHECK(read("0123456789abcdef\n")->reveal() == "0123456789abcdef");
  CHECK(read("0123456789abcdef\r\nsecond line")->reveal() == "0123456789abcdef");
  CHECK(read("0123456789abcde").error().message ==
        "--page-token-file=\"/t\": its first line must be a token of at least 16 printable "
        "characters without spaces");
  CHECK_FALSE(read(""));
  CHECK_FALSE(read("0123456789 abcdef"));
  CHECK_FALSE(read("\n0123456789abcdef"));
}

TEST_CASE("a Host header names loopback or something else") {
  for (const char* host : {"localhost", "localhost:8081", "LOCALHOST", "127.0.0.1", "127.1.2.3:80",
                           "[::1]", "[::1]:8081"}) {
    CAPTURE(host);
    CHECK(names_loopback(host));
  }
  for (const char* host : {"", "evil.example", "evil.example:8081", "localhost.evil.example",
                           "10.0.0.1", "[::2]:8081", "127.0.0.1.evil.example"}) {
    CAPTURE(host);
    CHECK_FALSE(names_loopback(host));
  }
}

TEST_CASE("without a token the page is for localhost, and for no site that points its name there") {
  Served served;
  served.start();
  for (const char* path : {"/", "/page.js", "/api/cache?namespace=blog&name=web", "/api/events"}) {
    CAPTURE(path);
    CHECK(served.get(path, "Host: evil.example:8081\r\n").starts_with("HTTP/1.1 403 "));
  }
  const std::string answer = served.get("/api/cache?namespace=blog&name=web", kLocal);
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(Json::parse(answer.substr(answer.find("\r\n\r\n") + 4))["key"] == "blog/web");
  CHECK(served.get("/api/cache?namespace=blog&name=we", kLocal).starts_with("HTTP/1.1 404 "));
  CHECK(served.get("/api/cache", kLocal).starts_with("HTTP/1.1 404 "));
}

TEST_CASE("each file is served with a policy that lets nothing else in") {
  Served served;
  served.start();
  for (const PageFile& file : page_files()) {
    CAPTURE(file.path);
    const std::string answer = served.get(std::string(file.path), kLocal);
    CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(answer.find("Content-Type: " + std::string(file.type)) != std::string::npos);
    CHECK(answer.find("\r\nX-Content-Type-Options: nosniff\r\n") != std::string::npos);
    const auto policy = answer.find("\r\nContent-Security-Policy: default-src 'none'; ");
    REQUIRE(policy != std::string::npos);
    const std::string line = answer.substr(policy, answer.find("\r\n", policy + 2) - policy);
    CHECK(line.find("unsafe") == std::string::npos);
    CHECK(line.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(answer.ends_with(file.text));
  }
}

TEST_CASE("with a token only its bearer hears of anything, from wherever") {
  Served served;
  served.start("/token");
  const std::string elsewhere = "Host: operator.example\r\n";
  const std::string bearer = elsewhere + "Authorization: Bearer " + kToken + "\r\n";
  CHECK(served.get("/", elsewhere).starts_with("HTTP/1.1 200 "));
  for (const char* path : {"/api/cache?namespace=blog&name=web", "/api/events"}) {
    CAPTURE(path);
    const std::string refused = served.get(path, elsewhere);
    CHECK(refused.starts_with("HTTP/1.1 401 "));
    CHECK(refused.find("blog") == std::string::npos);
  }
  CHECK(served.get("/api/cache?namespace=blog&name=web", bearer).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("a token that cannot be read stops the start") {
  Served served;
  served.readable = false;
  const auto started =
      PageServer::start({served.book, served.clock, served.log, "", "", [] { return true; },
                         [](const std::string&) -> Result<std::string> {
                           return Error{ErrorCode::NotFound, "no such file"};
                         }},
                        {"127.0.0.1:0", "/token"});
  REQUIRE_FALSE(started);
  CHECK(started.error().message == "no such file");
}

TEST_CASE("a stream begins with all there is and goes on with what changes") {
  Served served;
  served.start();
  http::RawClient client(served.server->port());
  client.say("GET /api/events HTTP/1.1\r\n" + kLocal + "\r\n");
  const std::string begin = client.read_until("}\n\n");
  CHECK(begin.find("\r\nContent-Type: text/event-stream\r\n") != std::string::npos);
  CHECK(begin.find("event: all\ndata: {") != std::string::npos);
  CHECK(begin.find("\"replicas\":2") != std::string::npos);
  served.look(7);
  std::jthread time([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      served.clock.advance(1s);
      std::this_thread::yield();
    }
  });
  const std::string next = client.read_until("\"replicas\":7");
  CHECK(next.find("event: some\ndata: {") != std::string::npos);
  (void)client.read_until("}\n\n");
  const std::string silence = client.read_until("}\n\n");  // a sign of life, without rows
  CHECK(silence.find("\"rows\":[]") != std::string::npos);
}

}  // namespace
}  // namespace scaledcache::controller
