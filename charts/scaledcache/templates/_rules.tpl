{{- /* What the operator does in a namespace whose ScaledCaches it obeys, and nothing else. */ -}}
{{- define "scaledcache.rules" -}}
- apiGroups: [scaledcache.io]
  resources: [scaledcaches]
  verbs: [get, list, watch, patch]  # patch: the finalizer of restoreReplicasOnDelete
- apiGroups: [scaledcache.io]
  resources: [scaledcaches/status]
  verbs: [patch]
{{- range $group, $resources := include "scaledcache.targetGroups" . | fromJson }}
# What may be scaled. The workload itself is only read; the count is written through its scale.
- apiGroups: [{{ $group | quote }}]
  resources: {{ $resources | toJson }}
  verbs: [get, list, watch]
- apiGroups: [{{ $group | quote }}]
  resources:
    {{- range $resources }}
    - {{ . }}/scale
    {{- end }}
  verbs: [get, patch]
{{- end }}
# Which pods belong to a target, and whether they are ready.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [get, list, watch]
# `patch` marks pods that are to leave (deletion cost, drain); pods/status carries the warm-up gate.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, patch]
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
# Which Services keep traffic on the node of a pod, before one is drained.
- apiGroups: [""]
  resources: [services]
  verbs: [list]
# Who else writes the count.
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch]
# Paths to warm up with (pathsFrom), read by name.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create]
{{- end -}}

{{- /* rbac.scaleTargets by API group. */ -}}
{{- define "scaledcache.targetGroups" -}}
{{- $groups := dict -}}
{{- range .Values.rbac.scaleTargets -}}
{{- $group := .apiGroup -}}
{{- $_ := set $groups $group (append (get $groups $group | default list) .resource) -}}
{{- end -}}
{{- $groups | toJson -}}
{{- end -}}

{{- /* The right to read Secrets by name. */ -}}
{{- define "scaledcache.secretRules" -}}
- apiGroups: [""]
  resources: [secrets]
  {{- with .Values.rbac.secrets.names }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [get]
{{- end -}}

{{- /* The right to ask for short-lived tokens of ServiceAccounts. */ -}}
{{- define "scaledcache.tokenRules" -}}
- apiGroups: [""]
  resources: [serviceaccounts]
  {{- with .Values.rbac.serviceAccountTokens.names }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [get]
- apiGroups: [""]
  resources: [serviceaccounts/token]
  {{- with .Values.rbac.serviceAccountTokens.names }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: [create]
{{- end -}}

{{- /* Of its own namespace: the webhook's certificate, where it makes it, and the Lease. */ -}}
{{- define "scaledcache.ownRules" -}}
{{- if include "scaledcache.makesCertificate" . }}
# No name can restrict `create`.
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [{{ include "scaledcache.certificateSecret" . }}]
  verbs: [get, patch]
{{- end }}
{{- if gt (int .Values.operator.replicaCount) 1 }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [create]
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [{{ include "scaledcache.fullname" . }}]
  verbs: [get, update]
{{- end }}
{{- end -}}

{{- define "scaledcache.webhookRules" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations]
  resourceNames: [{{ include "scaledcache.webhookName" . }}]
  verbs: [get, patch]
{{- end -}}
