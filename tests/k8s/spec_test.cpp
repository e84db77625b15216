#include "k8s/spec.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/zone.h"
#include "k8s/resource_samples.h"

namespace scaledcache::k8s {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

Problems problems_of(const Json& spec) {
  Problems problems;
  static_cast<void>(spec_from_json(spec, "spec", problems));
  return problems;
}

TEST_CASE("a minimal spec takes every other value from the defaults") {
  Problems problems;
  const Spec spec = spec_from_json(minimal_spec(), "spec", problems);
  CHECK(problems.empty());
  Spec want;
  want.target.name = "varnish-burst";
  want.min_replicas = 2;
  want.max_replicas = 10;
  want.signals.resize(1);
  want.signals[0].preset = "Varnish";
  want.signals[0].requests_per_replica = 200;
  CHECK(spec == want);
}

TEST_CASE("every field is read") {
  const Json object = Json::parse(R"({
    "scaleTargetRef": {"apiVersion": "apps/v2", "kind": "StatefulSet", "name": "n"},
    "minReplicas": 3, "maxReplicas": 30, "pollInterval": "1s", "shortWindow": "20s",
    "longWindow": "15m", "cooldown": "10m", "failureGrace": "1m", "maxSampleAge": "1m30s",
    "dryRun": true, "restoreReplicasOnDelete": true,
    "backend": {"address": "http://p:9090", "headers": {"X-A": "b"}, "timeout": "2s",
                "queryParameters": {"c": "d"}},
    "signals": [{"name": "a", "counter": {"metric": "m", "matchers": "x=\"y\""}, "podLabel": "",
                 "namespaceLabel": "ns", "requestsPerReplica": "1.5k",
                 "targetUtilizationPercent": 80, "activationRate": "250m",
                 "saturationQuery": "s"},
                {"name": "b", "query": "q", "ageQuery": "age", "includesBaseline": true,
                 "requestsPerReplica": 1}],
    "baseline": {"selector": {"matchLabels": {"app": "web"}}, "requestsPerReplica": "2k"},
    "schedules": [{"start": "0 7 * * mon-fri", "end": "0 19 * * *", "timeZone": "Europe/Berlin",
                   "minReplicas": 9}],
    "scaleUp": {"tolerancePercent": 1, "maxFactor": 2, "maxPods": 3, "lookAheadPercent": 4,
                "headroom": "None", "cooldown": "5s"},
    "scaleDown": {"tolerancePercent": 6, "stepPercent": 7, "interval": "8s",
                  "patiencePercent": 9, "outageHold": 2},
    "fallback": {"behavior": "CurrentOrHigher", "replicas": 11}
  })");
  Problems problems;
  const Spec spec = spec_from_json(object, "spec", problems);
  CHECK(problems.empty());
  CHECK(spec.target == ScaleTargetRef{"apps/v2", "StatefulSet", "n"});
  CHECK(spec.min_replicas == 3);
  CHECK(spec.max_replicas == 30);
  CHECK(spec.poll_interval == seconds{1});
  CHECK(spec.short_window == seconds{20});
  CHECK(spec.long_window == minutes{15});
  CHECK(spec.cooldown == minutes{10});
  CHECK(spec.failure_grace == minutes{1});
  CHECK(spec.max_sample_age == seconds{90});
  CHECK(spec.dry_run);
  CHECK(spec.restore_replicas_on_delete);
  BackendSpec backend;
  backend.address = "http://p:9090";
  backend.headers = {{"X-A", "b"}};
  backend.query_parameters = {{"c", "d"}};
  backend.timeout = seconds{2};
  CHECK(spec.backend == backend);
  REQUIRE(spec.signals.size() == 2);
  const SignalSpec& a = spec.signals[0];
  CHECK(a.name == "a");
  CHECK(a.counter == CounterSpec{"m", {{"x", "=", "y"}}});
  CHECK(a.pod_label.empty());
  CHECK(a.namespace_label == "ns");
  CHECK(a.requests_per_replica == 1500);
  CHECK(a.planned_per_replica() == 1200);
  CHECK(a.activation_rate == 0.25);
  CHECK(a.saturation_query == "s");
  CHECK(spec.signals[1].query == "q");
  CHECK(spec.signals[1].age_query == "age");
  CHECK(spec.signals[1].includes_baseline);
  CHECK(spec.baseline == BaselineSpec{"app=web", 2000});
  REQUIRE(spec.schedules.size() == 1);
  CHECK(spec.schedules[0].min_replicas == 9);
  CHECK(spec.schedules[0].start == *core::parse_cron("0 7 * * mon-fri"));
  CHECK(spec.schedules[0].end == *core::parse_cron("0 19 * * *"));
  CHECK(spec.schedules[0].zone == *load_zone("Europe/Berlin"));
  CHECK(spec.scale_up == ScaleUpSpec{1, 2, 3, 4, core::Headroom::None, seconds{5}});
  CHECK(spec.scale_down == ScaleDownSpec{6, 7, seconds{8}, 9, 2});
  CHECK(spec.fallback == FallbackSpec{FallbackBehavior::CurrentOrHigher, 11});
}

TEST_CASE("every field of backend.auth and backend.tls is read") {
  const auto backend_of = [](const char* text) {
    Problems problems;
    const Spec spec = spec_from_json(spec_with("/backend", Json::parse(text)), "spec", problems);
    CHECK(join(problems) == "");
    return spec.backend;
  };
  const BackendSpec token = backend_of(R"({"name": "central", "auth": {
      "bearer": {"secretRef": {"name": "vm", "key": "token"}}, "allowInsecure": true}})");
  CHECK(token.name == "central");
  CHECK(token.auth->bearer_secret == KeyRef{"vm", "token"});
  CHECK(token.auth->allow_insecure);
  CHECK(backend_of(R"({"auth": {"bearer": {"serviceAccount": {"name": "a", "audience": "b"}}}})")
            .auth->bearer_service_account == AuthSpec::ServiceAccount{"a", "b"});
  CHECK(backend_of(R"({"auth": {"basic": {"username": "me",
                        "passwordSecretRef": {"name": "s", "key": "k"}}}})")
            .auth->basic == AuthSpec::Basic{"me", {"s", "k"}});
  CHECK(backend_of(R"({"auth": {"header": {"name": "X-Key",
                        "secretRef": {"name": "s", "key": "k"}}}})")
            .auth->header == AuthSpec::HeaderValue{"X-Key", {"s", "k"}});
  const BackendSpec tls = backend_of(R"({"tls": {"caRef": {"name": "ca"}, "serverName": "vm",
      "clientCertificateSecretRef": {"name": "cert"}}})");
  CHECK(tls.tls == TlsSpec{TlsSpec::CaRef{true, {"ca", "ca.crt"}}, "vm", "cert"});
  CHECK(backend_of(R"({"tls": {"caRef": {"kind": "Secret", "name": "ca", "key": "a"}}})").tls->ca ==
        TlsSpec::CaRef{false, {"ca", "a"}});
}

TEST_CASE("every field of warmup, drain and guards is read") {
  Json object = minimal_spec();
  object.update(Json::parse(R"({
    "warmup": {"mode": "Gate", "port": 8080, "scheme": "https", "hostHeader": "www.example.com",
               "paths": ["/", "/a?b=c"], "pathsFrom": {"name": "hot", "key": "list"},
               "sitemap": "/sitemap.xml", "discoverAssets": true,
               "variants": [{"Accept-Encoding": "gzip"}, {}], "minHitPercent": 80,
               "hitHeader": "X-Hit", "concurrency": 2, "maxWarmingPods": 3,
               "maxOriginRequestsPerSecond": "500m", "probe": false, "timeout": "90s",
               "onTimeout": "Hold", "allowHostNetwork": true},
    "drain": {"mode": "Off", "period": "1s", "maxConcurrent": 5},
    "guards": {"minHitPercent": 70, "maxFleetOriginRequestsPerSecond": 100,
               "maxEgressBitsPerSecond": "10G", "scalingEffect": "Enforce"}
  })"));
  Problems problems;
  const Spec spec = spec_from_json(object, "spec", problems);
  CHECK(join(problems) == "");
  CHECK(spec.gates());
  CHECK_FALSE(spec.drains());
  WarmupSpec warmup;
  warmup.mode = WarmupMode::Gate;
  warmup.port = 8080;
  warmup.scheme = "https";
  warmup.host_header = "www.example.com";
  warmup.paths = {"/", "/a?b=c"};
  warmup.paths_from = KeyRef{"hot", "list"};
  warmup.sitemap = "/sitemap.xml";
  warmup.discover_assets = true;
  warmup.variants = {{{"Accept-Encoding", "gzip"}}, {}};
  warmup.min_hit_percent = 80;
  warmup.hit_header = "X-Hit";
  warmup.concurrency = 2;
  warmup.max_warming_pods = 3;
  warmup.max_origin_requests_per_second = 0.5;
  warmup.probe = false;
  warmup.timeout = seconds{90};
  warmup.on_timeout = OnWarmupTimeout::Hold;
  warmup.allow_host_network = true;
  CHECK(spec.warmup == warmup);
  CHECK(spec.drain == DrainSpec{DrainMode::Off, seconds{1}, 5});
  CHECK(spec.guards == GuardsSpec{70, 100.0, 1e10, EffectGuard::Enforce});
}

TEST_CASE("pods drain by the gate wherever they join by it") {
  Problems problems;
  CHECK_FALSE(spec_from_json(minimal_spec(), "spec", problems).drains());
  CHECK(spec_from_json(spec_with("/warmup", {{"mode", "Gate"}}), "spec", problems).drains());
}

// Where each field is, and a value of a type that it must not have.
struct Field {
  const char* pointer;
  Json wrong;
};

const std::vector<Field>& fields() {
  static const std::vector<Field> all{
      {"/scaleTargetRef", "varnish"},
      {"/scaleTargetRef/apiVersion", 1},
      {"/scaleTargetRef/kind", Json::array()},
      {"/scaleTargetRef/name", 7},
      {"/minReplicas", "2"},
      {"/maxReplicas", 2.5},
      {"/pollInterval", 5},
      {"/shortWindow", "30"},
      {"/longWindow", "5 minutes"},
      {"/cooldown", "-5m"},
      {"/failureGrace", Json::object()},
      {"/maxSampleAge", true},
      {"/dryRun", "true"},
      {"/restoreReplicasOnDelete", 0},
      {"/backend", "http://p:9090"},
      {"/backend/address", 9090},
      {"/backend/headers", Json::array()},
      {"/backend/queryParameters", "a=b"},
      {"/backend/timeout", "5d"},
      {"/backend/name", 1},
      {"/backend/auth", "Bearer"},
      {"/backend/tls", true},
      {"/backend/tls/caRef", "ca"},
      {"/backend/tls/serverName", 1},
      {"/backend/tls/clientCertificateSecretRef", "cert"},
      {"/signals", Json::object()},
      {"/signals/0", "Varnish"},
      {"/signals/0/name", 1},
      {"/signals/0/preset", 1},
      {"/signals/0/counter", "varnish_main_client_req"},
      {"/signals/0/counter/metric", 1},
      {"/signals/0/counter/matchers", "job=varnish"},
      {"/signals/0/query", 1},
      {"/signals/0/ageQuery", 1},
      {"/signals/0/includesBaseline", "true"},
      {"/signals/0/podLabel", false},
      {"/signals/0/namespaceLabel", 1},
      {"/signals/0/requestsPerReplica", 1.5},
      {"/signals/0/targetUtilizationPercent", "80%"},
      {"/signals/0/activationRate", "many"},
      {"/signals/0/saturationQuery", 1},
      {"/baseline", "app=web"},
      {"/schedules", Json::object()},
      {"/warmup", "Gate"},
      {"/warmup/mode", "On"},
      {"/warmup/port", "http"},
      {"/warmup/scheme", "ftp"},
      {"/warmup/hostHeader", 1},
      {"/warmup/paths", "/"},
      {"/warmup/pathsFrom", "hot"},
      {"/warmup/sitemap", true},
      {"/warmup/discoverAssets", "true"},
      {"/warmup/variants", Json::object()},
      {"/warmup/minHitPercent", "90%"},
      {"/warmup/hitHeader", 1},
      {"/warmup/concurrency", "4"},
      {"/warmup/maxWarmingPods", 1.5},
      {"/warmup/maxOriginRequestsPerSecond", -1},
      {"/warmup/probe", 1},
      {"/warmup/timeout", 120},
      {"/warmup/onTimeout", "Close"},
      {"/warmup/allowHostNetwork", "false"},
      {"/drain", "Gate"},
      {"/drain/mode", "On"},
      {"/drain/period", 15},
      {"/drain/maxConcurrent", "all"},
      {"/guards", 1},
      {"/guards/minHitPercent", "80%"},
      {"/guards/maxFleetOriginRequestsPerSecond", "many"},
      {"/guards/maxEgressBitsPerSecond", "10Gi"},
      {"/guards/scalingEffect", "Off"},
      {"/scaleUp", 4},
      {"/scaleUp/tolerancePercent", "0"},
      {"/scaleUp/maxFactor", 1.5},
      {"/scaleUp/maxPods", 1e10},
      {"/scaleUp/lookAheadPercent", Json(18446744073709551615U)},
      {"/scaleUp/headroom", "Some"},
      {"/scaleUp/cooldown", 0},
      {"/scaleDown", Json::array()},
      {"/scaleDown/tolerancePercent", "10"},
      {"/scaleDown/stepPercent", Json(4294967296)},
      {"/scaleDown/interval", "1"},
      {"/scaleDown/patiencePercent", Json::object()},
      {"/scaleDown/outageHold", "1"},
      {"/fallback", "Hold"},
      {"/fallback/behavior", "Zero"},
      {"/fallback/replicas", "5"},
  };
  return all;
}

// "/signals/0/name" as "spec.signals[0].name".
std::string path_of(std::string pointer) {
  std::string path = "spec";
  for (std::size_t at = 1; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string step = pointer.substr(at, end - at);
    path += step == "0" ? "[0]" : "." + step;
    at = end + 1;
  }
  return path;
}

TEST_CASE("a field of a wrong type or form is one problem, told with its path") {
  for (const Field& field : fields()) {
    SUBCASE(field.pointer) {
      const Problems problems = problems_of(spec_with(field.pointer, field.wrong));
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].path == path_of(field.pointer));
      CHECK_FALSE(problems[0].message.empty());
    }
  }
}

TEST_CASE("null means absent: the default, or a problem where the field is required") {
  const std::vector<std::string> required{"/scaleTargetRef", "/scaleTargetRef/name", "/maxReplicas",
                                          "/signals", "/signals/0/requestsPerReplica"};
  for (const Field& field : fields()) {
    if (std::string(field.pointer) == "/signals/0") {
      continue;  // an entry of a list, not a field
    }
    SUBCASE(field.pointer) {
      const bool is_required =
          std::find(required.begin(), required.end(), field.pointer) != required.end();
      const Problems problems = problems_of(spec_with(field.pointer, nullptr));
      CHECK(problems.size() == (is_required ? 1 : 0));
      CHECK(problems ==
            (is_required ? Problems{{path_of(field.pointer), "is required"}} : Problems{}));
    }
  }
}

TEST_CASE("a nested field that is missing or of no use is told with its path") {
  struct Row {
    const char* pointer;
    const char* value;
    const char* sentence;
  };

  for (const Row& row : std::vector<Row>{
           {"/backend/auth", "{}",
            "spec.backend.auth has none of bearer, basic and header, must have exactly one"},
           {"/backend/auth",
            R"({"bearer": {"secretRef": {"name": "a", "key": "b"}},
                "header": {"name": "X", "secretRef": {"name": "a", "key": "b"}}})",
            "spec.backend.auth has more than one of bearer, basic and header, must have exactly "
            "one"},
           {"/backend/auth", R"({"bearer": {}})",
            "spec.backend.auth.bearer has none of secretRef and serviceAccount, must have exactly "
            "one"},
           {"/backend/auth", R"({"bearer": {"secretRef": {"name": "a"}}})",
            "spec.backend.auth.bearer.secretRef.key is required"},
           {"/backend/auth", R"({"basic": {"username": "me"}})",
            "spec.backend.auth.basic.passwordSecretRef is required"},
           {"/backend/auth", R"({"header": {"secretRef": {"name": "a", "key": "b"}}})",
            "spec.backend.auth.header.name is required"},
           {"/backend/tls", R"({"caRef": {"kind": "File", "name": "ca"}})",
            "spec.backend.tls.caRef.kind is \"File\", must be ConfigMap or Secret"},
           {"/baseline", R"({"selector": {"matchLabels": {"a": "b"}}})",
            "spec.baseline.requestsPerReplica is required"},
           {"/baseline", R"({"requestsPerReplica": 1})", "spec.baseline.selector is required"},
           {"/baseline", R"({"selector": {}, "requestsPerReplica": 1})",
            "spec.baseline.selector is empty, must select pods by matchLabels or "
            "matchExpressions"},
           {"/schedules", R"([{"start": "0 7 * * *", "end": "0 7 * *", "minReplicas": 3}])",
            "spec.schedules[0].end cannot be read: "},
           {"/schedules", R"([{"end": "0 7 * * *", "minReplicas": 3}])",
            "spec.schedules[0].start is required"},
           {"/schedules",
            R"([{"start": "0 7 * * *", "end": "0 9 * * *", "timeZone": "Mars/Olympus",
                 "minReplicas": 3}])",
            "spec.schedules[0].timeZone cannot be used: \"Mars/Olympus\" is not a time zone of "
            "this machine: use an IANA name such as Europe/Berlin"},
           {"/schedules", R"([{"start": "0 7 * * *", "end": "0 9 * * *"}])",
            "spec.schedules[0].minReplicas is required"},
           {"/warmup/paths", R"(["/", 1])", "spec.warmup.paths holds 1, which is no string"},
           {"/warmup/variants", R"([{"Accept": 1}])",
            "spec.warmup.variants[0][\"Accept\"] must be a string"},
           {"/warmup/pathsFrom", R"({"name": "hot"})", "spec.warmup.pathsFrom.key is required"}}) {
    CAPTURE(row.value);
    const Problems problems = problems_of(spec_with(row.pointer, Json::parse(row.value)));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].sentence().find(row.sentence) == 0);
  }
}

TEST_CASE("lists that are too long are not even read") {
  const auto long_list = [](std::size_t size) {
    Json list = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
      list.push_back(1);
    }
    return list;
  };
  CHECK(join(problems_of(spec_with("/schedules", long_list(17)))) ==
        "spec.schedules has 17 entries, must have at most 16");
  CHECK(join(problems_of(spec_with("/warmup/paths", long_list(257)))) ==
        "spec.warmup.paths has 257 entries, must have at most 256");
  CHECK(join(problems_of(spec_with("/warmup/variants", long_list(9)))) ==
        "spec.warmup.variants has 9 entries, must have at most 8");
}

TEST_CASE("one call tells every problem") {
  const Problems problems = problems_of(Json::parse(R"({
    "minReplicas": "two", "cooldown": 5, "maxReplica": 3,
    "signals": [{"preset": "Varnish"}, {"preset": "Nginx", "requestsPerReplica": "x"}]
  })"));
  std::vector<std::string> paths;
  for (const Problem& problem : problems) {
    paths.push_back(problem.path);
  }
  CHECK(paths == std::vector<std::string>{"spec.scaleTargetRef", "spec.minReplicas",
                                          "spec.maxReplicas", "spec.cooldown",
                                          "spec.signals[0].requestsPerReplica",
                                          "spec.signals[1].requestsPerReplica", "spec.maxReplica"});
}

TEST_CASE("a field that this version does not know is refused, not half obeyed") {
  const Problems problems = problems_of(spec_with("/scaleUp", {{"maxPod", 4}}));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].sentence() == "spec.scaleUp.maxPod is a field that this version does not know");
}

TEST_CASE("a value stands in the sentence, short and in one line") {
  const Problems problems = problems_of(spec_with("/cooldown", std::string(500, '\n')));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message.size() < 200);
  CHECK(problems[0].message.find('\n') == std::string::npos);
}

TEST_CASE("a spec that is no object is one problem") {
  for (const Json& spec : {Json("text"), Json(1), Json::array(), Json(nullptr)}) {
    const Problems problems = problems_of(spec);
    CHECK(problems.size() == 1);
    CHECK(problems[0].path == "spec");
  }
}

TEST_CASE("more than eight signals are not even read") {
  Json signals = Json::array();
  for (int i = 0; i < 100'000; ++i) {
    signals.push_back(1);
  }
  const Problems problems = problems_of(spec_with("/signals", std::move(signals)));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].sentence() == "spec.signals has 100000 entries, must have 1 to 8");
}

TEST_CASE("parse_quantity reads what a manifest may say") {
  struct Row {
    const char* text;
    std::optional<double> want;
  };

  for (const Row& row : {Row{"200", 200.0}, Row{"1.5k", 1500.0},
                         Row{"250m", 0.25}, Row{"2M", 2e6},
                         Row{"1G", 1e9},    Row{"0", 0.0},
                         Row{"0.5", 0.5},   Row{"", {}},
                         Row{"k", {}},      Row{"-1", {}},
                         Row{"+1", {}},     Row{"1e3", {}},
                         Row{"1.", {}},     Row{".5", {}},
                         Row{"1kk", {}},    Row{"1 k", {}},
                         Row{"0x10", {}},   Row{"nan", {}},
                         Row{"inf", {}},    Row{"1,5", {}},
                         Row{"1Ki", {}},    Row{"12345678901234567", {}}}) {
    SUBCASE(row.text) {
      CHECK(parse_quantity(row.text) == row.want);
    }
  }
}

}  // namespace
}  // namespace scaledcache::k8s
