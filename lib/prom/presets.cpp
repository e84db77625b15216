#include "prom/presets.h"

#include <algorithm>

namespace scaledcache::prom {
namespace {

using Kind = SaturationTerm::Kind;

// prometheus-cpp style exporters of each project, under the names they use today.
const std::vector<Preset>& table() {
  static const std::vector<Preset> rows{
      {.name = "Varnish",
       .metric = "varnish_main_client_req",
       .saturation = {{.metric = "varnish_main_sessions",
                       .matchers = {{"type", "=~", "dropped|fail"}}},
                      {.metric = "varnish_main_req_dropped"}}},
      {.name = "Nginx",
       .metric = "nginx_http_requests_total",
       .saturation = {{.metric = "nginx_connections_accepted"},
                      {.metric = "nginx_connections_handled", .subtracted = true}}},
      {.name = "NginxPlus",
       .metric = "nginxplus_http_requests_total",
       .saturation = {{.metric = "nginxplus_connections_dropped"}}},
      {.name = "NginxVTS",
       .metric = "nginx_vts_server_requests_total",
       .matchers = {{"host", "=", "*"}}},
      {.name = "Envoy",
       .metric = "envoy_http_downstream_rq_total",
       .matchers = {{"envoy_http_conn_manager_prefix", "!=", "admin"}},
       .saturation = {{.metric = "envoy_listener_downstream_cx_overflow"},
                      {.metric = "envoy_cluster_upstream_rq_pending_overflow"},
                      {.metric = "envoy_http_downstream_rq_overload_close"}}},
      {.name = "HAProxy",
       .metric = "haproxy_frontend_http_requests_total",
       .saturation = {{.metric = "haproxy_backend_current_queue", .kind = Kind::Gauge}}},
      {.name = "Traefik", .metric = "traefik_entrypoint_requests_total"},
      {.name = "Squid", .metric = "squid_client_http_requests_total"},
      {.name = "TrafficServer", .metric = "proxy_process_http_incoming_requests"},
      {.name = "Redis",
       .metric = "redis_commands_processed_total",
       .saturation = {{.metric = "redis_rejected_connections_total"}}},
      {.name = "Memcached",
       .metric = "memcached_commands_total",
       .matchers = {{"command", "=", "get"}},
       .saturation = {{.metric = "memcached_connections_listener_disabled_total"}}},
  };
  return rows;
}

Result<std::string> encode_term(const SaturationTerm& term,
                                const Matchers& scope,
                                Milliseconds window) {
  const Matchers matchers = merge_matchers(term.matchers, {}, scope);
  if (term.kind == Kind::Counter) {
    return rate_query(term.metric, matchers, window);
  }
  return instant_selector(term.metric, matchers).transform([](const std::string& selector) {
    return "sum(" + selector + ")";
  });
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
  std::string query;
  for (const SaturationTerm& term : preset.saturation) {
    auto text = encode_term(term, scope, window);
    if (!text) {
      return text.error();
    }
    if (!query.empty()) {
      query += term.subtracted ? " - " : " + ";
    }
    query += *text;
  }
  return query.empty() ? std::optional<std::string>() : std::optional(std::move(query));
}

}  // namespace scaledcache::prom
