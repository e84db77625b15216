#include "prom/presets.h"

#include <algorithm>

namespace scaledcache::prom {
namespace {

using Kind = SaturationTerm::Kind;

// Series of each project's exporter, under the names they use today. Some write a total beside its
// parts, or count their own pages of statistics: the matchers leave those out.
const std::vector<Preset>& table() {
  static const std::vector<Preset> rows{
      {.name = "Varnish",
       .metric = "varnish_main_client_req",
       .hits = {{"varnish_main_cache_hit"}},
       .lookups = {{"varnish_main_cache_hit"}, {"varnish_main_cache_miss"}},
       .origin = {{"varnish_main_backend_req"}},
       .saturation = {{.metric = "varnish_main_sessions",
                       .matchers = {{"type", "=~", "dropped|fail"}}},
                      {.metric = "varnish_main_req_dropped"}},
       .uptime = "varnish_main_uptime"},
      {.name = "Nginx",
       .metric = "nginx_http_requests_total",
       .saturation = {{.metric = "nginx_connections_accepted"},
                      {.metric = "nginx_connections_handled", .subtracted = true}}},
      {.name = "NginxPlus",
       .metric = "nginxplus_http_requests_total",
       .hits = {{"nginxplus_cache_hit_responses"},
                {"nginxplus_cache_stale_responses"},
                {"nginxplus_cache_updating_responses"},
                {"nginxplus_cache_revalidated_responses"}},
       .lookups = {{"nginxplus_cache_hit_responses"},
                   {"nginxplus_cache_stale_responses"},
                   {"nginxplus_cache_updating_responses"},
                   {"nginxplus_cache_revalidated_responses"},
                   {"nginxplus_cache_expired_responses"},
                   {"nginxplus_cache_miss_responses"}},
       .saturation = {{.metric = "nginxplus_connections_dropped"}}},
      {.name = "NginxVTS",
       .metric = "nginx_vts_server_requests_total",
       .matchers = {{"host", "=", "*"}, {"code", "!=", "total"}},
       .hits = {{"nginx_vts_cache_requests_total",
                 {{"status", "=~", "hit|stale|updating|revalidated"}}}},
       .lookups = {{"nginx_vts_cache_requests_total", {{"status", "!=", "bypass"}}}}},
      {.name = "Envoy",
       .metric = "envoy_http_downstream_rq_total",
       .matchers = {{"envoy_http_conn_manager_prefix", "!=", "admin"}},
       .hits = {{"envoy_cache_event", {{"event_type", "=", "hit"}}}},
       .lookups = {{"envoy_cache_event", {{"event_type", "=~", "hit|miss|validate"}}}},
       .saturation = {{.metric = "envoy_listener_downstream_cx_overflow"},
                      {.metric = "envoy_cluster_upstream_rq_pending_overflow"},
                      {.metric = "envoy_http_downstream_rq_overload_close"}},
       .uptime = "envoy_server_uptime"},
      {.name = "HAProxy",
       .metric = "haproxy_frontend_http_requests_total",
       .matchers = {{"proxy", "!~", "stats|healthz|prometheus"}},
       .hits = {{"haproxy_frontend_http_cache_hits_total"}},
       .lookups = {{"haproxy_frontend_http_cache_lookups_total"}},
       .saturation = {{.metric = "haproxy_backend_current_queue", .kind = Kind::Gauge}},
       .uptime = "haproxy_process_uptime_seconds"},
      {.name = "Traefik",
       .metric = "traefik_entrypoint_requests_total",
       .matchers = {{"entrypoint", "!~", "traefik|metrics"}}},
      {.name = "Squid",
       .metric = "squid_client_http_requests_total",
       .hits = {{"squid_client_http_hits_total"}},
       .lookups = {{"squid_client_http_requests_total"}},
       .origin = {{"squid_server_http_requests_total"}}},
      {.name = "TrafficServer",
       .metric = "proxy_process_http_incoming_requests",
       .hits = {{"proxy_process_http_cache_hit_fresh"},
                {"proxy_process_http_cache_hit_revalidated"},
                {"proxy_process_http_cache_hit_stale_served"}},
       .lookups = {{"proxy_process_http_cache_lookups"}},
       .origin = {{"proxy_process_http_outgoing_requests"}}},
      {.name = "Redis",
       .metric = "redis_commands_processed_total",
       .counts_http = false,
       .hits = {{"redis_keyspace_hits_total"}},
       .lookups = {{"redis_keyspace_hits_total"}, {"redis_keyspace_misses_total"}},
       .saturation = {{.metric = "redis_rejected_connections_total"}},
       .uptime = "redis_uptime_in_seconds"},
      {.name = "Memcached",
       .metric = "memcached_commands_total",
       .matchers = {{"command", "=", "get"}},
       .counts_http = false,
       .hits = {{"memcached_commands_total", {{"command", "=", "get"}, {"status", "=", "hit"}}}},
       .lookups = {{"memcached_commands_total", {{"command", "=", "get"}}}},
       .saturation = {{.metric = "memcached_connections_listener_disabled_total"}},
       .uptime = "memcached_uptime_seconds"},
  };
  return rows;
}

// What a sum is taken of: a gauge itself, or how fast a counter rises.
Result<std::string> encode_term(const SaturationTerm& term,
                                const Matchers& scope,
                                Milliseconds window) {
  const Matchers matchers = merge_matchers(term.matchers, {}, scope);
  if (term.kind == Kind::Gauge) {
    return instant_selector(term.metric, matchers);
  }
  return range_selector(term.metric, matchers, window).transform([](const std::string& selector) {
    return "rate(" + selector + ")";
  });
}

// What is added in one sum, so that a series which an older exporter lacks counts nothing; what is
// subtracted behind it. Nothing where there are no terms.
Result<std::optional<std::string>> encode_terms(const std::vector<SaturationTerm>& terms,
                                                const Matchers& scope,
                                                Milliseconds window) {
  std::string added;
  std::string subtracted;
  for (const SaturationTerm& term : terms) {
    const auto text = encode_term(term, scope, window);
    if (!text) {
      return text.error();
    }
    if (term.subtracted) {
      subtracted += " - sum(" + *text + ")";
    } else {
      added += (added.empty() ? "" : " or ") + *text;
    }
  }
  return added.empty() ? std::optional<std::string>()
                       : std::optional("sum(" + added + ")" + subtracted);
}

// Counters whose series differ in nothing but their names, added one by one.
Result<std::optional<std::string>> add_rates(const std::vector<SaturationTerm>& terms,
                                             const Matchers& scope,
                                             Milliseconds window) {
  std::string sum;
  for (const SaturationTerm& term : terms) {
    const auto text = rate_query(term.metric, merge_matchers(term.matchers, {}, scope), window);
    if (!text) {
      return text.error();
    }
    sum += (sum.empty() ? "" : " + ") + *text;
  }
  return sum.empty() ? std::optional<std::string>() : std::optional(std::move(sum));
}

}  // namespace

std::span<const Preset> presets() {
  return table();
}

const Preset* find_preset(std::string_view name) {
  const std::vector<Preset>& rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Preset& preset) { return preset.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

Result<std::optional<std::string>> saturation_query(const Preset& preset,
                                                    const Matchers& scope,
                                                    Milliseconds window) {
  return encode_terms(preset.saturation, scope, window);
}

Result<std::optional<std::string>> hit_ratio_query(const Preset& preset,
                                                   const Matchers& scope,
                                                   Milliseconds window) {
  const auto hits = add_rates(preset.hits, scope, window);
  const auto lookups = add_rates(preset.lookups, scope, window);
  if (!hits || !lookups) {
    return hits ? lookups.error() : hits.error();
  }
  if (!*hits || !*lookups) {
    return std::optional<std::string>();
  }
  return std::optional("(" + **hits + ") / (" + **lookups + ")");
}

Result<std::optional<std::string>> origin_query(const Preset& preset,
                                                const Matchers& scope,
                                                Milliseconds window) {
  return add_rates(preset.origin, scope, window);
}

Result<std::string> egress_query(const Matchers& scope, Milliseconds window) {
  return rate_query("container_network_transmit_bytes_total", scope, window)
      .transform([](const std::string& bytes) { return bytes + " * 8"; });
}

}  // namespace scaledcache::prom
