#include "prom/presets.h"

#include <set>

#include <doctest/doctest.h>

namespace scaledcache::prom {
namespace {

using std::chrono::seconds;

const Matchers kScope{{"namespace", "=", "blog"}};

std::string saturation_of(std::string_view name) {
  const auto query = saturation_query(*find_preset(name), kScope, seconds(30));
  return query.value().value_or("(none)");
}

TEST_CASE("every cache that the resource names has one row that makes a valid selector") {
  std::set<std::string> names;
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    CHECK(names.insert(preset.name).second);
    CHECK(instant_selector(preset.metric, preset.matchers).has_value());
    CHECK(saturation_query(preset, kScope, seconds(30)).has_value());
  }
  CHECK(names == std::set<std::string>{"Varnish", "Nginx", "NginxPlus", "NginxVTS", "Envoy",
                                       "HAProxy", "Traefik", "Squid", "TrafficServer", "Redis",
                                       "Memcached"});
}

TEST_CASE("a name that no preset has is not found") {
  CHECK(find_preset("varnish") == nullptr);
  CHECK(find_preset("") == nullptr);
}

TEST_CASE("matchers keep totals and parts apart") {
  CHECK(find_preset("Varnish")->matchers.empty());
  CHECK(find_preset("NginxVTS")->matchers == Matchers{{"host", "=", "*"}, {"code", "!=", "total"}});
  CHECK(find_preset("Envoy")->matchers ==
        Matchers{{"envoy_http_conn_manager_prefix", "!=", "admin"}});
  CHECK(find_preset("Memcached")->matchers == Matchers{{"command", "=", "get"}});
}

TEST_CASE("saturation is the rate of refusals inside the scope, or the length of a queue") {
  CHECK(saturation_of("Varnish") ==
        R"(sum(rate(varnish_main_sessions{type=~"dropped|fail",namespace="blog"}[30s]) or )"
        R"(rate(varnish_main_req_dropped{namespace="blog"}[30s])))");
  CHECK(saturation_of("Nginx") ==
        R"(sum(rate(nginx_connections_accepted{namespace="blog"}[30s])) - )"
        R"(sum(rate(nginx_connections_handled{namespace="blog"}[30s])))");
  CHECK(saturation_of("HAProxy") == R"(sum(haproxy_backend_current_queue{namespace="blog"}))");
  CHECK(saturation_of("Traefik") == "(none)");
}

TEST_CASE("hits of lookups, requests to the origin and bytes sent, inside the scope") {
  const Preset& varnish = *find_preset("Varnish");
  CHECK(hit_ratio_query(varnish, kScope, seconds(30)).value() ==
        R"((sum(rate(varnish_main_cache_hit{namespace="blog"}[30s]))) / )"
        R"((sum(rate(varnish_main_cache_hit{namespace="blog"}[30s])) + )"
        R"(sum(rate(varnish_main_cache_miss{namespace="blog"}[30s]))))");
  CHECK(origin_query(varnish, kScope, seconds(30)).value() ==
        R"(sum(rate(varnish_main_backend_req{namespace="blog"}[30s])))");
  CHECK(hit_ratio_query(*find_preset("Traefik"), kScope, seconds(30)).value() == std::nullopt);
  CHECK(egress_query(kScope, seconds(30)).value() ==
        R"(sum(rate(container_network_transmit_bytes_total{namespace="blog"}[30s])) * 8)");
}

TEST_CASE("a broken matcher of the scope is an error, not a wider query") {
  const auto query = saturation_query(*find_preset("Varnish"), {{"a b", "=", ""}}, seconds(30));
  REQUIRE_FALSE(query.has_value());
  CHECK(query.error().code == ErrorCode::Invalid);
}

}  // namespace
}  // namespace scaledcache::prom
