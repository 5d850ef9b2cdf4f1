{{/*
Of each target the database role and the private key (`schema` has neither), whose messages it makes or takes (with the keys that
the gateway shares with that service), and what it reaches: the table of targets of the code.
*/}}
{{- define "countersign.targets" -}}
{{- .Files.Get "files/targets.yaml" }}
{{- end }}

{{/* Names of the targets that this installation runs, as a JSON list. */}}
{{- define "countersign.running" -}}
{{- $running := list }}
{{- if .Values.allInOne }}
{{- $running = list "all" }}
{{- else }}
{{- range $name, $target := include "countersign.targets" . | fromYaml }}
{{- $own := default dict (index $.Values.targets $name) }}
{{- if hasKey $own "enabled" | ternary $own.enabled (ne $target.installed "optional") }}{{ $running = append $running $name }}{{ end }}
{{- end }}
{{- end }}
{{- $running | toJson }}
{{- end }}

{{/* A target's arrows: those of all of them for `all`. Takes (dict "root" $ "name" name). */}}
{{- define "countersign.arrows" -}}
{{- $drawing := include "countersign.targets" .root | fromYaml }}
{{- if eq .name "all" }}
{{- $roles := list }}{{ $keys := list }}{{ $messages := list }}{{ $reaches := list }}
{{- range $_, $arrows := $drawing }}
{{- with $arrows.role }}{{ $roles = append $roles . }}{{ end }}{{ with $arrows.key }}{{ $keys = append $keys . }}{{ end }}{{ $reaches = concat $reaches $arrows.reaches }}
{{- $messages = concat $messages (default list $arrows.messages) }}
{{- end }}
{{- if not (or .root.Values.redis.existingSecret .root.Values.redis.url) }}{{ $reaches = without $reaches "redis" }}{{ end }}
{{- if not (include "countersign.sinks" .root) }}{{ $roles = without $roles "security-log" }}{{ end }}
{{- dict "roles" ($roles | uniq) "keys" ($keys | uniq) "messages" ($messages | uniq) "reaches" (without ($reaches | uniq) "nats") "listens" true | toJson }}
{{- else }}
{{- $arrows := index $drawing .name }}
{{- dict "roles" (compact (list $arrows.role)) "keys" (compact (list $arrows.key)) "messages" (default list $arrows.messages) "reaches" $arrows.reaches "listens" (hasKey $arrows "listens") | toJson }}
{{- end }}
{{- end }}

{{/* A target's values: its own over the defaults. Takes (dict "root" $ "name" name); gives YAML. */}}
{{- define "countersign.targetValues" -}}
{{- $own := default dict (index .root.Values.targets .name) }}
{{- mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) | toYaml }}
{{- end }}
