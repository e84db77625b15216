#include <doctest/doctest.h>

#include "controller/commands/convert.h"

#include "commands/convert_samples.h"
#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

std::string hpa(const std::string& metrics, const std::string& more = {}) {
  return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
         "metadata: {name: blog, namespace: web}\nspec:\n"
         "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: varnish}\n"
         "  minReplicas: 2\n  maxReplicas: 20\n  metrics: " +
         metrics + "\n" + more;
}

constexpr const char* kMetric =
    "[{type: External, external: {metric: {name: hits}, target: {type: AverageValue, averageValue: "
    "100}}}]";

Json spec_of(const std::string& yaml) {
  const auto conversions = convert_documents(documents(yaml), {});
  REQUIRE(conversions.size() == 1);
  REQUIRE(conversions[0].manifest);
  CHECK(conversions[0].problems.empty());
  return conversions[0].manifest->at("spec");
}

TEST_CASE("External, Object and Pods metrics become queries") {
  struct Row {
    const char* metrics;
    const char* query;
  };

  for (const Row& row :
       {Row{kMetric, "sum(hits)"},
        Row{"[{type: External, external: {metric: {name: hits_per_second, selector: {matchLabels: "
            "{app.io/site: 'a\"b'}}}, target: {type: AverageValue, averageValue: 100}}}]",
            "sum(rate(hits_total{app_io_site=\"a\\\"b\"}[$window]))"},
        Row{"[{type: Object, object: {describedObject: {kind: Ingress, name: main}, metric: {name: "
            "hits_total}, target: {type: AverageValue, averageValue: 100}}}]",
            "sum(rate(hits_total{namespace=\"web\",ingress=\"main\"}[$window]))"},
        Row{"[{type: Pods, pods: {metric: {name: hits_per_second}, target: {type: AverageValue, "
            "averageValue: 100}}}]",
            "sum(rate(hits_total{namespace=\"web\",pod=~\"varnish-.*\"}[$window]))"}}) {
    CAPTURE(row.query);
    const Json spec = spec_of(hpa(row.metrics));
    CHECK(spec["signals"][0]["query"] == row.query);
    CHECK(spec["signals"][0]["requestsPerReplica"] == 100);
  }
}

TEST_CASE("selectors become matchers") {
  const Json spec = spec_of(kFullHpa);
  CHECK(spec["signals"][0]["query"] ==
        "sum(rate(varnish_requests_total{site=\"blog\",stage=~\"prod|canary\"}[$window]))");
  CHECK(
      spec["signals"][1]["query"] ==
      "sum(ingress_requests{namespace=\"blog\",ingress=\"main\",class=\"public\",code!~\"404\"})");
  CHECK(spec["signals"][1]["requestsPerReplica"] == "500m");
}

TEST_CASE("quantities keep their worth") {
  struct Row {
    const char* quantity;
    Json want;
  };

  for (const Row& row : {Row{"100", 100}, Row{"'1.5'", "1.5"}, Row{"250m", "250m"}, Row{"1k", 1000},
                         Row{"1Ki", 1024}, Row{"2.5e3", 2500}, Row{"100000u", "100m"}}) {
    CAPTURE(row.quantity);
    const Json spec =
        spec_of(hpa(std::string("[{type: External, external: {metric: {name: hits}, target: {type: "
                                "AverageValue, averageValue: ") +
                    row.quantity + "}}}]"));
    CHECK(spec["signals"][0]["requestsPerReplica"] == row.want);
  }
}

TEST_CASE("behavior limits steps, windows and directions") {
  struct Row {
    const char* name;
    const char* behavior;
    const char* pointer;
    const char* want;
  };

  for (const Row& row :
       {Row{"percent alone",
            "{scaleUp: {policies: [{type: Percent, value: 150, periodSeconds: 60}]}}", "/scaleUp",
            R"({"maxFactor": 3, "maxPods": 1, "cooldown": "1m"})"},
        Row{"pods alone", "{scaleUp: {policies: [{type: Pods, value: 3, periodSeconds: 15}]}}",
            "/scaleUp", R"({"maxFactor": 1, "maxPods": 3, "cooldown": "15s"})"},
        Row{"the tighter of two",
            "{scaleUp: {selectPolicy: Min, policies: [{type: Pods, value: 3, periodSeconds: 15}, "
            "{type: Percent, value: 100, periodSeconds: 15}]}}",
            "/scaleUp", R"({"maxFactor": 1, "maxPods": 3, "cooldown": "15s"})"},
        Row{"pods as a share of the maximum",
            "{scaleDown: {policies: [{type: Pods, value: 2, periodSeconds: 120}]}}", "/scaleDown",
            R"({"stepPercent": 10, "interval": "2m"})"},
        Row{"a lull of nothing is the short window", "{scaleDown: {stabilizationWindowSeconds: 0}}",
            "/longWindow", "\"30s\""},
        Row{"growth that has to last beyond the default long window",
            "{scaleUp: {stabilizationWindowSeconds: 900}}", "/longWindow", "\"15m\""}}) {
    CAPTURE(row.name);
    const Json spec = spec_of(hpa(kMetric, std::string("  behavior: ") + row.behavior + "\n"));
    CHECK(spec.at(Json::json_pointer(row.pointer)) == Json::parse(row.want));
  }
}

TEST_CASE("a direction that is switched off is paused") {
  const auto conversions = convert_documents(
      documents(hpa(kMetric, "  behavior: {scaleDown: {selectPolicy: Disabled}}\n")), {});
  CHECK(conversions.at(0)
            .manifest->at("metadata")
            .at("annotations")
            .at("scaledcache.io/paused-scale-down") == "true");
}

TEST_CASE("a processor's load is no request rate, and a target value says nothing of one replica") {
  const auto conversions = convert_documents(
      documents(hpa("[{type: Resource, resource: {name: cpu, target: {type: Utilization, "
                    "averageUtilization: 50}}}, {type: External, external: {metric: {name: hits}, "
                    "target: {type: Value, value: 100}}}]")),
      {});
  CHECK(has(conversions.at(0).obstacle, "nothing in it counts requests"));
  CHECK(conversions[0].dropped.size() == 7);
}

TEST_CASE("an HPA that KEDA made is left to its ScaledObject") {
  std::string yaml = hpa(kMetric);
  yaml.replace(yaml.find("namespace: web}"), 15,
               "namespace: web, ownerReferences: [{kind: ScaledObject, name: blog-so}]}");
  const auto conversions = convert_documents(documents(yaml), {});
  CHECK(conversions.at(0).obstacle == "belongs to ScaledObject blog-so: convert that");
}

}  // namespace
}  // namespace scaledcache::controller::test
