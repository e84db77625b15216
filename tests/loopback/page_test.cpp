// The status page of the real binary.
#include <string>

#include <doctest/doctest.h>

#include "http/raw_client.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr const char* kToken = "page-token-0123456789";

std::uint16_t page_port(World& world) {
  world.eventually("the page is served",
                   [&] { return !world.process().logged("the status page is served").empty(); });
  return world.process().logged("the status page is served").front()["port"].get<std::uint16_t>();
}

std::string ask(std::uint16_t port, const std::string& path, const std::string& headers) {
  http::RawClient client(port);
  client.say("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n");
  return client.read_answer();
}

const std::string kCachePath = "/api/cache?namespace=shop&name=web";

TEST_CASE("the page shows what the operator decides, and a ScaledCache that goes") {
  World world;
  world.deploy("web", 2, 300);
  world.create_cache("web");
  world.start({"--page-address=127.0.0.1:0"});
  const std::uint16_t port = page_port(world);
  http::RawClient reader(port);
  reader.say("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(reader.read_until("\"replicas\":2").find("event: all") != std::string::npos);
  world.fleet("web").set_load(1'500);
  world.wait_for_replicas("web", 8);
  (void)reader.read_until("\"replicas\":8");
  const std::string answer = ask(port, kCachePath, "Host: localhost\r\n");
  const Json detail = Json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  CHECK(detail["key"] == "shop/web");
  CHECK(detail["signals"][0]["health"] == "Fresh");
  bool grew = false;
  for (const Json& decision : detail["decisions"]) {
    grew = grew || (decision["from"] == 2 && decision["to"] == 8 && decision["reason"] == "Grow");
  }
  CHECK(grew);
  world.api.objects().remove("scaledcaches", key("web"));
  CHECK(reader.read_until("\"gone\":[\"shop/web\"]").find("event: some") != std::string::npos);
}

TEST_CASE("with a token file the page is closed to everybody else") {
  World world;
  const std::string file = world.folder.write("token", std::string(kToken) + "\n");
  world.deploy("web", 2, 300);
  world.create_cache("web");
  world.start({"--page-address=127.0.0.1:0", "--page-token-file=" + file});
  const std::uint16_t port = page_port(world);
  CHECK(ask(port, kCachePath, "Host: localhost\r\n").starts_with("HTTP/1.1 401 "));
  const std::string bearer = "Authorization: Bearer " + std::string(kToken) + "\r\n";
  world.eventually("its bearer sees it",
                   [&] { return ask(port, kCachePath, bearer).starts_with("HTTP/1.1 200 "); });
  for (const std::string& line : world.process().output()) {
    CHECK(line.find(kToken) == std::string::npos);
  }
}

TEST_CASE("a page that everybody could read, or a token that is none, stops the start") {
  World world;
  SUBCASE("no token") {
    world.start({"--page-address=0.0.0.0:0"});
  }
  SUBCASE("a token that is easy to guess") {
    world.start({"--page-address=127.0.0.1:0",
                 "--page-token-file=" + world.folder.write("token", "secret\n")});
  }
  SUBCASE("a file that is not there") {
    world.start({"--page-address=127.0.0.1:0", "--page-token-file=/nonexistent/token"});
  }
  world.eventually("it ends", [&] { return world.process().exit_code().has_value(); });
  CHECK(world.process().exit_code() == 2);
  CHECK(world.process().errors().find("--page-") != std::string::npos);
  CHECK(world.process().errors().find("secret") == std::string::npos);
}

}  // namespace
}  // namespace scaledcache::loopback
