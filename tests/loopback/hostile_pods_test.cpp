// What pods may answer to their warm-up: nothing of it hurts the operator, opens a gate as proven
// without a proof, or keeps one shut beyond its time. Fault F10.
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cache/gzip.h"

#include "loopback/world.h"

namespace scaledcache::loopback {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;
constexpr std::size_t kMostMemory = 192 * kMegabyte;  // S8: sitemaps are read one at a time

using Handler = std::function<void(HttpExchange& exchange)>;

struct Row {
  std::string name;
  Json warmup;  // beside port, host and timeout
  Handler answer;
  const char* gate;  // what becomes of the gate
};

const Json kOnePage{{"paths", {"/"}}};
const Json kSitemap{{"sitemap", "/sitemap.xml"}};

// As a cache answers that has the page.
void hit(HttpExchange& exchange, std::string_view body, const char* type = "text/html") {
  exchange.answer(200, body, {{"Content-Type", type}, {"X-Varnish", "9 7"}, {"Age", "3"}});
}

// The sitemap; everything else is a page that comes from the cache.
Handler site(const std::string& sitemap) {
  return [sitemap](HttpExchange& exchange) {
    hit(exchange, exchange.request().path == "/sitemap.xml" ? sitemap : "page", "text/xml");
  };
}

Handler raw(const std::string& bytes) {
  return [bytes](HttpExchange& exchange) {
    exchange.write(bytes);
    exchange.close();
  };
}

// `head`, then `piece` again and again until the client goes away; one a moment when `slow`.
Handler endless(const std::string& head, const std::string& piece, bool slow) {
  return [=](HttpExchange& exchange) {
    exchange.write(head);
    while (exchange.write(piece) &&
           !exchange.client_gone(std::chrono::milliseconds{slow ? 100 : 0})) {
    }
    exchange.close();
  };
}

Handler redirect(const std::string& to) {
  return [to](HttpExchange& exchange) { exchange.answer(302, "", {{"Location", to}}); };
}

std::string repeated(const std::string& piece, std::size_t size) {
  std::string text;
  text.reserve(size + piece.size());
  while (text.size() < size) {
    text += piece;
  }
  return text;
}

void many_headers(HttpExchange& exchange) {
  HeaderList headers{{"X-Varnish", "9 7"}};
  for (int i = 0; i < 10'000; ++i) {
    headers.emplace_back("X-" + std::to_string(i), "a");
  }
  exchange.answer(200, "page", headers);
}

constexpr const char* kHead = "HTTP/1.1 200 OK\r\nX-Varnish: 9 7\r\n";
constexpr const char* kNotInTime = "True WarmupTimeout";
constexpr const char* kByRule = "True CacheWarm";

// `trap` is where no request may arrive.
std::vector<Row> rows(const std::string& trap) {
  const std::string chunked = std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\n";
  const std::string entities =
      "<!DOCTYPE urlset [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">"
      "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d SYSTEM \"file:///etc/passwd\">]>"
      "<urlset><url><loc>/&c;</loc></url><url><loc>/&d;</loc></url></urlset>";
  const std::string urls =
      "<urlset>" + repeated("<url><loc>/page-00001</loc></url>", 31 * kMegabyte);  // a million
  return {
      {"server-error", kOnePage, [](HttpExchange& e) { e.answer(500, "no"); }, kNotInTime},
      {"redirect-elsewhere", kOnePage, redirect(trap + "/elsewhere"), "True UncacheableList"},
      {"redirect-loop", kOnePage, redirect("/"), "True UncacheableList"},
      {"redirect-metadata", kOnePage, redirect(kMetadataUrl), "True UncacheableList"},
      {"endless-body", kOnePage,
       endless(chunked, "10000\r\n" + std::string(0x10000, 'x') + "\r\n", false), kNotInTime},
      {"body-drip", kOnePage, endless(chunked, "1\r\nx\r\n", true), kNotInTime},
      {"header-drip", kOnePage, endless(std::string(kHead) + "X-Slow: ", "x", true), kNotInTime},
      {"huge-header", kOnePage, endless(std::string(kHead) + "X-Huge: ", "xxxxxxxx", false),
       kNotInTime},
      {"many-headers", kOnePage, many_headers, kNotInTime},
      {"bad-chunk-size", kOnePage, raw(chunked + "-1\r\npage\r\n0\r\n\r\n"), kNotInTime},
      {"cut-short", kOnePage, raw(std::string(kHead) + "Content-Length: 99\r\n\r\npa"), kNotInTime},
      {"garbage", kOnePage, raw(std::string("\xff\xfe\0\r\n\r\n", 7)), kNotInTime},
      {"close-at-once", kOnePage, raw(""), kNotInTime},
      {"sitemap-of-millions", kSitemap, site(urls), kNotInTime},
      {"packed-sitemap", kSitemap, site(support::gzip(urls)), kNotInTime},
      {"sitemap-of-entities", kSitemap, site(entities), kByRule},
      {"sitemap-of-html", kSitemap, site("<html><body>404</body></html>"), kNotInTime},
  };
}

// All pods of all rows, told apart by the host that they are asked for.
HttpPeer::Handler by_host(const std::vector<Row>& rows, Pulse& pulse) {
  return [&rows, &pulse](HttpExchange& exchange) {
    const std::string host = exchange.request().header("host");
    for (const Row& row : rows) {
      if (host == row.name + ".example") {
        row.answer(exchange);
      }
    }
    pulse.beat();
  };
}

// One pod serves already, and the minimum asks for another, which is cold.
void deploy(World& world, const Row& row, int port) {
  world.fleet(row.name).set_load(100);
  world.api.apply("deployments", with_gate(workload_manifest(kNamespace, row.name, 1), port));
  // Warm-ups wait for each other: what is to be proven gets the time for it.
  const bool hopeless = row.gate == std::string(kNotInTime);
  Json warmup{{"mode", "Gate"},
              {"port", port},
              {"hostHeader", row.name + ".example"},
              {"timeout", hopeless ? "3s" : "10m"}};
  warmup.merge_patch(row.warmup);
  world.create_cache(row.name, {{"warmup", warmup}});
}

std::string gate_of_newest(const World& world, const Row& row) {
  const auto pods = world.pod_names(row.name);
  return pods.size() < 2 ? "" : world.gate(pods.back());
}

}  // namespace

TEST_CASE("F10: a pod that answers its warm-up with malice hurts nobody, and serves in time") {
  World world;
  const HttpPeer trap([](HttpExchange& exchange) { exchange.answer(200, "caught"); });
  const std::vector<Row> all = rows(trap.origin());
  const HttpPeer pods(by_host(all, world.pulse), std::nullopt, {.address = "0.0.0.0"});
  for (const Row& row : all) {
    deploy(world, row, pods.port());
  }
  world.run("bystander", 2, 300);
  for (const Row& row : all) {
    CAPTURE(row.name);
    world.eventually(row.name + " is let in", [&] {
      return gate_of_newest(world, row).starts_with("True") && world.ready_pods(row.name) == 2;
    });
    CHECK(gate_of_newest(world, row) == row.gate);
  }
  world.fleet("bystander").set_load(900);
  world.wait_for_replicas("bystander", 5);
  CHECK(world.process().alive());
  CHECK(world.process().status_of("/healthz") == 200);
  CHECK(world.process().resident_bytes() < kMostMemory);
  CHECK(trap.connections() == 0);
}

}  // namespace scaledcache::loopback
