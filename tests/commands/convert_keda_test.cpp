#include <algorithm>

#include <doctest/doctest.h>

#include "controller/commands/convert.h"
#include "controller/commands/formula.h"

#include "commands/convert_samples.h"
#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

std::string scaled_object(const std::string& spec) {
  return "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: blog, namespace: "
         "web}\n"
         "spec:\n  scaleTargetRef: {name: varnish}\n" +
         spec;
}

const std::string kTrigger =
    "  triggers:\n  - type: prometheus\n    metadata:\n      serverAddress: "
    "http://prometheus:9090\n"
    "      query: sum(rate(hits{a=\"b\"}[2m]))\n      threshold: '100'\n";

Conversion only(const std::string& yaml, ConvertOptions options = {}) {
  auto conversions = convert_documents(documents(yaml), options);
  REQUIRE(!conversions.empty());
  return conversions.front();
}

std::string why(const Conversion& conversion, const std::string& path) {
  for (const Ledger::Dropped& one : conversion.dropped) {
    if (one.path == path) {
      return one.reason;
    }
  }
  return "";
}

TEST_CASE("a whole ScaledObject becomes a whole ScaledCache") {
  const Conversion conversion = only(kFullScaledObject);
  REQUIRE(conversion.manifest);
  const Json spec = conversion.manifest->at("spec");
  CHECK(spec["scaleTargetRef"]["name"] == "varnish-burst");
  CHECK(spec["minReplicas"] == 2);
  CHECK(spec["maxReplicas"] == 10);
  CHECK(spec["pollInterval"] == "15s");
  CHECK(spec["cooldown"] == "5m");
  CHECK(spec["shortWindow"] == "20s");
  CHECK(spec["longWindow"] == "10m");
  CHECK(spec["fallback"] == Json{{"behavior", "CurrentOrHigher"}, {"replicas", 6}});
  CHECK(spec["failureGrace"] == "45s");
  CHECK(spec["restoreReplicasOnDelete"] == true);
  CHECK(spec["scaleUp"] ==
        Json::parse(R"({"maxFactor":2,"maxPods":4,"cooldown":"15s","tolerancePercent":5})"));
  CHECK(spec["scaleDown"] ==
        Json::parse(R"({"stepPercent":10,"interval":"1m","tolerancePercent":10})"));
  const Json& signal = spec["signals"][0];
  CHECK(signal["name"] == "requests");
  CHECK(signal["requestsPerReplica"] == 200);
  CHECK(signal["activationRate"] == 1);
  const Json& backend = spec["backend"];
  CHECK(backend["address"] == "https://prometheus.monitoring:9090");
  CHECK(backend["headers"]["X-Scope-OrgID"] == "blog");
  CHECK(backend["queryParameters"] == Json{{"namespace", "blog"}, {"timeout", "10s"}});
  CHECK(backend["timeout"] == "3000ms");
  CHECK(backend["auth"]["bearer"]["secretRef"] ==
        Json{{"name", "prometheus-token"}, {"key", "token"}});
  CHECK(backend["tls"]["caRef"] ==
        Json{{"kind", "Secret"}, {"name", "prometheus-ca"}, {"key", "ca.crt"}});
  CHECK_FALSE(backend["tls"].contains("insecureSkipVerify"));
  const Json annotations = conversion.manifest->at("metadata").at("annotations");
  CHECK(annotations["scaledcache.io/paused"] == "false");
  CHECK(annotations["scaledcache.io/paused-replicas"] == "4");
  CHECK(annotations["scaledcache.io/paused-scale-down"] == "true");
  CHECK(annotations["owner"] == "web-team");
}

TEST_CASE("Secrets are named, and where they may go is left to do") {
  const Conversion conversion = only(kFullScaledObject);
  CHECK(std::find(conversion.chores.begin(), conversion.chores.end(),
                  "kubectl annotate secret prometheus-token "
                  "scaledcache.io/allowed-origins=https://prometheus.monitoring:9090") !=
        conversion.chores.end());
}

TEST_CASE("what a ScaledObject leaves out is what KEDA takes") {
  const Conversion conversion = only(scaled_object(kTrigger));
  const Json spec = conversion.manifest->at("spec");
  CHECK(spec["minReplicas"] == 0);
  CHECK(spec["maxReplicas"] == 100);
  CHECK_FALSE(spec.contains("pollInterval"));
  CHECK(conversion.problems.empty());
}

TEST_CASE("cron triggers become schedules") {
  const Conversion conversion =
      only(scaled_object(kTrigger + "  - type: cron\n    metadata: {timezone: Europe/Berlin, "
                                    "start: 0 8 * * 1-5, end: 0 18 * * 1-5, "
                                    "desiredReplicas: '6'}\n"));
  CHECK(Json(conversion.manifest->at("spec").at("schedules")) ==
        Json::parse(R"([{"start":"0 8 * * 1-5","end":"0 18 * * 1-5","timeZone":"Europe/Berlin",
                         "minReplicas":6}])"));
  CHECK(conversion.dropped.empty());
  CHECK(conversion.problems.empty());
}

TEST_CASE("what cannot be carried over says why") {
  const Conversion conversion =
      only(scaled_object("  idleReplicaCount: 0\n  minReplicaCount: 3\n  strange: 1\n" + kTrigger +
                         "      ignoreNullValues: 'true'\n      unsafeSsl: 'true'\n"
                         "  - type: cpu\n    metadata: {value: '50'}\n"
                         "  - type: prometheus\n    metadata: {serverAddress: http://other:9090, "
                         "query: up, threshold: '1'}\n"
                         "  - type: prometheus\n    metricType: Value\n    metadata: "
                         "{serverAddress: http://prometheus:9090, query: up, threshold: '1'}\n"));
  CHECK(has(why(conversion, "spec.idleReplicaCount"), "stays at minReplicas"));
  CHECK(has(why(conversion, "spec.strange"), "does not know"));
  CHECK(has(why(conversion, "spec.triggers[0].metadata.ignoreNullValues"), "never 0"));
  CHECK(has(why(conversion, "spec.triggers[0].metadata.unsafeSsl"), "always checked"));
  CHECK(has(why(conversion, "spec.triggers[1].metadata.value"), "type cpu do not count requests"));
  CHECK(has(why(conversion, "spec.triggers[2].metadata.query"), "asks one backend"));
  CHECK(has(why(conversion, "spec.triggers[3].metadata.query"), "metricType Value"));
  CHECK(conversion.manifest->at("spec").at("signals").size() == 1);
}

TEST_CASE("credentials over plain http are marked as such") {
  std::string yaml = kFullScaledObject;
  yaml.replace(yaml.find("https://prom"), 8, "http://");
  const Conversion conversion = only(yaml);
  CHECK(conversion.manifest->at("spec").at("backend").at("auth").at("allowInsecure") == true);
  CHECK(conversion.problems.empty());
}

TEST_CASE("each way to authenticate has its place") {
  struct Row {
    const char* modes;
    const char* parameters;
    const char* place;
    const char* want;
  };

  for (const Row& row :
       {Row{"basic",
            "[{parameter: username, name: s, key: u}, {parameter: password, name: s, key: p}]",
            "/auth/basic",
            R"({"username": "CHANGE-ME", "passwordSecretRef": {"name": "s", "key": "p"}})"},
        Row{"custom",
            "[{parameter: customAuthHeader, name: s, key: h}, {parameter: customAuthValue, name: "
            "s, "
            "key: v}]",
            "/auth/header", R"({"name": "CHANGE-ME", "secretRef": {"name": "s", "key": "v"}})"},
        Row{"tls",
            "[{parameter: cert, name: s, key: tls.crt}, {parameter: key, name: s, key: tls.key}]",
            "/tls/clientCertificateSecretRef", R"({"name": "s"})"}}) {
    CAPTURE(row.modes);
    std::string trigger = kTrigger;
    trigger.replace(trigger.find("http:"), 5, "https:");
    const Conversion conversion =
        only(scaled_object(trigger + "      authModes: " + row.modes +
                           "\n    authenticationRef: {name: a}\n---\nkind: TriggerAuthentication\n"
                           "metadata: {name: a, namespace: web}\nspec: {secretTargetRef: " +
                           row.parameters + "}\n"));
    const Json backend = conversion.manifest->at("spec").at("backend");
    CHECK(backend.at(Json::json_pointer(row.place)) == Json::parse(row.want));
    CHECK(conversion.dropped.empty());
  }
}

TEST_CASE("an authentication that is nowhere, or of the cloud, is not carried over") {
  const Conversion missing =
      only(scaled_object(kTrigger + "      authModes: bearer\n    authenticationRef: {name: a}\n"));
  CHECK(has(why(missing, "spec.triggers[0].authenticationRef.name"), "in none of the files"));
  const auto cloud = convert_documents(
      documents(
          "kind: TriggerAuthentication\nmetadata: {name: a}\nspec: {podIdentity: {provider: aws}}"),
      {});
  CHECK(has(why(cloud.at(0), "spec.podIdentity.provider"), "an identity of the cloud"));
}

TEST_CASE("a formula of named triggers becomes one query") {
  const std::map<std::string, std::string> queries{{"a", "sum(x)"}, {"b_2", "sum(y)"}};
  CHECK(query_of_formula("(a + b_2) / 2", queries) == "(scalar(sum(x)) + scalar(sum(y))) / 2");
  CHECK_FALSE(query_of_formula("a > 2 ? a : b_2", queries));
  CHECK_FALSE(query_of_formula("a + c", queries));
  CHECK_FALSE(query_of_formula("2", queries));
  std::string yaml = kTrigger;
  yaml.replace(yaml.find("type: prometheus"), 16, "type: prometheus\n    name: a");
  const Conversion conversion = only(scaled_object(
      yaml +
      "  advanced: {scalingModifiers: {formula: a * 2, target: '300', activationTarget: '1', "
      "metricType: AverageValue}}\n"));
  const Json signals = conversion.manifest->at("spec").at("signals");
  REQUIRE(signals.size() == 1);
  CHECK(signals[0]["query"] == "scalar(sum(rate(hits{a=\"b\"}[2m]))) * 2");
  CHECK(signals[0]["requestsPerReplica"] == 300);
  CHECK(conversion.dropped.empty());
}

TEST_CASE("the output is a manifest that validates, with what was dropped above it") {
  const Outcome outcome = run(convert, {"-"}, kFullScaledObject);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.starts_with("# From ScaledObject blog/blog (standard input:2): "));
  CHECK(has(outcome.out, "#   spec.idleReplicaCount: "));
  CHECK(has(outcome.err, "dropped: spec.idleReplicaCount"));
  CHECK(run(convert, {"--strict", "-"}, kFullScaledObject).status == 1);
  const auto read = documents(outcome.out);
  REQUIRE(read.size() == 1);
  CHECK(read[0].value == Json(*only(kFullScaledObject).manifest));
}

TEST_CASE("with --dry-run the target is left alone at first") {
  const Outcome outcome = run(convert, {"--dry-run", "-"}, kFullScaledObject);
  CHECK(documents(outcome.out).at(0).value["spec"]["dryRun"] == true);
}

TEST_CASE("scripts get JSON with the share, the fields and the manifest") {
  const Json told = Json::parse(run(convert, {"-o", "json", "-"}, kFullScaledObject).out);
  const Json& object = told["objects"][0];
  CHECK(object["share"].get<double>() > 0.85);
  CHECK(object["dropped"].size() >= 4);
  CHECK(object["manifest"]["kind"] == "ScaledCache");
}

TEST_CASE("nothing to convert, or nothing that counts requests, is no success") {
  CHECK(run(convert, {"-"}, "kind: Service\n").status == 2);
  const Outcome outcome =
      run(convert, {"-"}, scaled_object("  triggers: [{type: cpu, metadata: {value: '50'}}]\n"));
  CHECK(outcome.status == 1);
  CHECK(has(outcome.err, "not converted: nothing in it counts requests"));
  CHECK(run(convert, {}).status == 2);
}

}  // namespace
}  // namespace scaledcache::controller::test
