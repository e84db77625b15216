{{- /* The container's command line. */ -}}
{{- define "scaledcache.args" -}}
- controller
{{- with .Values.backend.url }}
- {{ printf "--backend-url=%s" . | quote }}
{{- end }}
{{- with .Values.backend.matchers }}
- {{ printf "--backend-matchers=%s" . | quote }}
{{- end }}
{{- if .Values.backend.named }}
- --backends-config=/etc/scaledcache/backends/backends.yaml
{{- end }}
{{- range .Values.backend.replicaLabels }}
- {{ printf "--replica-labels=%s" . | quote }}
{{- end }}
{{- range (include "scaledcache.namespaces" . | fromJson).list }}
- {{ printf "--namespace=%s" . | quote }}
{{- end }}
- --max-replicas-limit={{ .Values.operator.maxReplicasLimit }}
- --workers={{ .Values.operator.workers }}
- --warmup-requests-per-second={{ .Values.operator.warmupRequestsPerSecond }}
- --listen-address=0.0.0.0:{{ .Values.service.port }}
{{- if .Values.webhooks.enabled }}
- --webhook-address=0.0.0.0:{{ .Values.webhooks.port }}
{{- if eq (include "scaledcache.certificates" .) "own" }}
- --webhook-service={{ include "scaledcache.webhookName" . }}
- --webhook-secret={{ include "scaledcache.certificateSecret" . }}
- --webhook-configuration={{ include "scaledcache.webhookName" . }}
{{- else }}
- --webhook-cert-dir=/etc/scaledcache/webhook
{{- end }}
{{- end }}
{{- if .Values.page.enabled }}
- --page-address={{ ternary "0.0.0.0" "127.0.0.1" (ne .Values.page.tokenSecret.name "") }}:{{ .Values.page.port }}
{{- if .Values.page.tokenSecret.name }}
- --page-token-file=/etc/scaledcache/page/token
{{- end }}
{{- end }}
{{- if gt (int .Values.operator.replicaCount) 1 }}
- --leader-elect
- --lease-name={{ include "scaledcache.fullname" . }}
- --lease-namespace={{ .Release.Namespace }}
{{- end }}
- --log-level={{ .Values.logging.operator.level }}
- --log-format={{ .Values.logging.operator.format }}
{{- $values := dict "backend-url" "backend.url" "backend-matchers" "backend.matchers" "backends-config" "backend.named" "replica-labels" "backend.replicaLabels" "namespace" "watchNamespace" "max-replicas-limit" "operator.maxReplicasLimit" "workers" "operator.workers" "warmup-requests-per-second" "operator.warmupRequestsPerSecond" "listen-address" "service.port" "webhook-address" "webhooks.port" "webhook-service" "fullnameOverride" "webhook-secret" "certificates.secretName" "webhook-configuration" "fullnameOverride" "webhook-cert-dir" "certificates" "leader-elect" "operator.replicaCount" "lease-name" "fullnameOverride" "lease-namespace" "operator.replicaCount" "page-address" "page.enabled" "page-token-file" "page.tokenSecret" "log-level" "logging.operator.level" "log-format" "logging.operator.format" }}
{{- range $flag, $value := .Values.extraArgs }}
{{- with get $values $flag }}
{{- fail (printf "extraArgs.%s: set %s instead" $flag .) }}
{{- end }}
{{- if kindIs "slice" $value }}
{{- range $value }}
- {{ printf "--%s=%v" $flag . | quote }}
{{- end }}
{{- else if kindIs "bool" $value }}
{{- if $value }}
- --{{ $flag }}
{{- end }}
{{- else }}
- {{ printf "--%s=%v" $flag $value | quote }}
{{- end }}
{{- end }}
{{- end -}}
