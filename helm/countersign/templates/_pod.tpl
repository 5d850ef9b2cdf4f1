{{/* Whether the gateway asks this target. Takes (dict "name" name "arrows" arrows). */}}
{{- define "countersign.isAsked" -}}
{{- and (not (empty .arrows.messages)) (ne .name "gateway") }}
{{- end }}

{{/* Whether a target logs in to Vault by its service account, for the keys that it signs with. Takes what "countersign.files" does. */}}
{{- define "countersign.vaultLogin" -}}
{{- $settings := merge (dict) .values.settings .root.Values.settings }}
{{- if and (hasKey $settings "VAULT_KUBERNETES_ROLE") (without .arrows.keys "caller") }}true{{ end }}
{{- end }}

{{/* What a target's files come from. Takes (dict "root" $ "name" name "arrows" arrows). */}}
{{- define "countersign.files" -}}
{{- $v := .root.Values }}
{{- range $role := .arrows.roles }}
{{- $own := default (dict) (index $v.postgres.roles .) }}
{{- $secret := default $v.postgres.existingSecret $own.existingSecret }}
{{- if $v.postgres.url }}
{{- $at := ternary "" (printf "%s-" .) (hasKey $own "existingSecret") }}
{{ include "countersign.secretFile" (dict "secret" $secret "key" (default (printf "%susername" $at) $own.usernameKey) "path" (printf "postgres/%s.username" .)) }}
{{ include "countersign.secretFile" (dict "secret" $secret "key" (default (printf "%spassword" $at) $own.passwordKey) "path" (printf "postgres/%s.password" .)) }}
{{- else }}
{{ include "countersign.secretFile" (dict "secret" $secret "key" (default . $own.key) "path" (printf "postgres/%s" .)) }}
{{- end }}
{{- with $own.tlsSecret }}
{{ include "countersign.certificateFiles" (dict "secret" . "path" (printf "postgres/%s" $role)) }}
{{- end }}
{{- end }}
{{- range .arrows.keys }}
{{- $own := default (dict) (index $v.keys.services .) }}
{{ include "countersign.secretFile" (dict "secret" (default $v.keys.existingSecret $own.existingSecret) "key" (default (printf "%s.pem" .) $own.key) "path" (printf "keys/%s.pem" .)) }}
{{- end }}
{{- if include "countersign.vaultLogin" . }}
- serviceAccountToken: {path: vault-jwt, audience: {{ $v.keys.vaultAudience | quote }}, expirationSeconds: 3600}
{{- end }}
{{- range .arrows.messages }}
{{ include "countersign.secretFile" (dict "secret" (default $v.keys.existingSecret $v.keys.messages.existingSecret) "key" (printf "%s.message-keys" .) "path" (printf "keys/%s.message-keys" .)) }}
{{- end }}
{{- if .arrows.roles }}
{{- range (ternary (list "caller.pub.pem" "trust.json") (list "trust.json") (include "countersign.isAsked" . | eq "true")) }}
{{ include "countersign.secretFile" (dict "secret" $v.keys.existingSecret "key" . "path" (printf "keys/%s" .)) }}
{{- end }}
{{- end }}
{{- if and (has "nats" .arrows.reaches) (ne $v.nats.auth "none") }}
{{ include "countersign.secretFile" (dict "secret" $v.nats.existingSecret "key" .name "path" "nats") }}
{{- end }}
{{- if and (has "redis" .arrows.reaches) $v.redis.existingSecret }}
{{ include "countersign.secretFile" (dict "secret" $v.redis.existingSecret "key" $v.redis.key "path" "redis") }}
{{- end }}
{{- if and .arrows.listens $v.oidc.existingSecret }}
{{- range list "client-id" "client-secret" }}
{{ include "countersign.secretFile" (dict "secret" $v.oidc.existingSecret "key" . "path" (printf "oidc/%s" .)) }}
{{- end }}
{{- end }}
{{- if and (has "smtp" .arrows.reaches) $v.smtp.from }}
{{ include "countersign.secretFile" (dict "secret" $v.smtp.existingSecret "key" $v.smtp.key "path" "smtp") }}
{{- end }}
{{- if has "anchor" .arrows.reaches }}
{{ include "countersign.anchorFiles" .root }}
{{- end }}
{{- $readers := .root.Files.Get "files/settings.json" | fromJson }}
{{- range $setting, $from := $v.secretSettings }}
{{- if or (eq $.name "all") (has $.name (index $readers $setting)) }}
{{ include "countersign.secretFile" (dict "secret" $from.existingSecret "key" $from.key "path" (printf "settings/%s" $setting)) }}
{{- end }}
{{- end }}
{{- end }}

{{/*
How a database role logs in: by a URL, or by user name and password, and with a client certificate if it has one. Takes
(dict "url" url "suffix" suffix "file" path "tlsSecret" name).
*/}}
{{- define "countersign.login" }}
{{- if .url }}
{{- $more := ternary (printf "%ssslcert=%s.crt&sslkey=%s.key" (ternary "&" "?" (contains "?" .url)) .file .file) "" (not (empty .tlsSecret)) }}
- {name: DATABASE_URL{{ .suffix }}, value: {{ print .url $more | quote }}}
- {name: DATABASE_USERNAME{{ .suffix }}_FILE, value: {{ .file }}.username}
- {name: DATABASE_PASSWORD{{ .suffix }}_FILE, value: {{ .file }}.password}
{{- else }}
- {name: DATABASE_URL{{ .suffix }}_FILE, value: {{ .file }}}
{{- end }}
{{- end }}

{{/* The same of a role. Takes (dict "root" $ "suffix" suffix "role" role). */}}
{{- define "countersign.roleLogin" }}
{{- $own := default (dict) (index .root.Values.postgres.roles .role) }}
{{- include "countersign.login" (dict "url" .root.Values.postgres.url "suffix" .suffix "file" (printf "/run/countersign/postgres/%s" .role) "tlsSecret" $own.tlsSecret) }}
{{- end }}

{{/* The client certificate of a database role. Takes (dict "secret" name "path" path). */}}
{{- define "countersign.certificateFiles" -}}
{{ include "countersign.secretFile" (dict "secret" .secret "key" "tls.crt" "path" (printf "%s.crt" .path)) }}
{{ include "countersign.secretFile" (dict "secret" .secret "key" "tls.key" "path" (printf "%s.key" .path)) }}
{{- end }}

{{/* Where the anchor store is. */}}
{{- define "countersign.anchorEnv" }}
{{- with .Values.anchor.s3 }}
{{- if .bucket }}
- {name: ANCHOR_S3_BUCKET, value: {{ .bucket | quote }}}
- {name: ANCHOR_S3_PREFIX, value: {{ .prefix | quote }}}
- {name: ANCHOR_S3_REGION, value: {{ .region | quote }}}
- {name: ANCHOR_S3_ENDPOINT, value: {{ .endpoint | quote }}}
- {name: ANCHOR_S3_PATH_STYLE, value: {{ .pathStyle | quote }}}
{{- if .existingSecret }}
- {name: ANCHOR_S3_ACCESS_KEY_ID_FILE, value: /run/countersign/anchor/access-key-id}
- {name: ANCHOR_S3_SECRET_ACCESS_KEY_FILE, value: /run/countersign/anchor/secret-access-key}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Its credentials, if the cloud gives none. */}}
{{- define "countersign.anchorFiles" -}}
{{- $v := .Values }}
{{- if and $v.anchor.s3.bucket $v.anchor.s3.existingSecret }}
{{- range list "access-key-id" "secret-access-key" }}
{{ include "countersign.secretFile" (dict "secret" $v.anchor.s3.existingSecret "key" . "path" (printf "anchor/%s" .)) }}
{{- end }}
{{- end }}
{{- end }}

{{/* The login of the database's owner. */}}
{{- define "countersign.ownerFiles" -}}
{{- with .Values.postgres }}
- secret:
    name: {{ .migration.existingSecret }}
    {{- if .url }}
    items: [{key: {{ .migration.usernameKey | quote }}, path: owner.username}, {key: {{ .migration.passwordKey | quote }}, path: owner.password}]
    {{- else }}
    items: [{key: {{ .migration.key | quote }}, path: owner}]
    {{- end }}
{{- with .migration.tlsSecret }}
{{ include "countersign.certificateFiles" (dict "secret" . "path" "owner") }}
{{- end }}
{{- end }}
{{- end }}

{{/* A target's variables, as a list. Takes (dict "root" $ "name" name "arrows" arrows "values" values). */}}
{{- define "countersign.env" -}}
{{- $v := .root.Values }}
{{- $at := "/run/countersign" }}
- {name: MODE, value: {{ $v.mode | quote }}}
{{- $readers := .root.Files.Get "files/settings.json" | fromJson }}
{{- if or (eq .name "all") (has .name $readers.SANDBOX_ORIGIN) }}
- {name: SANDBOX_ORIGIN, value: {{ $v.sandboxOrigin | quote }}}
{{- end }}
{{- if or (eq .name "all") (has .name $readers.OIDC_ISSUER) }}
- {name: OIDC_ISSUER, value: {{ $v.oidc.issuer | quote }}}
{{- end }}
- {name: HEALTH_PORT, value: "9090"}
{{- if .arrows.roles }}
- {name: ORIGIN, value: {{ $v.origin | quote }}}
- {name: TRUST_FILE, value: {{ $at }}/keys/trust.json}
{{- if include "countersign.isAsked" . | eq "true" }}
- {name: CALLER_PUBLIC_KEY_FILE, value: {{ $at }}/keys/caller.pub.pem}
{{- end }}
{{- range .arrows.messages }}
- {name: {{ . | upper | replace "-" "_" }}_MESSAGE_KEYS_FILE, value: {{ $at }}/keys/{{ . }}.message-keys}
{{- end }}
{{- include "countersign.roleLogin" (dict "root" .root "suffix" "" "role" (first .arrows.roles)) }}
{{- end }}
{{- if gt (len .arrows.roles) 1 }}
{{- range .arrows.roles }}
{{- include "countersign.roleLogin" (dict "root" $.root "suffix" (printf "_%s" (. | upper | replace "-" "_")) "role" .) }}
{{- end }}
{{- end }}
{{- range .arrows.keys }}
{{- if eq . "caller" }}
- {name: CALLER_PRIVATE_KEY_FILE, value: {{ $at }}/keys/caller.pem}
{{- else }}
- {name: {{ . | upper | replace "-" "_" }}_SIGNING_KEY_FILE, value: {{ $at }}/keys/{{ . }}.pem}
{{- end }}
{{- end }}
{{- if include "countersign.vaultLogin" . }}
- {name: VAULT_KUBERNETES_JWT_FILE, value: {{ $at }}/vault-jwt}
{{- end }}
{{- if has "nats" .arrows.reaches }}
- {name: NATS_URL, value: {{ $v.nats.url | quote }}}
{{- if eq $v.nats.auth "password" }}
- {name: NATS_USER, value: {{ printf "%s%s" $v.nats.userPrefix .name | quote }}}
- {name: NATS_PASSWORD_FILE, value: {{ $at }}/nats}
{{- else if eq $v.nats.auth "credentials" }}
- {name: NATS_CREDENTIALS_FILE, value: {{ $at }}/nats}
{{- end }}
{{- end }}
{{- if has "redis" .arrows.reaches }}
{{- if $v.redis.url }}
- {name: REDIS_URL, value: {{ $v.redis.url | quote }}}
{{- else }}
- {name: REDIS_URL_FILE, value: {{ $at }}/redis}
{{- end }}
{{- end }}
{{- if .arrows.listens }}
- {name: HOST, value: "0.0.0.0"}
- {name: PORT, value: "8080"}
- {name: SANDBOX_PORT, value: "8081"}
- {name: OIDC_CLIENT_AUTHENTICATION, value: {{ $v.oidc.clientAuthentication }}}
{{- if $v.oidc.existingSecret }}
- {name: OIDC_CLIENT_ID_FILE, value: {{ $at }}/oidc/client-id}
- {name: OIDC_CLIENT_SECRET_FILE, value: {{ $at }}/oidc/client-secret}
{{- end }}
{{- end }}
{{- if and $v.smtp.from (or (eq .name "all") (has .name $readers.MAIL_FROM)) }}
- {name: MAIL_FROM, value: {{ $v.smtp.from | quote }}}
{{- if has "smtp" .arrows.reaches }}
- {name: SMTP_URL_FILE, value: {{ $at }}/smtp}
{{- end }}
{{- end }}
{{- if or (eq .name "all") (has .name $readers.WEBHOOK_HOSTS) }}
{{- with $v.webhooks.hosts }}
- {name: WEBHOOK_HOSTS, value: {{ join "," . | quote }}}
{{- end }}
{{- end }}
{{- if has "anchor" .arrows.reaches }}
{{- with $v.anchor.directory }}
- {name: ANCHOR_DIR, value: {{ . | quote }}}
{{- end }}
{{- include "countersign.anchorEnv" .root }}
{{- end }}
{{- if $v.caBundle.existingConfigMap }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/countersign/ca/{{ $v.caBundle.key }}}
{{- end }}
{{- range $setting, $from := $v.secretSettings }}
{{- if or (eq $.name "all") (has $.name (index $readers $setting)) }}
- {name: {{ $setting }}_FILE, value: {{ $at }}/settings/{{ $setting }}}
{{- end }}
{{- end }}
{{- range $setting, $value := merge (dict) .values.settings $v.settings }}
{{- if or (eq $.name "all") (has $.name (index $readers $setting)) }}
- {name: {{ $setting }}, value: {{ include "countersign.text" $value | quote }}}
{{- end }}
{{- end }}
{{- with .values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Numbers come out of YAML as floats: 1000000 must not become 1e+06. */}}
{{- define "countersign.text" -}}
{{- if kindIs "float64" . }}{{ if eq . (floor .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{- define "countersign.probe" -}}
httpGet: {path: {{ .path }}, port: health}
{{ toYaml .timing }}
{{- end }}

{{/* The pod of a target. Takes (dict "root" $ "name" name "values" values "arrows" arrows). */}}
{{- define "countersign.pod" -}}
{{- $v := .root.Values }}
{{- $t := .values }}
metadata:
  labels:
    {{- include "countersign.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .name }}
    {{- with merge (dict) $t.podLabels $t.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ .name }}
    {{- with $t.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "countersign.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $t.terminationGracePeriodSeconds }}
  securityContext:
    {{- toYaml $t.podSecurityContext | nindent 4 }}
  {{- with $v.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $t.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $t.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- range list "schedulerName" "hostAliases" "dnsPolicy" "dnsConfig" }}
  {{- if index $t . }}
  {{- dict . (index $t .) | toYaml | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- with $t.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $t.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $t.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $t.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $selector := dict "labelSelector" (dict "matchLabels" (merge (dict "app.kubernetes.io/component" $.name) (include "countersign.selectorLabels" $.root | fromYaml))) }}
    - {{- toYaml (merge (dict) . $selector) | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- with $t.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "countersign.image" .root }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      args: ["--target={{ .name }}"]
      env:
        {{- include "countersign.env" . | nindent 8 }}
      {{- with $t.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - {name: health, containerPort: 9090}
        {{- if .arrows.listens }}
        - {name: http, containerPort: 8080}
        - {name: sandbox, containerPort: 8081}
        {{- end }}
      startupProbe:
        {{- include "countersign.probe" (dict "path" "/livez" "timing" $t.probes.startup) | nindent 8 }}
      livenessProbe:
        {{- include "countersign.probe" (dict "path" "/livez" "timing" $t.probes.liveness) | nindent 8 }}
      readinessProbe:
        {{- include "countersign.probe" (dict "path" "/readyz" "timing" $t.probes.readiness) | nindent 8 }}
      {{- with $t.preStopSeconds }}
      lifecycle:
        preStop:
          exec: {command: [node, -e, "setTimeout(() => {}, {{ mul . 1000 }})"]}
      {{- end }}
      resources:
        {{- toYaml $t.resources | nindent 8 }}
      securityContext:
        {{- toYaml $t.securityContext | nindent 8 }}
      volumeMounts:
        - {name: secrets, mountPath: /run/countersign, readOnly: true}
        {{- if $v.caBundle.existingConfigMap }}
        - {name: ca, mountPath: /etc/countersign/ca, readOnly: true}
        {{- end }}
        {{- if and $v.anchor.directory (has "anchor" .arrows.reaches) }}
        - {name: anchor, mountPath: {{ $v.anchor.directory | quote }}}
        {{- end }}
        {{- with $t.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $t.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: secrets
      projected:
        # Readable by whatever number the pod runs as; the pod has no other containers than its own.
        defaultMode: 0444
        sources:
          {{- include "countersign.files" . | nindent 10 }}
    {{- if $v.caBundle.existingConfigMap }}
    - name: ca
      configMap: {name: {{ $v.caBundle.existingConfigMap }}}
    {{- end }}
    {{- if and $v.anchor.directory (has "anchor" .arrows.reaches) }}
    - name: anchor
      {{- if $v.anchor.persistentVolumeClaim }}
      persistentVolumeClaim: {claimName: {{ $v.anchor.persistentVolumeClaim }}}
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- end }}
    {{- with $t.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
