// Whoever reaches the ports of the real binary may say anything to them: the operator goes on.
#include <list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "http/raw_client.h"
#include "http/tls_client.h"
#include "k8s/base64.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr std::size_t kMostMemory = std::size_t{128} << 20;

std::uint16_t port_logged(const World& world, const char* message) {
  return static_cast<std::uint16_t>(world.process().logged(message).front()["port"].get<int>());
}

std::uint16_t own_port(const World& world) {
  const std::string address = world.process().address();
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

// An operator that listens wherever it can.
void run(World& world) {
  world.deploy_webhook_configuration();
  world.deploy("web", 2, 300);
  world.create_cache("web");
  world.start({"--webhook-address=127.0.0.1:0", "--page-address=127.0.0.1:0"});
  world.wait_until_ready("web");
  world.eventually("it shows a certificate", [&] {
    return !world.process().logged("webhook: shows a new certificate").empty();
  });
}

std::string bundle(const World& world) {
  const auto stored =
      world.api.objects().find("mutatingwebhookconfigurations", "/scaledcache-webhook");
  return k8s::decode_base64((*stored)["webhooks"][0]["clientConfig"].value("caBundle", ""))
      .value_or("");
}

void check_unharmed(World& world) {
  CHECK(world.process().alive());
  CHECK(world.process().status_of("/healthz") == 200);
  CHECK(world.process().status_of("/readyz") == 200);
  CHECK(world.process().resident_bytes() < kMostMemory);
  world.fleet("web").set_load(900);
  world.wait_for_replicas("web", 5);
}

std::vector<std::string> hostile_bytes() {
  const std::string get = "GET /metrics HTTP/1.1\r\nHost: a\r\n";
  std::string many = get;
  for (int i = 0; i < 10'000; ++i) {
    many += "X-" + std::to_string(i) + ": a\r\n";
  }
  return {
      std::string("\xff\xfe\0garbage\r\n\r\n", 14),
      std::string("\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 11),  // a TLS handshake, cut
      "GET /" + std::string(std::size_t{1} << 20, 'a'),
      many + "\r\n",
      get + "Content-Length: -1\r\n\r\n",
      get + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /metrics HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /inject HTTP/1.1\r\nContent-Length: 10485760\r\n\r\n" +
          std::string(std::size_t{10} << 20, '{'),
      get + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
  };
}

}  // namespace

TEST_CASE(
    "strangers that speak no HTTP, too much of it or too slowly keep nobody from their work") {
  World world;
  run(world);
  const std::vector<std::uint16_t> ports{own_port(world), port_logged(world, "the webhook listens"),
                                         port_logged(world, "the status page is served")};
  // More than it serves at once; none of them ever ends its request.
  std::list<http::RawClient> slow;
  for (const std::uint16_t port : ports) {
    for (int i = 0; i < 100; ++i) {
      slow.emplace_back(port).say("GET /metrics HTTP/1.1\r\nX-Slow: ");
    }
    for (const std::string& bytes : hostile_bytes()) {
      http::RawClient client(port);
      client.say(bytes);
      client.close_sending();
      CHECK(client.read_all().find("HTTP/1.1 200") == std::string::npos);
    }
  }
  check_unharmed(world);
}

TEST_CASE("a review of 10 MB is refused before it is read, and the next one is answered") {
  World world;
  run(world);
  const std::uint16_t port = port_logged(world, "the webhook listens");
  const auto ask = [&](const std::string& body, std::size_t announced) {
    http::TlsClient client(port,
                           {.trust_pem = bundle(world), .name = "scaledcache-webhook.default.svc"});
    REQUIRE(client.connected());
    client.say(
        "POST /inject HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(announced) + "\r\n\r\n" + body);
    return client.read_answer();
  };
  CHECK(ask("{", std::size_t{10} << 20).starts_with("HTTP/1.1 413 "));
  const std::string deep(100'000, '[');
  CHECK(ask(deep, deep.size()).find("\"allowed\":false") != std::string::npos);
  check_unharmed(world);
}

}  // namespace scaledcache::loopback
