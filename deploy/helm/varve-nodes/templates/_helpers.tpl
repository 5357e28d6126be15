{{- define "nodes.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "nodes.selector" -}}
app.kubernetes.io/name: varve-nodes
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "nodes.labels" -}}
{{ include "nodes.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
