{{/* Egress rules to the places named. Takes (dict "root" $ "reaches" names). */}}
{{- define "countersign.egress" -}}
{{- $v := .root.Values }}
{{- range .reaches }}
{{- if eq . "dns" }}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
  {{- with $v.networkPolicy.dns }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- else if and (eq . "smtp") (not $v.smtp.from) }}
{{- else if and (eq . "webhooks") (not (include "countersign.webhooks" $.root)) }}
{{- else if and (eq . "anchor") (not $v.anchor.s3.bucket) }}
{{- else if and (eq . "witnesses") (not (hasKey $v.settings "WITNESSES")) }}
{{- else if and (eq . "signer") (not (hasKey $v.settings "VAULT_ADDR")) }}
{{- else if and (eq . "collectors") (not (regexMatch "URL" (include "countersign.sinks" $.root))) }}
{{- else if and (eq . "telemetry") (not (include "countersign.traces" $.root)) }}
{{- else }}
{{- $place := index $v.networkPolicy . }}
- ports:
    {{- range $place.ports }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- with (eq (toString $place.peers) "public" | ternary $v.networkPolicy.publicAddresses $place.peers) }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Not empty when producers may have webhooks, or channels of Slack and Teams are told of reviews. */}}
{{- define "countersign.webhooks" -}}
{{- $given := merge (dict) .Values.secretSettings .Values.settings (default (dict) (index .Values.targets "worker-delivery").settings) (default (dict) .Values.targets.all.settings) }}
{{- if or .Values.webhooks.hosts (hasKey $given "CHAT_WEBHOOKS") }}yes{{ end }}
{{- end }}

{{/* Not empty when traces are sent anywhere. */}}
{{- define "countersign.traces" -}}
{{- range $name, $_ := .Values.settings }}{{ if contains "OTEL_EXPORTER" $name }}yes{{ end }}{{ end }}
{{- range .Values.defaults.extraEnv }}{{ if contains "OTEL_EXPORTER" .name }}yes{{ end }}{{ end }}
{{- end }}

{{/* Settings that name where the security log is sent to, with spaces between them. */}}
{{- define "countersign.sinks" -}}
{{- $given := merge (dict) .Values.settings .Values.secretSettings (default (dict) (index .Values.targets "worker-security-log").settings) (default (dict) .Values.targets.all.settings) }}
{{- $sinks := list }}
{{- range list "SECURITY_LOG_LINES" "SECURITY_LOG_OTLP_URL" "SECURITY_LOG_SYSLOG_URL" }}
{{- if hasKey $given . }}{{ $sinks = append $sinks . }}{{ end }}
{{- end }}
{{- $sinks | join " " }}
{{- end }}
