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
           {"/backend/address", "https://vm.example:8427/select/0/prometheus/"}}) {
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
