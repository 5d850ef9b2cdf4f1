{{/* Labels of a pod that runs one command. Takes (dict "root" $ "component" component). */}}
{{- define "countersign.commandLabels" -}}
{{ include "countersign.selectorLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Spec of a pod that runs one command of ours and ends. Takes (dict "root" $ "args" args "env" env "sources" sources "account" name). */}}
{{- define "countersign.commandPod" -}}
{{- $v := .root.Values }}
{{- with .account }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: false
enableServiceLinks: false
restartPolicy: Never
securityContext:
  {{- toYaml $v.defaults.podSecurityContext | nindent 2 }}
{{- with $v.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
{{- $placement := default (index $v.defaults .) (index $v.migration .) }}
{{- if $placement }}
{{ dict . $placement | toYaml }}
{{- end }}
{{- end }}
containers:
  - name: countersign
    image: {{ include "countersign.image" .root }}
    imagePullPolicy: {{ $v.image.pullPolicy }}
    command: {{ concat (list "node" "/app/deploy/countersign.mjs") .args | toJson }}
    {{- with .env }}
    env:
      {{- . | trim | nindent 6 }}
    {{- end }}
    resources:
      {{- toYaml $v.migration.resources | nindent 6 }}
    securityContext:
      {{- toYaml $v.defaults.securityContext | nindent 6 }}
    volumeMounts:
      - {name: secrets, mountPath: /run/countersign, readOnly: true}
      {{- if $v.caBundle.existingConfigMap }}
      - {name: ca, mountPath: /etc/countersign/ca, readOnly: true}
      {{- end }}
volumes:
  - name: secrets
    projected:
      defaultMode: 0444
      sources:
        {{- .sources | trim | nindent 8 }}
  {{- if $v.caBundle.existingConfigMap }}
  - name: ca
    configMap: {name: {{ $v.caBundle.existingConfigMap }}}
  {{- end }}
{{- end }}

{{/* A lifecycle as a producer's program, through the gateway's Service. */}}
{{- define "countersign.probePod" -}}
{{- $v := .Values }}
{{- $args := list "probe"
  (printf "--url=http://%s:%v" (include "countersign.fullname" .) $v.service.port)
  (printf "--origin=%s" $v.origin)
  (printf "--route=%s" $v.test.route)
  "--token-file=/run/countersign/token"
  "--trust=/run/countersign/trust.json" }}
{{- $sources := printf "%s\n%s"
  (include "countersign.secretFile" (dict "secret" $v.test.existingSecret "key" $v.test.key "path" "token"))
  (include "countersign.secretFile" (dict "secret" $v.keys.existingSecret "key" "trust.json" "path" "trust.json")) }}
{{- include "countersign.commandPod" (dict "root" . "args" $args "sources" $sources) }}
{{- end }}

{{- define "countersign.probeEgress" -}}
{{ include "countersign.egress" (dict "root" . "reaches" (list "dns")) }}
- ports: [{port: 8080}]
  to:
    - podSelector:
        matchLabels:
          {{- include "countersign.selectorLabels" . | nindent 10 }}
          app.kubernetes.io/component: {{ ternary "all" "gateway" .Values.allInOne }}
{{- end }}

{{/* Variables of a command that is the owner of the database. */}}
{{- define "countersign.ownerEnv" -}}
{{- $v := .Values }}
{{- include "countersign.login" (dict "url" $v.postgres.url "suffix" "" "file" "/run/countersign/owner" "tlsSecret" $v.postgres.migration.tlsSecret) }}
- {name: MODE, value: {{ $v.mode | quote }}}
{{- with $v.settings.ALLOW_PLAINTEXT_STORES }}
- {name: ALLOW_PLAINTEXT_STORES, value: {{ . | quote }}}
{{- end }}
{{- if $v.caBundle.existingConfigMap }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/countersign/ca/{{ $v.caBundle.key }}}
{{- end }}
{{- end }}

{{/* The ledger against the tables and the anchor store, as the owner of the database. */}}
{{- define "countersign.fsckPod" -}}
{{- $v := .Values }}
{{- $args := list "fsck" "--json" "--trust=/run/countersign/trust.json" }}
{{- if $v.anchor.s3.bucket }}
{{- $args = append $args (printf "--store=s3://%s/%s" $v.anchor.s3.bucket $v.anchor.s3.prefix) }}
{{- end }}
{{- $env := printf "%s\n%s" (include "countersign.ownerEnv" .) (include "countersign.anchorEnv" .) }}
{{- $sources := printf "%s\n%s\n%s" (include "countersign.ownerFiles" .) (include "countersign.anchorFiles" .)
  (include "countersign.secretFile" (dict "secret" $v.keys.existingSecret "key" "trust.json" "path" "trust.json")) }}
{{- $anchoring := ternary "all" "worker-anchor" $v.allInOne }}
{{- $values := include "countersign.targetValues" (dict "root" . "name" $anchoring) | fromYaml }}
{{- $account := include "countersign.serviceAccountName" (dict "root" . "name" $anchoring "values" $values) }}
{{- include "countersign.commandPod" (dict "root" . "args" $args "env" $env "sources" $sources "account" $account) }}
{{- end }}
