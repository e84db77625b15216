#include <doctest/doctest.h>

#include "k8s/resource_samples.h"
#include "k8s/spec.h"

namespace scaledcache::k8s {
namespace {

Problems sense_of(const Json& object) {
  Problems problems;
  const Spec spec = spec_from_json(object, "spec", problems);
  REQUIRE(problems.empty());
  return validate(spec);
}

// The minimal spec with another signal in its place.
Json with_signal(const char* text) {
  return spec_with("/signals/0", Json::parse(text));
}

// The minimal spec with a gate, and `value` as one more member of its warmup.
Json with_gate(const char* member, Json value) {
  Json spec = spec_with("/warmup", Json::parse(R"({"mode": "Gate", "port": 8080,
      "hostHeader": "www.example.com", "paths": ["/"]})"));
  spec["warmup"][member] = std::move(value);
  return spec;
}

Json without_member(const char* member) {
  Json spec = with_gate("mode", "Gate");
  spec["warmup"].erase(member);
  return spec;
}

Json baseline_and_query() {
  Json spec = with_signal(R"({"query": "1", "requestsPerReplica": 1})");
  spec["baseline"] =
      Json::parse(R"({"selector": {"matchLabels": {"a": "b"}}, "requestsPerReplica": 1})");
  return spec;
}

TEST_CASE("a sound spec has no problem") {
  CHECK(sense_of(minimal_spec()).empty());
}

TEST_CASE("each rule says field, value and what is allowed") {
  struct Row {
    const char* name;
    Json spec;
    const char* sentence;
  };

  const std::string long_text(2000, 'a');
  const std::vector<Row> rows{
      {"minimum above maximum", spec_with("/minReplicas", 11),
       "spec.minReplicas is 11, must not be above spec.maxReplicas (10)"},
      {"negative minimum", spec_with("/minReplicas", -1),
       "spec.minReplicas is -1, must be from 0 to 10000"},
      {"maximum too large", spec_with("/maxReplicas", 10'001),
       "spec.maxReplicas is 10001, must be from 1 to 10000"},
      {"minimum 0 with a counter", spec_with("/minReplicas", 0),
       "spec.signals[0] must have a query, since spec.minReplicas is 0 and pods that do not run "
       "count nothing"},
      {"windows out of order", spec_with("/longWindow", "10s"),
       "spec.shortWindow is 30s, must not be above spec.longWindow (10s)"},
      {"poll interval", spec_with("/pollInterval", "500ms"),
       "spec.pollInterval is 500ms, must be from 1s to 10m"},
      {"short window", spec_with("/shortWindow", "4s"),
       "spec.shortWindow is 4s, must be from 5s to 1h"},
      {"long window", spec_with("/longWindow", "25h"),
       "spec.longWindow is 25h, must be from 5s to 24h"},
      {"cooldown", spec_with("/cooldown", "25h"), "spec.cooldown is 25h, must be from 0s to 24h"},
      {"failure grace", spec_with("/failureGrace", "25h"),
       "spec.failureGrace is 25h, must be from 0s to 24h"},
      {"sample age", spec_with("/maxSampleAge", "1s"),
       "spec.maxSampleAge is 1s, must be from 5s to 24h"},
      {"threshold 0", spec_with("/signals/0/requestsPerReplica", 0),
       "spec.signals[0].requestsPerReplica is 0, must be a quantity above 0"},
      {"utilization", spec_with("/signals/0/targetUtilizationPercent", 101),
       "spec.signals[0].targetUtilizationPercent is 101, must be from 1 to 100"},
      {"no source", spec_without("/signals/0/preset"),
       "spec.signals[0] has none of preset, counter.metric and query, must have exactly one"},
      {"two sources", spec_with("/signals/0/query", "1"),
       "spec.signals[0] has more than one of preset, counter.metric and query, must have exactly "
       "one"},
      {"query and matchers",
       with_signal(
           R"({"query": "1", "counter": {"matchers": "a=\"b\""}, "requestsPerReplica": 1})"),
       "spec.signals[0].counter must not stand beside query: write the matchers into the query"},
      {"unknown preset", spec_with("/signals/0/preset", "Vranish"),
       "spec.signals[0].preset is \"Vranish\", must be a preset, such as Varnish or Nginx"},
      {"bad metric", with_signal(R"({"counter": {"metric": "a{}"}, "requestsPerReplica": 1})"),
       "spec.signals[0].counter.metric is \"a{}\", must be the name of a metric"},
      {"empty query", with_signal(R"({"query": "", "requestsPerReplica": 1})"),
       "spec.signals[0].query is empty, must be PromQL giving one number"},
      {"query with NUL", with_signal(R"({"query": "a\u0000b", "requestsPerReplica": 1})"),
       "spec.signals[0].query must have at most 4096 bytes without control characters"},
      {"bad pod label", spec_with("/signals/0/podLabel", "a-b"),
       "spec.signals[0].podLabel is \"a-b\", must be the name of a label, or empty"},
      {"no namespace label", spec_with("/signals/0/namespaceLabel", ""),
       "spec.signals[0].namespaceLabel is \"\", must be the name of a label"},
      {"bad name", spec_with("/signals/0/name", "A b"),
       "spec.signals[0].name is \"A b\", must be 1 to 63 of a-z, 0-9 and -"},
      {"two of one name", spec_with("/signals/1", {{"preset", "Nginx"}, {"requestsPerReplica", 1}}),
       "spec.signals[1].name is \"requests\", which another signal is called already"},
      {"no signals", spec_with("/signals", Json::array()),
       "spec.signals is empty, must have 1 to 8 entries"},
      {"another scheme", spec_with("/backend/address", "ftp://p"),
       "spec.backend.address cannot be used: URL must start with http:// or https://"},
      {"a query in the address", spec_with("/backend/address", "http://p/?a=b"),
       "spec.backend.address has a query, which belongs in queryParameters"},
      {"backend timeout", spec_with("/backend/timeout", "31s"),
       "spec.backend.timeout is 31s, must be from 100ms to 30s"},
      {"bad header name", spec_with("/backend/headers", {{"X A", "b"}}),
       "spec.backend.headers[\"X A\"] is no header name of at most 64 characters"},
      {"a header of the transport", spec_with("/backend/headers", {{"hOST", "b"}}),
       "spec.backend.headers[\"hOST\"] must not be set here: it belongs to the transport or holds "
       "a secret"},
      {"a header value with a line break", spec_with("/backend/headers", {{"X-A", "b\r\nX-C: d"}}),
       "spec.backend.headers[\"X-A\"] must have a value of at most 1024 bytes without control "
       "characters"},
      {"a long header value", spec_with("/backend/headers", {{"X-A", long_text}}),
       "spec.backend.headers[\"X-A\"] must have a value of at most 1024 bytes without control "
       "characters"},
      {"a parameter of the operator", spec_with("/backend/queryParameters", {{"time", "1"}}),
       "spec.backend.queryParameters[\"time\"] must not be set here: the operator sets it itself"},
      {"bad group", spec_with("/scaleTargetRef/apiVersion", "apps/v1/x"),
       "spec.scaleTargetRef.apiVersion is \"apps/v1/x\", must be group/version, such as apps/v1"},
      {"bad kind", spec_with("/scaleTargetRef/kind", ""),
       "spec.scaleTargetRef.kind is \"\", must be a kind, such as Deployment"},
      {"a path as a name", spec_with("/scaleTargetRef/name", "../a"),
       "spec.scaleTargetRef.name is \"../a\", must be the name of an object"},
      {"growth factor", spec_with("/scaleUp/maxFactor", 0),
       "spec.scaleUp.maxFactor is 0, must be from 1 to 1000"},
      {"pods at a time", spec_with("/scaleUp/maxPods", 0),
       "spec.scaleUp.maxPods is 0, must be from 1 to 10000"},
      {"growth tolerance", spec_with("/scaleUp/tolerancePercent", 101),
       "spec.scaleUp.tolerancePercent is 101, must be from 0 to 100"},
      {"look-ahead", spec_with("/scaleUp/lookAheadPercent", -1),
       "spec.scaleUp.lookAheadPercent is -1, must be from 0 to 100"},
      {"growth cooldown", spec_with("/scaleUp/cooldown", "25h"),
       "spec.scaleUp.cooldown is 25h, must be from 0s to 24h"},
      {"shrink step", spec_with("/scaleDown/stepPercent", 0),
       "spec.scaleDown.stepPercent is 0, must be from 1 to 100"},
      {"shrink tolerance", spec_with("/scaleDown/tolerancePercent", -1),
       "spec.scaleDown.tolerancePercent is -1, must be from 0 to 100"},
      {"interval", spec_with("/scaleDown/interval", "25h"),
       "spec.scaleDown.interval is 25h, must be from 0s to 24h"},
      {"patience", spec_with("/scaleDown/patiencePercent", 101),
       "spec.scaleDown.patiencePercent is 101, must be from 0 to 100"},
      {"outage hold", spec_with("/scaleDown/outageHold", 5),
       "spec.scaleDown.outageHold is 5, must be from 1 to 4"},
      {"a backend of two places",
       spec_with("/backend", {{"address", "https://p"}, {"name", "central"}}),
       "spec.backend.name must not stand beside address: one of them says where to ask"},
      {"a bad name of a backend", spec_with("/backend/name", "A b"),
       "spec.backend.name is \"A b\", must be 1 to 63 of a-z, 0-9 and -"},
      {"a secret over http", spec_with("/backend", Json::parse(R"({"address": "http://p",
           "auth": {"bearer": {"secretRef": {"name": "a", "key": "b"}}}})")),
       "spec.backend.auth would be sent unencrypted, since the address is http: use https, or set "
       "allowInsecure"},
      {"tls over http", spec_with("/backend", Json::parse(R"({"address": "http://p", "tls": {}})")),
       "spec.backend.tls has no use, since the address is http"},
      {"a secret of a bad name",
       spec_with("/backend/auth",
                 Json::parse(R"({"bearer": {"secretRef": {"name": "../a", "key": "b"}}})")),
       "spec.backend.auth.bearer.secretRef.name is \"../a\", must be the name of an object"},
      {"a key with a slash",
       spec_with("/backend/auth",
                 Json::parse(R"({"bearer": {"secretRef": {"name": "a", "key": "b/c"}}})")),
       "spec.backend.auth.bearer.secretRef.key is \"b/c\", must be 1 to 253 of letters, digits, "
       "-, _ and ."},
      {"an account of a bad name",
       spec_with("/backend/auth",
                 Json::parse(R"({"bearer": {"serviceAccount": {"name": "A", "audience": "b"}}})")),
       "spec.backend.auth.bearer.serviceAccount.name is \"A\", must be the name of an object"},
      {"no audience",
       spec_with("/backend/auth",
                 Json::parse(R"({"bearer": {"serviceAccount": {"name": "a", "audience": ""}}})")),
       "spec.backend.auth.bearer.serviceAccount.audience must have 1 to 1024 bytes without control "
       "characters"},
      {"a user with a colon",
       spec_with("/backend/auth", Json::parse(R"({"basic": {"username": "a:b",
           "passwordSecretRef": {"name": "a", "key": "b"}}})")),
       "spec.backend.auth.basic.username must have 1 to 256 bytes without a colon or control "
       "characters"},
      {"a secret as Host", spec_with("/backend/auth", Json::parse(R"({"header": {"name": "Host",
           "secretRef": {"name": "a", "key": "b"}}})")),
       "spec.backend.auth.header.name is \"Host\", which belongs to the transport"},
      {"a server name with a port", spec_with("/backend/tls/serverName", "vm:443"),
       "spec.backend.tls.serverName is \"vm:443\", must be the name of a host"},
      {"a certificate of a bad name",
       spec_with("/backend/tls/clientCertificateSecretRef", {{"name", "A"}}),
       "spec.backend.tls.clientCertificateSecretRef.name is \"A\", must be the name of an object"},
      {"an age of a counter", spec_with("/signals/0/ageQuery", "1"),
       "spec.signals[0].ageQuery must stand beside query only: a counter's samples show their age"},
      {"a counter that includes the baseline", spec_with("/signals/0/includesBaseline", true),
       "spec.signals[0].includesBaseline must stand beside query only: counters are read from the "
       "baseline's pods as well"},
      {"a baseline and a query", baseline_and_query(),
       "spec.signals[0] must set includesBaseline, or be a counter, since spec.baseline is set"},
      {"a baseline that carries nothing",
       spec_with("/baseline", Json::parse(R"({"selector": {"matchLabels": {"a": "b"}},
           "requestsPerReplica": 0})")),
       "spec.baseline.requestsPerReplica is 0, must be a quantity above 0"},
      {"a negative minimum of a schedule",
       spec_with("/schedules", Json::parse(R"([{"start": "0 7 * * *", "end": "0 9 * * *",
           "minReplicas": -1}])")),
       "spec.schedules[0].minReplicas is -1, must be from 0 to 10000"},
      {"a gate without a port", without_member("port"),
       "spec.warmup.port is 0, must be from 1 to 65535"},
      {"a gate without a host", without_member("hostHeader"),
       "spec.warmup.hostHeader is required with mode Gate"},
      {"a gate without paths", without_member("paths"),
       "spec.warmup.paths is required with mode Gate, or pathsFrom, or sitemap"},
      {"a host with a path", with_gate("hostHeader", "a/b"),
       "spec.warmup.hostHeader is \"a/b\", must be the name of a site"},
      {"a host with a line break", with_gate("hostHeader", "a\r\nX: b"),
       "spec.warmup.hostHeader is \"a\\r\\nX: b\", must be the name of a site"},
      {"a path without a slash", with_gate("paths", {"a"}),
       "spec.warmup.paths[0] is \"a\", must start with / and hold no spaces, no # and only ASCII"},
      {"a path with a space", with_gate("paths", {"/", "/a b"}),
       "spec.warmup.paths[1] is \"/a b\", must start with / and hold no spaces, no # and only "
       "ASCII"},
      {"a sitemap elsewhere", with_gate("sitemap", "http://a/sitemap.xml"),
       "spec.warmup.sitemap is \"http://a/sitemap.xml\", must be a path, such as /sitemap.xml"},
      {"a cookie", with_gate("variants", Json::parse(R"([{"Cookie": "a=b"}])")),
       "spec.warmup.variants[0][\"Cookie\"] must not be set here: it belongs to the transport or "
       "holds a secret"},
      {"hits above all", with_gate("minHitPercent", 101),
       "spec.warmup.minHitPercent is 101, must be from 0 to 100"},
      {"a hit header with a space", with_gate("hitHeader", "X Hit"),
       "spec.warmup.hitHeader is \"X Hit\", must be a header name of at most 64 characters"},
      {"no request at a time", with_gate("concurrency", 0),
       "spec.warmup.concurrency is 0, must be from 1 to 64"},
      {"no pod at a time", with_gate("maxWarmingPods", 0),
       "spec.warmup.maxWarmingPods is 0, must be from 1 to 10000"},
      {"a long warm-up", with_gate("timeout", "2h"),
       "spec.warmup.timeout is 2h, must be from 1s to 1h"},
      {"a long drain", spec_with("/drain/period", "2h"),
       "spec.drain.period is 2h, must be from 0s to 1h"},
      {"no drain at a time", spec_with("/drain/maxConcurrent", 0),
       "spec.drain.maxConcurrent is 0, must be from 1 to 10000"},
      {"a floor of 0", spec_with("/guards/minHitPercent", 0),
       "spec.guards.minHitPercent is 0, must be from 1 to 100"},
      {"an origin without requests", spec_with("/guards/maxFleetOriginRequestsPerSecond", 0),
       "spec.guards.maxFleetOriginRequestsPerSecond is 0, must be a quantity above 0"},
      {"no egress", spec_with("/guards/maxEgressBitsPerSecond", "0"),
       "spec.guards.maxEgressBitsPerSecond is 0, must be a quantity above 0"},
      {"Static without replicas", spec_with("/fallback/behavior", "Static"),
       "spec.fallback.replicas is required with behavior Static"},
      {"negative fallback", spec_with("/fallback", {{"behavior", "Static"}, {"replicas", -1}}),
       "spec.fallback.replicas is -1, must be from 0 to 10000"},
  };
  for (const Row& row : rows) {
    SUBCASE(row.name) {
      const Problems problems = sense_of(row.spec);
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].sentence() == row.sentence);
    }
  }
}

TEST_CASE("values at the edge of their range are fine") {
  for (const auto& [pointer, value] : std::vector<std::pair<const char*, Json>>{
           {"/minReplicas", 10},
           {"/maxReplicas", 10'000},
           {"/pollInterval", "1s"},
           {"/pollInterval", "10m"},
           {"/shortWindow", "5m"},
           {"/longWindow", "24h"},
           {"/cooldown", "0s"},
           {"/signals/0/requestsPerReplica", "1m"},
           {"/signals/0/targetUtilizationPercent", 1},
           {"/signals/0/podLabel", ""},
           {"/signals/0/counter", Json{{"matchers", "a=\"b\""}}},
           {"/scaleUp/maxFactor", 1},
           {"/scaleUp/maxPods", 1},
           {"/scaleDown/stepPercent", 100},
           {"/scaleDown/outageHold", 4},
           {"/fallback", Json{{"behavior", "Maximum"}}},
           {"/scaleTargetRef/name", std::string(253, 'a')},
           {"/backend/address", "https://vm.example:8427/select/0/prometheus/"},
           {"/backend/name", "central"},
           {"/warmup", with_gate("minHitPercent", 0)["warmup"]},
           {"/warmup", with_gate("hostHeader", "[fd00::1]:80")["warmup"]},
           {"/warmup",
            with_gate("variants", Json::parse(R"([{"Accept-Encoding": "br"}, {}])"))["warmup"]},
           {"/drain/period", "0s"},
           {"/guards/minHitPercent", 100},
           {"/schedules", Json::parse(R"([{"start": "0 7 * * *", "end": "0 9 * * *",
               "minReplicas": 10000}])")}}) {
    const Problems problems = sense_of(spec_with(pointer, value));
    CHECK_MESSAGE(problems.empty(), join(problems));
  }
}

TEST_CASE("a password in an address does not reach the sentence") {
  const Problems problems = sense_of(spec_with("/backend/address", "http://me:hunter2@p:9090"));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].sentence().find("hunter2") == std::string::npos);
  CHECK(problems[0].sentence().find("user name") != std::string::npos);
}

TEST_CASE("all problems come at once") {
  Json spec = spec_with("/minReplicas", 20);
  spec["cooldown"] = "25h";
  spec["scaleDown"] = {{"stepPercent", 0}};
  CHECK(sense_of(spec).size() == 3);
}

}  // namespace
}  // namespace scaledcache::k8s
