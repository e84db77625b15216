#include "http/server.h"

#include <deque>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include "http/raw_client.h"

namespace scaledcache::http {
namespace {

constexpr std::chrono::milliseconds kShort{100};
constexpr std::chrono::milliseconds kPatience{60'000};

std::vector<Route> routes() {
  const Handler echo = [](const ServerRequest& request) {
    return Response{200,
                    {{"Content-Type", "text/plain"}},
                    std::string(name_of(request.method)) + " " + request.path + " " +
                        request.query + " " + request.body};
  };
  return {{"/page", Method::Get, echo},
          {"/hook", Method::Post, echo},
          {"/both", Method::Get, echo},
          {"/both", Method::Post, echo},
          {"/host", Method::Get,
           [](const ServerRequest& request) {
             return Response{200, {}, std::string(find_header(request.headers, "HOST"))};
           }},
          {"/throws", Method::Get,
           [](const ServerRequest&) -> Response { throw std::runtime_error("secret"); }}};
}

std::unique_ptr<HttpServer> serve(ServerOptions options = {}) {
  options.address = "127.0.0.1";
  auto server = HttpServer::start(std::move(options), routes());
  REQUIRE(server);
  return *std::move(server);
}

std::string request(std::string_view line, std::string_view more = "\r\n") {
  return std::string(line) + " HTTP/1.1\r\nHost: test\r\n" + std::string(more);
}

// The status line and the body of an answer; headers do not matter here.
std::string outline(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  return answer.substr(0, answer.find("\r\n")) +
         (end == std::string::npos ? "" : "|" + answer.substr(end + 4));
}

std::string ask(const HttpServer& server, const std::string& bytes) {
  RawClient client(server.port());
  client.say(bytes);
  return client.read_answer();
}

TEST_CASE("routes are chosen by whole path and method") {
  const auto server = serve();

  struct Row {
    const char* name;
    std::string request;
    const char* want;
  };

  for (const Row& row : {
           Row{"get", request("GET /page"), "HTTP/1.1 200 OK|GET /page  "},
           Row{"get with a query", request("GET /page?a=b?c"), "HTTP/1.1 200 OK|GET /page a=b?c "},
           Row{"post", request("POST /hook", "Content-Length: 2\r\n\r\nhi"),
               "HTTP/1.1 200 OK|POST /hook  hi"},
           Row{"post in chunks",
               request("POST /hook",
                       "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n"),
               "HTTP/1.1 200 OK|POST /hook  hi"},
           Row{"post without a body", request("POST /hook", "Content-Length: 0\r\n\r\n"),
               "HTTP/1.1 200 OK|POST /hook  "},
           Row{"one path, two methods", request("POST /both", "Content-Length: 1\r\n\r\nx"),
               "HTTP/1.1 200 OK|POST /both  x"},
           Row{"headers reach the handler", request("GET /host"), "HTTP/1.1 200 OK|test"},
           Row{"unknown path", request("GET /pag"), "HTTP/1.1 404 Not Found|no such page\n"},
           Row{"longer path", request("GET /page/"), "HTTP/1.1 404 Not Found|no such page\n"},
           Row{"wrong method", request("POST /page", "Content-Length: 0\r\n\r\n"),
               "HTTP/1.1 405 Method Not Allowed|method not allowed\n"},
           Row{"another method", request("DELETE /page"),
               "HTTP/1.1 405 Method Not Allowed|method not allowed\n"},
           Row{"a method nobody knows", request("BREW /page"),
               "HTTP/1.1 405 Method Not Allowed|method not allowed\n"},
           Row{"get on a post route", request("GET /hook"),
               "HTTP/1.1 405 Method Not Allowed|method not allowed\n"},
           Row{"a handler that throws", request("GET /throws"),
               "HTTP/1.1 500 Internal Server Error|internal error\n"},
       }) {
    SUBCASE(row.name) {
      CHECK(outline(ask(*server, row.request)) == row.want);
    }
  }
}

TEST_CASE("a refused method names those allowed") {
  const auto server = serve();
  CHECK(ask(*server, request("PUT /both")).find("\r\nAllow: GET, HEAD, POST\r\n") !=
        std::string::npos);
}

TEST_CASE("HEAD is answered as GET would be, without the body") {
  const auto server = serve();
  RawClient client(server->port());
  client.say(request("HEAD /page") + request("GET /page", "Connection: close\r\n\r\n"));
  const std::string both = client.read_all();
  const std::string head = both.substr(0, both.find("\r\n\r\n") + 4);
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(head.find("\r\nContent-Length: 12\r\n") != std::string::npos);  // "HEAD /page  "
  CHECK(both.substr(head.size()).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a connection is kept, and requests sent together are answered in order") {
  const auto server = serve();
  RawClient client(server->port());
  client.say(request("GET /page?1") + request("POST /hook", "Content-Length: 1\r\n\r\nx") +
             request("GET /nowhere") + request("GET /page?2"));
  CHECK(outline(client.read_answer()) == "HTTP/1.1 200 OK|GET /page 1 ");
  CHECK(outline(client.read_answer()) == "HTTP/1.1 200 OK|POST /hook  x");
  CHECK(outline(client.read_answer()) == "HTTP/1.1 404 Not Found|no such page\n");
  CHECK(outline(client.read_answer()) == "HTTP/1.1 200 OK|GET /page 2 ");
  client.say(request("GET /page?3"));
  CHECK(outline(client.read_answer()) == "HTTP/1.1 200 OK|GET /page 3 ");
}

TEST_CASE("what is no HTTP request, or too large, is refused and closed") {
  ServerOptions options;
  options.max_body_bytes = 10;
  const auto server = serve(options);
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";

  struct Row {
    const char* name;
    std::string request;
    const char* want;
  };

  for (const Row& row : {
           Row{"garbage", "\x16\x03\x01\x02 hello\r\n\r\n", "HTTP/1.1 400 "},
           Row{"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400 "},
           Row{"no version", "GET /page\r\n\r\n", "HTTP/1.1 400 "},
           Row{"a length that is no number", request("POST /hook", "Content-Length: x\r\n\r\n"),
               "HTTP/1.1 400 "},
           Row{"a negative length", request("POST /hook", "Content-Length: -1\r\n\r\n"),
               "HTTP/1.1 400 "},
           Row{"two lengths",
               request("POST /hook", "Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx"),
               "HTTP/1.1 400 "},
           Row{"length and chunks",
               request("POST /hook", "Content-Length: 1\r\n" + chunked + "0\r\n\r\n"),
               "HTTP/1.1 400 "},
           Row{"chunk size -1", request("POST /hook", chunked + "-1\r\nx\r\n"), "HTTP/1.1 400 "},
           Row{"a chunk size beyond 64 bits",
               request("POST /hook", chunked + "fffffffffffffffff\r\nx\r\n"), "HTTP/1.1 400 "},
           Row{"one large header",
               request("GET /page", "X: " + std::string(20'000, 'x') + "\r\n\r\n"),
               "HTTP/1.1 431 "},
           Row{"a long target", request("GET /" + std::string(20'000, 'x')), "HTTP/1.1 431 "},
           Row{"a body announced too large", request("POST /hook", "Content-Length: 11\r\n\r\n"),
               "HTTP/1.1 413 "},
           Row{"a chunked body too large",
               request("POST /hook", chunked + "6\r\nxxxxxx\r\n6\r\nxxxxxx\r\n0\r\n\r\n"),
               "HTTP/1.1 413 "},
           Row{"a body for a page", request("GET /page", "Content-Length: 2\r\n\r\nhi"),
               "HTTP/1.1 413 "},
           Row{"a body for nobody", request("POST /nowhere", "Content-Length: 5\r\n\r\nhi"),
               "HTTP/1.1 404 "},
       }) {
    SUBCASE(row.name) {
      RawClient client(server->port());
      client.say(row.request);
      client.close_sending();
      const std::string answer = client.read_all();
      CHECK_MESSAGE(answer.starts_with(row.want), answer);
      CHECK(answer.find("\r\nConnection: close\r\n") != std::string::npos);
      CHECK(answer.find("HTTP/1.1", 1) == std::string::npos);  // nothing after the refusal
    }
  }
  CHECK(outline(ask(*server, request("GET /page"))) == "HTTP/1.1 200 OK|GET /page  ");
}

TEST_CASE("a body of the largest size is taken") {
  ServerOptions options;
  options.max_body_bytes = std::size_t{1} << 20;
  const auto server = serve(options);
  const std::string body(options.max_body_bytes, 'x');
  const std::string answer = ask(
      *server,
      request("POST /hook", "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body));
  CHECK(outline(answer) == "HTTP/1.1 200 OK|POST /hook  " + body);
}

TEST_CASE("a client that has closed its side still gets its answer") {
  const auto server = serve();
  RawClient client(server->port());
  client.say(request("GET /page"));
  client.close_sending();
  CHECK(outline(client.read_all()) == "HTTP/1.1 200 OK|GET /page  ");
}

TEST_CASE("a client that closes in the middle gets nothing") {
  const auto server = serve();
  for (const std::string& part : {std::string(), std::string("GET /pa"),
                                  request("POST /hook", "Content-Length: 9\r\n\r\nhi")}) {
    RawClient client(server->port());
    client.say(part);
    client.close_sending();
    CHECK(client.read_all().empty());
  }
}

TEST_CASE("a client that is too slow is closed") {
  ServerOptions options;
  options.header_timeout = kShort;
  options.request_timeout = 2 * kShort;
  options.idle_timeout = kShort;
  const auto server = serve(options);

  struct Row {
    const char* name;
    std::string start;
    std::string again;  // sent each time the server shows patience
  };

  for (const Row& row : {
           Row{"silent from the start", "", ""},
           Row{"silent in the head", "GET /pa", ""},
           Row{"dripping the head", "GET /page HTTP/1.1\r\n", "X: y\r\n"},
           Row{"silent in the body", request("POST /hook", "Content-Length: 999\r\n\r\n"), ""},
           Row{"dripping the body", request("POST /hook", "Content-Length: 9999\r\n\r\n"), "x"},
           Row{"idle after an answer", request("GET /page"), ""},
           Row{"not closing after a refusal", "nonsense\r\n\r\n", ""},
       }) {
    SUBCASE(row.name) {
      RawClient client(server->port());
      client.say(row.start);
      const std::chrono::milliseconds pace = row.again.empty() ? kPatience : kShort / 20;
      while (!client.closed_within(pace)) {
        REQUIRE_FALSE(row.again.empty());
        if (!client.say(row.again)) {
          break;
        }
      }
    }
  }
}

TEST_CASE("a client that does not read its answer is closed") {
  const std::string large(std::size_t{32} << 20, 'x');  // more than the kernel takes on
  ServerOptions options{.address = "127.0.0.1"};
  options.header_timeout = kShort;
  options.request_timeout = 2 * kShort;
  const auto server = HttpServer::start(options, {{"/large", Method::Get,
                                                   [&](const ServerRequest&) {
                                                     return Response{200, {}, large};
                                                   }},
                                                  {"/hook", Method::Post, [](const ServerRequest&) {
                                                     return Response{200, {}, {}};
                                                   }}});
  REQUIRE(server);
  RawClient deaf((*server)->port());
  deaf.say(request("GET /large"));
  RawClient later((*server)->port());
  later.say(request("POST /hook", "Content-Length: 1\r\n\r\n"));
  REQUIRE(later.closed_within(kPatience));  // and so has the earlier one been
  CHECK(deaf.read_all().size() < large.size());
}

TEST_CASE("beyond the most connections, the one quiet for longest makes room") {
  ServerOptions options;
  options.max_connections = 8;
  const auto server = serve(options);
  RawClient active(server->port());
  std::deque<RawClient> quiet;
  for (int i = 0; i < 100; ++i) {
    quiet.emplace_back(server->port());
    active.say(request("GET /page"));
    CHECK(outline(active.read_answer()) == "HTTP/1.1 200 OK|GET /page  ");
  }
  for (int i = 0; i < 100 - 7; ++i) {
    CHECK(quiet[static_cast<std::size_t>(i)].closed_within(kPatience));
  }
  quiet.back().say(request("GET /page"));
  CHECK(outline(quiet.back().read_answer()) == "HTTP/1.1 200 OK|GET /page  ");
}

TEST_CASE("many clients at once are all answered") {
  const auto server = serve();
  std::vector<std::string> answers(32);
  {
    std::vector<std::jthread> threads;
    for (std::string& answer : answers) {
      threads.emplace_back([&] { answer = outline(ask(*server, request("GET /page"))); });
    }
  }
  for (const std::string& answer : answers) {
    CHECK(answer == "HTTP/1.1 200 OK|GET /page  ");
  }
}

TEST_CASE("a server that goes closes its connections") {
  auto server = serve();
  RawClient idle(server->port());
  RawClient halfway(server->port());
  idle.say(request("GET /page"));
  CHECK(outline(idle.read_answer()) == "HTTP/1.1 200 OK|GET /page  ");
  halfway.say("GET /pa");
  server.reset();
  CHECK(idle.read_all().empty());
  CHECK(halfway.read_all().empty());
}

TEST_CASE("an empty address takes IPv4, whatever else it takes") {
  const auto server = HttpServer::start({}, routes());
  REQUIRE(server);
  CHECK(outline(ask(**server, request("GET /page"))) == "HTTP/1.1 200 OK|GET /page  ");
}

TEST_CASE("an address that is none, or a port that is taken, is an error with a reason") {
  CHECK(HttpServer::start({.address = "localhost"}, {}).error() ==
        Error{ErrorCode::Invalid, "\"localhost\" is no IP address to listen on"});
  const auto server = serve();
  const auto second = HttpServer::start({.address = "127.0.0.1", .port = server->port()}, {});
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::Unavailable);
  CHECK(second.error().message.ends_with(": Address already in use"));
}

// A streaming route /news beside the others; its handler answers with the query.
std::unique_ptr<HttpServer> serve_news(ServerOptions options = {}) {
  options.address = "127.0.0.1";
  std::vector<Route> all = routes();
  all.push_back({"/news", Method::Get,
                 [](const ServerRequest& request) {
                   const bool known = request.query != "unknown";
                   return Response{known ? 200 : 401,
                                   {{"Content-Type", "text/event-stream"}},
                                   "first;" + request.query};
                 },
                 /*streams=*/true});
  auto server = HttpServer::start(std::move(options), std::move(all));
  REQUIRE(server);
  return *std::move(server);
}

TEST_CASE("a stream begins with the handler's answer and goes on with what is published") {
  const auto server = serve_news();
  RawClient client(server->port());
  client.say(request("GET /news?q"));
  std::string said = client.read_until("first;q");
  CHECK(said.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(said.find("\r\nConnection: close\r\n") != std::string::npos);
  CHECK(said.find("Content-Length") == std::string::npos);
  CHECK(server->streams() == 1);
  server->publish("/page", "not for readers of the news");
  server->publish("/news", "second;");
  server->publish("/news", "third;");
  CHECK(client.read_until("third;") == "second;third;");
}

TEST_CASE("what a streaming route refuses is an answer like any other") {
  const auto server = serve_news();
  RawClient client(server->port());
  client.say(request("GET /news?unknown") + request("GET /page"));
  CHECK(outline(client.read_answer()) == "HTTP/1.1 401 Unauthorized|first;unknown");
  CHECK(outline(client.read_answer()) == "HTTP/1.1 200 OK|GET /page  ");
  CHECK(server->streams() == 0);
}

TEST_CASE("HEAD of a streaming route ends, and holds no place") {
  const auto server = serve_news();
  RawClient client(server->port());
  client.say(request("HEAD /news", "Connection: close\r\n\r\n"));
  CHECK(client.read_all().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(server->streams() == 0);
}

TEST_CASE("streams have a limit of their own, and a reader that leaves makes room") {
  ServerOptions options;
  options.max_streams = 1;
  const auto server = serve_news(options);
  {
    RawClient first(server->port());
    first.say(request("GET /news"));
    (void)first.read_until("first;");
    CHECK(outline(ask(*server, request("GET /news"))) ==
          "HTTP/1.1 503 Service Unavailable|too many readers\n");
    CHECK(outline(ask(*server, request("GET /page"))) == "HTTP/1.1 200 OK|GET /page  ");
  }
  std::string answer;
  do {  // until the server has seen that the first one is gone
    RawClient next(server->port());
    next.say(request("GET /news"));
    answer = next.read_until("\r\n\r\n");
  } while (answer.starts_with("HTTP/1.1 503"));
  CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a reader that lags too far behind is closed, the others read on") {
  ServerOptions options;
  options.max_stream_backlog = std::size_t{64} << 10;
  const auto server = serve_news(options);
  RawClient slow(server->port());
  slow.say(request("GET /news"));
  (void)slow.read_until("first;");
  const std::string block(std::size_t{32} << 10, 'x');
  std::size_t published = 0;
  while (server->streams() > 0) {  // the sockets of both sides take a few megabytes at most
    server->publish("/news", block);
    REQUIRE(++published < 1'000'000);
  }
  RawClient other(server->port());
  other.say(request("GET /news"));
  (void)other.read_until("first;");
  server->publish("/news", "still here;");
  CHECK(other.read_until("still here;") == "still here;");
}

}  // namespace
}  // namespace scaledcache::http
