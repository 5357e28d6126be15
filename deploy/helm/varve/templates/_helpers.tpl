{{- define "varve.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "varve.selector" -}}
app.kubernetes.io/name: varve
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "varve.labels" -}}
{{ include "varve.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "varve.secret" -}}
{{- if .Values.keys.existingSecret -}}
{{ .Values.keys.existingSecret }}
{{- else if .Values.keys.accessKeyId -}}
{{ include "varve.name" . }}
{{- end -}}
{{- end -}}

{{- define "varve.scheme" -}}
{{ if .Values.tls.secret }}HTTPS{{ else }}HTTP{{ end }}
{{- end -}}
