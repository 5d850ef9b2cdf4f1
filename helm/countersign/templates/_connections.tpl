{{/* The largest number of pods that a target has at a time, those of a rollout included. Takes its values. */}}
{{- define "countersign.mostPods" -}}
{{- $pods := int .replicas }}
{{- if .autoscaling.enabled }}{{ $pods = int .autoscaling.maxReplicas }}{{ else if .keda.enabled }}{{ $pods = int .keda.maxReplicas }}{{ end }}
{{- $surge := 0 }}
{{- if ne .strategy.type "Recreate" }}
{{- $given := toString (default "25%" (get (default dict .strategy.rollingUpdate) "maxSurge")) }}
{{- $surge = int $given }}
{{- if hasSuffix "%" $given }}{{ $surge = int (ceil (divf (mulf $pods (trimSuffix "%" $given)) 100)) }}{{ end }}
{{- end }}
{{- add $pods $surge }}
{{- end }}

{{/*
Refuses pools that do not fit into the server together. Each service of a pod opens DATABASE_CONNECTIONS, and two more for reads
of large values (docs/operations.md, "Scale").
*/}}
{{- define "countersign.checkConnections" -}}
{{- $v := .Values }}
{{- if $v.postgres.maxConnections }}
{{- $sum := 0 }}
{{- $parts := list }}
{{- range $name := include "countersign.running" . | fromJsonArray }}
{{- $t := include "countersign.targetValues" (dict "root" $ "name" $name) | fromYaml }}
{{- $roles := len (include "countersign.arrows" (dict "root" $ "name" $name) | fromJson).roles }}
{{- if $roles }}
{{- $pool := add 2 (int (default (default 10 $v.settings.DATABASE_CONNECTIONS) $t.settings.DATABASE_CONNECTIONS)) }}
{{- $connections := mul (include "countersign.mostPods" $t | int) $roles $pool }}
{{- $sum = add $sum $connections }}
{{- $parts = append $parts (printf "%s %d" $name $connections) }}
{{- end }}
{{- end }}
{{- if gt (int $sum) (int $v.postgres.maxConnections) }}{{ fail (printf "postgres.maxConnections is %d, but all pods together may open %d connections (%s): raise max_connections of the server and this value, or lower replicas, maxReplicas or settings.DATABASE_CONNECTIONS." (int $v.postgres.maxConnections) (int $sum) (join ", " $parts)) }}{{ end }}
{{- end }}
{{- end }}
