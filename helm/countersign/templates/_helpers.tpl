{{- define "countersign.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- end }}

{{- define "countersign.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "countersign.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "countersign.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: countersign
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
metadata of an object. Takes (dict "root" $ "name" suffix "component" component "labels" {} "annotations" {}); a name of
'' is that of the release.
*/}}
{{- define "countersign.metadata" -}}
name: {{ include "countersign.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "countersign.labels" .root | nindent 2 }}
  {{- with .component }}
  app.kubernetes.io/component: {{ . }}
  {{- end }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "countersign.image" -}}
{{- with .Values.image }}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ default $.Chart.AppVersion .tag }}{{ end }}
{{- end }}
{{- end }}

{{/* Takes (dict "root" $ "name" name "values" values) of a target. */}}
{{- define "countersign.serviceAccountName" -}}
{{- $own := printf "%s-%s" (include "countersign.fullname" .root) .name }}
{{- default (.values.serviceAccount.create | ternary $own "default") .values.serviceAccount.name }}
{{- end }}

{{/* Host of an origin; of the sandbox origin with a wildcard for the scope. */}}
{{- define "countersign.host" -}}
{{- regexReplaceAll ":[0-9]+$" (. | replace "https://" "" | replace "http://" "" | replace "{scope}" "*") "" }}
{{- end }}

{{/* A source of a projected volume: one key of a Secret. Missing ones do not keep the pod from telling that they are. */}}
{{- define "countersign.secretFile" -}}
- secret:
    name: {{ .secret }}
    optional: true
    items:
      - {key: {{ .key | quote }}, path: {{ .path | quote }}}
{{- end }}
