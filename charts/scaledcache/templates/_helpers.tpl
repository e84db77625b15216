{{- define "scaledcache.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "scaledcache.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "scaledcache.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "scaledcache.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "scaledcache.selectorLabels" -}}
app.kubernetes.io/name: {{ include "scaledcache.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "scaledcache.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "scaledcache.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: scaledcache
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Labels and annotations of one object; call with (list $ extraLabels extraAnnotations). */ -}}
{{- define "scaledcache.metadata" -}}
{{- $ := index . 0 -}}
{{- $labels := index . 1 | default dict -}}
{{- $annotations := merge (dict) (index . 2 | default dict) $.Values.additionalAnnotations -}}
labels:
  {{- include "scaledcache.labels" $ | nindent 2 }}
  {{- with $labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "scaledcache.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "scaledcache.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- required "serviceAccount.name is needed with serviceAccount.create=false" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "scaledcache.image" -}}
{{- $name := .Values.image.repository -}}
{{- with .Values.image.registry -}}{{- $name = printf "%s/%s" (trimSuffix "/" .) $name -}}{{- end -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $name .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* The watched namespaces as a JSON list under `list`; empty means all. */ -}}
{{- define "scaledcache.namespaces" -}}
{{- $names := list -}}
{{- if kindIs "slice" .Values.watchNamespace -}}
{{- $names = .Values.watchNamespace -}}
{{- else -}}
{{- range splitList "," .Values.watchNamespace -}}
{{- with trim . -}}{{- $names = append $names . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "list" (uniq $names) | toJson -}}
{{- end -}}
