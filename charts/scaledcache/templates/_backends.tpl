{{- /* The rights that named backends need in the release's namespace, object by object. */ -}}
{{- define "scaledcache.backendRules" -}}
{{- $secrets := list -}}
{{- $maps := list -}}
{{- $accounts := list -}}
{{- range .Values.backend.named -}}
{{- $auth := .auth | default dict -}}
{{- $tls := .tls | default dict -}}
{{- $bearer := $auth.bearer | default dict -}}
{{- range list $bearer.secretRef (get ($auth.basic | default dict) "passwordSecretRef") (get ($auth.header | default dict) "secretRef") $tls.clientCertificateSecretRef -}}
{{- with . }}{{- $secrets = append $secrets .name }}{{- end -}}
{{- end -}}
{{- with $bearer.serviceAccount }}{{- $accounts = append $accounts .name }}{{- end -}}
{{- with $tls.caRef -}}
{{- if eq (.kind | default "ConfigMap") "Secret" }}{{- $secrets = append $secrets .name }}{{- else }}{{- $maps = append $maps .name }}{{- end -}}
{{- end -}}
{{- end -}}
{{- with $secrets | uniq | sortAlpha }}
- apiGroups: [""]
  resources: [secrets]
  resourceNames: {{ toJson . }}
  verbs: [get]
{{- end }}
{{- with $maps | uniq | sortAlpha }}
- apiGroups: [""]
  resources: [configmaps]
  resourceNames: {{ toJson . }}
  verbs: [get]
{{- end }}
{{- with $accounts | uniq | sortAlpha }}
- apiGroups: [""]
  resources: [serviceaccounts]
  resourceNames: {{ toJson . }}
  verbs: [get]
- apiGroups: [""]
  resources: [serviceaccounts/token]
  resourceNames: {{ toJson . }}
  verbs: [create]
{{- end }}
{{- end -}}
