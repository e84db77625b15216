// Objects with every field that their types have (KEDA v1alpha1 ScaledObject with the metadata of
// its prometheus scaler; autoscaling/v2), as people would set them.
#pragma once

#include <string>

namespace scaledcache::controller::test {

inline const std::string kFullScaledObject = R"(
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: blog
  namespace: blog
  labels: {team: web}
  annotations:
    owner: web-team
    autoscaling.keda.sh/paused: "false"
    autoscaling.keda.sh/paused-replicas: "4"
    autoscaling.keda.sh/paused-scale-in: "true"
    autoscaling.keda.sh/paused-scale-out: "false"
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: varnish-burst
    envSourceContainerName: varnish
  pollingInterval: 15
  initialCooldownPeriod: 60
  cooldownPeriod: 300
  idleReplicaCount: 0
  minReplicaCount: 2
  maxReplicaCount: 10
  fallback:
    failureThreshold: 3
    replicas: 6
    behavior: currentReplicasIfHigher
  advanced:
    restoreToOriginalReplicaCount: true
    horizontalPodAutoscalerConfig:
      name: keda-hpa-blog
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 20
          selectPolicy: Max
          tolerance: 50m
          policies:
            - {type: Percent, value: 100, periodSeconds: 15}
            - {type: Pods, value: 4, periodSeconds: 15}
        scaleDown:
          stabilizationWindowSeconds: 600
          selectPolicy: Min
          tolerance: "0.1"
          policies:
            - {type: Percent, value: 10, periodSeconds: 60}
            - {type: Pods, value: 5, periodSeconds: 60}
  triggers:
    - type: prometheus
      name: requests
      metricType: AverageValue
      useCachedMetrics: true
      authenticationRef:
        name: prometheus
        kind: TriggerAuthentication
      metadata:
        serverAddress: https://prometheus.monitoring:9090
        query: sum(rate(varnish_main_client_req{namespace="blog"}[$window]))
        queryParameters: timeout=10s
        threshold: "200"
        activationThreshold: "1"
        namespace: blog
        customHeaders: X-Scope-OrgID=blog
        ignoreNullValues: "false"
        unsafeSsl: "false"
        awsRegion: eu-west-1
        identityOwner: operator
        timeout: "3000"
        authModes: bearer
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: prometheus, namespace: blog}
spec:
  secretTargetRef:
    - {parameter: bearerToken, name: prometheus-token, key: token}
    - {parameter: ca, name: prometheus-ca, key: ca.crt}
)";

inline const std::string kFullHpa = R"(
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: blog
  namespace: blog
  labels: {team: web}
  annotations: {owner: web-team}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: varnish-burst}
  minReplicas: 2
  maxReplicas: 10
  metrics:
    - type: External
      external:
        metric:
          name: varnish_requests_per_second
          selector:
            matchLabels: {site: blog}
            matchExpressions:
              - {key: stage, operator: In, values: [prod, canary]}
        target: {type: AverageValue, averageValue: "200", value: "4k"}
    - type: Object
      object:
        describedObject: {apiVersion: networking.k8s.io/v1, kind: Ingress, name: main}
        metric:
          name: ingress_requests
          selector:
            matchLabels: {class: public}
            matchExpressions:
              - {key: code, operator: NotIn, values: ["404"]}
        target: {type: AverageValue, averageValue: 500m, value: "10"}
  behavior:
    scaleUp:
      stabilizationWindowSeconds: 0
      selectPolicy: Max
      tolerance: "0.05"
      policies:
        - {type: Pods, value: 4, periodSeconds: 30}
    scaleDown:
      stabilizationWindowSeconds: 600
      selectPolicy: Max
      tolerance: "0.1"
      policies:
        - {type: Percent, value: 20, periodSeconds: 60}
)";

}  // namespace scaledcache::controller::test
