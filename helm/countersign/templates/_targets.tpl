{{/*
The drawing: of each target the database role, the private key, and what it reaches. test/chart compares it with what
each target of the code takes and uses, both ways.
*/}}
{{- define "countersign.drawing" -}}
gateway: {role: gateway, key: caller, serves: true, reaches: [postgres, nats, redis, oidc, telemetry]}
request: {role: request, key: request, reaches: [postgres, nats, signer, telemetry]}
review: {role: review, key: review, reaches: [postgres, nats, signer, telemetry]}
execution-authority: {role: execution-authority, key: execution-authority, reaches: [postgres, nats, signer, telemetry]}
ledger: {role: ledger, key: ledger, reaches: [postgres, nats, signer, telemetry]}
notifier: {role: notifier, key: notifier, reaches: [postgres, nats, signer, telemetry]}
worker-anchor: {role: ledger, key: ledger, reaches: [postgres, nats, anchor, signer, witnesses, telemetry]}
worker-expiry: {role: request, key: request, reaches: [postgres, nats, redis, signer, telemetry]}
worker-deletion: {role: deletion, key: request, reaches: [postgres, nats, redis, signer, telemetry]}
worker-reconciliation: {role: execution-authority, key: execution-authority, reaches: [postgres, nats, redis, signer, telemetry]}
worker-delivery: {role: notifier, key: notifier, reaches: [postgres, nats, redis, smtp, webhooks, signer, telemetry]}
worker-reminder: {role: notifier, key: notifier, reaches: [postgres, nats, redis, signer, telemetry]}
{{- end }}

{{/* Names of the targets that this installation runs, as a JSON list. */}}
{{- define "countersign.running" -}}
{{- $running := list }}
{{- if .Values.allInOne }}
{{- $running = list "all" }}
{{- else }}
{{- range $name, $_ := include "countersign.drawing" . | fromYaml }}
{{- if (index $.Values.targets $name).enabled }}{{ $running = append $running $name }}{{ end }}
{{- end }}
{{- end }}
{{- $running | toJson }}
{{- end }}

{{/* A target's arrows: those of all of them for `all`. Takes (dict "root" $ "name" name). */}}
{{- define "countersign.arrows" -}}
{{- $drawing := include "countersign.drawing" .root | fromYaml }}
{{- if eq .name "all" }}
{{- $roles := list }}{{ $keys := list }}{{ $reaches := list }}
{{- range $_, $arrows := $drawing }}
{{- $roles = append $roles $arrows.role }}{{ $keys = append $keys $arrows.key }}{{ $reaches = concat $reaches $arrows.reaches }}
{{- end }}
{{- if not .root.Values.redis.existingSecret }}{{ $reaches = without $reaches "redis" }}{{ end }}
{{- dict "roles" ($roles | uniq) "keys" ($keys | uniq) "reaches" (without ($reaches | uniq) "nats") "serves" true | toJson }}
{{- else }}
{{- $arrows := index $drawing .name }}
{{- dict "roles" (list $arrows.role) "keys" (list $arrows.key) "reaches" $arrows.reaches "serves" (hasKey $arrows "serves") | toJson }}
{{- end }}
{{- end }}

{{/* A target's values: its own over the defaults. Takes (dict "root" $ "name" name); gives YAML. */}}
{{- define "countersign.targetValues" -}}
{{- $own := index .root.Values.targets .name }}
{{- mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) | toYaml }}
{{- end }}
