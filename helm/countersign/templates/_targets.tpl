{{/*
The drawing: of each target the database role and the private key (`schema` has neither), whose messages it makes or takes (with the keys that the
gateway shares with that service), and what it reaches. test/chart compares it with what
each target of the code takes and uses, both ways.
*/}}
{{- define "countersign.drawing" -}}
gateway: {role: gateway, key: caller, messages: [request, review, execution-authority, ledger, notifier], serves: true, reaches: [postgres, nats, redis, oidc, telemetry]}
schema: {reaches: [nats]}
request: {role: request, key: request, messages: [request], reaches: [postgres, nats, signer, telemetry]}
review: {role: review, key: review, messages: [review], reaches: [postgres, nats, signer, telemetry]}
execution-authority: {role: execution-authority, key: execution-authority, messages: [execution-authority], reaches: [postgres, nats, signer, telemetry]}
ledger: {role: ledger, key: ledger, messages: [ledger], reaches: [postgres, nats, signer, telemetry]}
notifier: {role: notifier, key: notifier, messages: [notifier], reaches: [postgres, nats, signer, telemetry]}
worker-anchor: {role: ledger, key: ledger, reaches: [postgres, nats, anchor, signer, witnesses, telemetry]}
worker-security-log: {role: security-log, reaches: [postgres, nats, collectors, telemetry]}
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
{{- $roles := list }}{{ $keys := list }}{{ $messages := list }}{{ $reaches := list }}
{{- range $_, $arrows := $drawing }}
{{- with $arrows.role }}{{ $roles = append $roles . }}{{ end }}{{ with $arrows.key }}{{ $keys = append $keys . }}{{ end }}{{ $reaches = concat $reaches $arrows.reaches }}
{{- $messages = concat $messages (default list $arrows.messages) }}
{{- end }}
{{- if not .root.Values.redis.existingSecret }}{{ $reaches = without $reaches "redis" }}{{ end }}
{{- if not (include "countersign.sinks" .root) }}{{ $roles = without $roles "security-log" }}{{ end }}
{{- dict "roles" ($roles | uniq) "keys" ($keys | uniq) "messages" ($messages | uniq) "reaches" (without ($reaches | uniq) "nats") "serves" true | toJson }}
{{- else }}
{{- $arrows := index $drawing .name }}
{{- dict "roles" (compact (list $arrows.role)) "keys" (compact (list $arrows.key)) "messages" (default list $arrows.messages) "reaches" $arrows.reaches "serves" (hasKey $arrows "serves") | toJson }}
{{- end }}
{{- end }}

{{/* A target's values: its own over the defaults. Takes (dict "root" $ "name" name); gives YAML. */}}
{{- define "countersign.targetValues" -}}
{{- $own := index .root.Values.targets .name }}
{{- mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) | toYaml }}
{{- end }}
