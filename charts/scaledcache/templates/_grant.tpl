{{- /*
Gives the operator's ServiceAccount rules, everywhere or in some namespaces; call with
(list $ name namespaces rules), where no namespaces mean everywhere. A fifth element may name other
`annotations` for the objects and another `account`.
*/ -}}
{{- define "scaledcache.grant" -}}
{{- $ := index . 0 -}}
{{- $name := index . 1 -}}
{{- $rules := index . 3 -}}
{{- $more := dict }}
{{- if gt (len .) 4 }}{{ $more = index . 4 }}{{ end }}
{{- $account := $more.account | default (include "scaledcache.serviceAccountName" $) }}
{{- $places := index . 2 | default (list "") -}}
{{- range $places }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "Role" "ClusterRole" (ne . "") }}
metadata:
  name: {{ $name }}
  {{- with . }}
  namespace: {{ . }}
  {{- end }}
  {{- include "scaledcache.metadata" (list $ nil $more.annotations) | nindent 2 }}
rules:
  {{- $rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ ternary "RoleBinding" "ClusterRoleBinding" (ne . "") }}
metadata:
  name: {{ $name }}
  {{- with . }}
  namespace: {{ . }}
  {{- end }}
  {{- include "scaledcache.metadata" (list $ nil $more.annotations) | nindent 2 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ ternary "Role" "ClusterRole" (ne . "") }}
  name: {{ $name }}
subjects:
  - kind: ServiceAccount
    name: {{ $account }}
    namespace: {{ $.Release.Namespace }}
{{- end }}
{{- end -}}
