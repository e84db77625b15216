{{- /* What the operator does in a namespace whose ScaledCaches it obeys, and nothing else. */ -}}
{{- define "scaledcache.rules" -}}
- apiGroups: [scaledcache.io]
  resources: [scaledcaches]
  verbs: [get, list, watch, patch]  # patch: the finalizer of restoreReplicasOnDelete
- apiGroups: [scaledcache.io]
  resources: [scaledcaches/status]
  verbs: [patch]
# Which pods belong to a target, and whether they are ready. Always all three: without one of them
# the operator does not know a namespace. No workload's own spec is ever written.
- apiGroups: [apps]
  resources: [deployments, statefulsets, replicasets]
  verbs: [list, watch]
# What may be scaled. Only of kinds that are not watched the scale is read as well.
{{- range $group, $resources := include "scaledcache.targetGroups" . | fromJson }}
{{- $watched := list }}
{{- $others := list }}
{{- range $resources }}
{{- if and (eq $group "apps") (has . (list "deployments" "statefulsets")) }}
{{- $watched = append $watched (printf "%s/scale" .) }}
{{- else }}
{{- $others = append $others (printf "%s/scale" .) }}
{{- end }}
{{- end }}
{{- with $watched }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ toJson . }}
  verbs: [patch]
{{- end }}
{{- with $others }}
- apiGroups: [{{ $group | quote }}]
  resources: {{ toJson . }}
  verbs: [get, patch]
{{- end }}
{{- end }}
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
  verbs: [list, watch]
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

{{- /* What `scaledcache release` does after an uninstall. */ -}}
{{- define "scaledcache.removalRules" -}}
- apiGroups: [""]
  resources: [pods]
  verbs: [list]
- apiGroups: [""]
  resources: [pods/status]
  verbs: [patch]
- apiGroups: [scaledcache.io]
  resources: [scaledcaches]
  verbs: [list, patch]
{{- end -}}
