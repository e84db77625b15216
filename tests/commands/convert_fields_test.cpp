// How much of a ScaledObject and of a HorizontalPodAutoscaler is carried over: every field of their
// types is named here, and the share is printed.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "controller/commands/convert.h"

#include "commands/convert_samples.h"
#include "commands/run.h"

namespace scaledcache::controller::test {
namespace {

// The fields of spec, of its triggers and of the prometheus scaler's metadata; those of
// scalingModifiers have a test of their own, since they replace the triggers' thresholds.
constexpr const char* kScaledObjectFields[] = {
    "metadata.name",
    "metadata.namespace",
    "metadata.labels.team",
    "metadata.annotations.owner",
    "metadata.annotations.autoscaling.keda.sh/paused",
    "metadata.annotations.autoscaling.keda.sh/paused-replicas",
    "metadata.annotations.autoscaling.keda.sh/paused-scale-in",
    "metadata.annotations.autoscaling.keda.sh/paused-scale-out",
    "spec.scaleTargetRef.apiVersion",
    "spec.scaleTargetRef.kind",
    "spec.scaleTargetRef.name",
    "spec.scaleTargetRef.envSourceContainerName",
    "spec.pollingInterval",
    "spec.initialCooldownPeriod",
    "spec.cooldownPeriod",
    "spec.idleReplicaCount",
    "spec.minReplicaCount",
    "spec.maxReplicaCount",
    "spec.fallback.failureThreshold",
    "spec.fallback.replicas",
    "spec.fallback.behavior",
    "spec.advanced.restoreToOriginalReplicaCount",
    "spec.advanced.horizontalPodAutoscalerConfig.name",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.stabilizationWindowSeconds",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.selectPolicy",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.tolerance",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.policies[].type",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.policies[].value",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleUp.policies[].periodSeconds",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.stabilizationWindowSeconds",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.selectPolicy",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.tolerance",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.policies[].type",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.policies[].value",
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.policies[].periodSeconds",
    "spec.triggers[].type",
    "spec.triggers[].name",
    "spec.triggers[].metricType",
    "spec.triggers[].useCachedMetrics",
    "spec.triggers[].authenticationRef.name",
    "spec.triggers[].authenticationRef.kind",
    "spec.triggers[].metadata.serverAddress",
    "spec.triggers[].metadata.query",
    "spec.triggers[].metadata.queryParameters",
    "spec.triggers[].metadata.threshold",
    "spec.triggers[].metadata.activationThreshold",
    "spec.triggers[].metadata.namespace",
    "spec.triggers[].metadata.customHeaders",
    "spec.triggers[].metadata.ignoreNullValues",
    "spec.triggers[].metadata.unsafeSsl",
    "spec.triggers[].metadata.awsRegion",
    "spec.triggers[].metadata.identityOwner",
    "spec.triggers[].metadata.timeout",
    "spec.triggers[].metadata.authModes",
};

constexpr const char* kHpaFields[] = {
    "metadata.name",
    "metadata.namespace",
    "metadata.labels.team",
    "metadata.annotations.owner",
    "spec.scaleTargetRef.apiVersion",
    "spec.scaleTargetRef.kind",
    "spec.scaleTargetRef.name",
    "spec.minReplicas",
    "spec.maxReplicas",
    "spec.metrics[].type",
    "spec.metrics[].external.metric.name",
    "spec.metrics[].external.metric.selector.matchLabels.site",
    "spec.metrics[].external.metric.selector.matchExpressions[].key",
    "spec.metrics[].external.metric.selector.matchExpressions[].operator",
    "spec.metrics[].external.metric.selector.matchExpressions[].values",
    "spec.metrics[].external.target.type",
    "spec.metrics[].external.target.value",
    "spec.metrics[].external.target.averageValue",
    "spec.metrics[].object.describedObject.apiVersion",
    "spec.metrics[].object.describedObject.kind",
    "spec.metrics[].object.describedObject.name",
    "spec.metrics[].object.metric.name",
    "spec.metrics[].object.metric.selector.matchLabels.class",
    "spec.metrics[].object.metric.selector.matchExpressions[].key",
    "spec.metrics[].object.metric.selector.matchExpressions[].operator",
    "spec.metrics[].object.metric.selector.matchExpressions[].values",
    "spec.metrics[].object.target.type",
    "spec.metrics[].object.target.value",
    "spec.metrics[].object.target.averageValue",
    "spec.behavior.scaleUp.stabilizationWindowSeconds",
    "spec.behavior.scaleUp.selectPolicy",
    "spec.behavior.scaleUp.tolerance",
    "spec.behavior.scaleUp.policies[].type",
    "spec.behavior.scaleUp.policies[].value",
    "spec.behavior.scaleUp.policies[].periodSeconds",
    "spec.behavior.scaleDown.stabilizationWindowSeconds",
    "spec.behavior.scaleDown.selectPolicy",
    "spec.behavior.scaleDown.tolerance",
    "spec.behavior.scaleDown.policies[].type",
    "spec.behavior.scaleDown.policies[].value",
    "spec.behavior.scaleDown.policies[].periodSeconds",
};

// "spec.triggers[].name" of "spec.triggers[0].name".
std::string kind_of_field(const std::string& path) {
  std::string kind;
  bool inside = false;
  for (const char c : path) {
    inside = inside && c != ']';
    if (!inside) {
      kind += c;
    }
    inside = inside || c == '[';
  }
  return kind;
}

struct Share {
  std::set<std::string> carried;
  std::set<std::string> dropped;
};

Share share_of(const Conversion& conversion) {
  Share share;
  for (const std::string& path : conversion.carried) {
    share.carried.insert(kind_of_field(path));
  }
  for (const Ledger::Dropped& one : conversion.dropped) {
    share.dropped.insert(kind_of_field(one.path));
    share.carried.erase(kind_of_field(one.path));
  }
  return share;
}

template <std::size_t N>
void check_share(const Conversion& conversion, const char* const (&fields)[N]) {
  const Share share = share_of(conversion);
  std::set<std::string> all(share.carried);
  all.insert(share.dropped.begin(), share.dropped.end());
  for (const char* field : fields) {
    CHECK_MESSAGE(all.erase(field) == 1, "the sample lacks ", field);
  }
  CHECK_MESSAGE(all.empty(), "not a field of the type: ", all.empty() ? "" : *all.begin());
  const double carried = static_cast<double>(share.carried.size()) / N;
  MESSAGE(conversion.title, ": ", share.carried.size(), " of ", N, " fields carried over");
  CHECK(carried >= 0.9);
  for (const Ledger::Dropped& one : conversion.dropped) {
    CHECK_MESSAGE(one.reason.size() > 20, one.path);
  }
}

TEST_CASE("nine in ten fields of a prometheus ScaledObject are carried over") {
  const auto conversions = convert_documents(documents(kFullScaledObject), {});
  REQUIRE(conversions.size() == 2);
  check_share(conversions[0], kScaledObjectFields);
  CHECK(conversions[0].problems.empty());
  CHECK(conversions[1].dropped.empty());
}

TEST_CASE("nine in ten fields of a HorizontalPodAutoscaler are carried over") {
  const auto conversions = convert_documents(documents(kFullHpa), {});
  REQUIRE(conversions.size() == 1);
  check_share(conversions[0], kHpaFields);
  CHECK(conversions[0].problems.empty());
}

}  // namespace
}  // namespace scaledcache::controller::test
