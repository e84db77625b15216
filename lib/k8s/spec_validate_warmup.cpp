// The sense of how pods join and leave.
#include <algorithm>

#include "k8s/object_reader.h"
#include "k8s/spec_checks.h"
#include "k8s/syntax.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr std::size_t kMaxPath = 2048;  // bytes
constexpr std::size_t kMaxHost = 260;   // bytes

// What a request line may hold: printable ASCII without spaces, and no fragment.
bool is_path(std::string_view text) {
  return text.starts_with('/') && text.size() <= kMaxPath &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '#'; });
}

// "www.example.com", "example.com:8080", "[fd00::1]:80".
bool is_host_header(std::string_view text) {
  constexpr std::string_view kMarks = "-._:[]";
  return !text.empty() && text.size() <= kMaxHost &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return kMarks.find(c) != std::string_view::npos ||
                  is_identifier(std::string("_") + c, false);
         });
}

// Warm-up requests are those of nobody in particular; which encodings are asked for is theirs.
bool is_forbidden(std::string_view name) {
  return is_transport_header(name) || name == "authorization" || name == "cookie" ||
         name == "proxy-authorization";
}

void check_sources(const WarmupSpec& warmup, Checks& checks) {
  for (std::size_t i = 0; i < warmup.paths.size(); ++i) {
    checks.expect(is_path(warmup.paths[i]), "paths[" + std::to_string(i) + "]",
                  "is " + shown(warmup.paths[i]) +
                      ", must start with / and hold no spaces, no # and only ASCII");
  }
  if (warmup.paths_from) {
    check_key_ref(*warmup.paths_from, Checks(checks.path() + ".pathsFrom", checks.problems()));
  }
  checks.expect(warmup.sitemap.empty() || is_path(warmup.sitemap), "sitemap",
                "is " + shown(warmup.sitemap) + ", must be a path, such as /sitemap.xml");
  for (std::size_t i = 0; i < warmup.variants.size(); ++i) {
    check_headers("variants[" + std::to_string(i) + "]", warmup.variants[i], is_forbidden, checks);
  }
}

// What a gate cannot do without.
void check_gate(const WarmupSpec& warmup, Checks& checks) {
  checks.in_range("port", warmup.port, 1, 65'535);
  checks.expect(!warmup.host_header.empty(), "hostHeader", "is required with mode Gate");
  const bool has_source = !warmup.paths.empty() || warmup.paths_from || !warmup.sitemap.empty();
  checks.expect(has_source, "paths", "is required with mode Gate, or pathsFrom, or sitemap");
}

void check_quantity(const std::string& field, const std::optional<double>& value, Checks& checks) {
  checks.expect(!value || *value > 0, field, "is 0, must be a quantity above 0");
}

}  // namespace

void check_warmup(const WarmupSpec& warmup, Checks checks) {
  if (warmup.mode == WarmupMode::Gate) {
    check_gate(warmup, checks);
  } else {
    checks.in_range("port", warmup.port, 0, 65'535);
  }
  checks.expect(warmup.host_header.empty() || is_host_header(warmup.host_header), "hostHeader",
                "is " + shown(warmup.host_header) + ", must be the name of a site");
  check_sources(warmup, checks);
  checks.in_range("minHitPercent", warmup.min_hit_percent, 0, 100);
  checks.expect(
      warmup.hit_header.empty() || (is_token(warmup.hit_header) && warmup.hit_header.size() <= 64),
      "hitHeader",
      "is " + shown(warmup.hit_header) + ", must be a header name of at most 64 characters");
  checks.in_range("concurrency", warmup.concurrency, 1, 64);
  checks.in_range("maxWarmingPods", warmup.max_warming_pods, 1, kMaxReplicas);
  checks.in_range("timeout", warmup.timeout, seconds{1}, hours{1});
}

void check_drain(const DrainSpec& drain, Checks checks) {
  checks.in_range("period", drain.period, seconds{0}, hours{1});
  if (drain.max_concurrent) {
    checks.in_range("maxConcurrent", *drain.max_concurrent, 1, kMaxReplicas);
  }
}

void check_guards(const GuardsSpec& guards, Checks checks) {
  if (guards.min_hit_percent) {
    checks.in_range("minHitPercent", *guards.min_hit_percent, 1, 100);
  }
  check_quantity("maxFleetOriginRequestsPerSecond", guards.max_fleet_origin_requests_per_second,
                 checks);
  check_quantity("maxEgressBitsPerSecond", guards.max_egress_bits_per_second, checks);
}

}  // namespace scaledcache::k8s
