{{/* What the schema cannot see: values that do not fit together. Each sentence names the key and the remedy. */}}
{{- define "countersign.validate" -}}
{{- $v := .Values }}
{{- $running := include "countersign.running" . | fromJsonArray }}
{{- if not $v.origin }}{{ fail "origin is missing: set it to the exact origin that people and programs use, such as https://review.example." }}{{ end }}
{{- if not $v.sandboxOrigin }}{{ fail "sandboxOrigin is missing: set it to an origin on another site, such as https://{scope}.apps.example.net." }}{{ end }}
{{- range list "origin" "sandboxOrigin" }}
{{- $given := index $v . }}
{{- if hasSuffix "/" $given }}{{ fail (printf "%s ends with a slash: an origin has no path; remove it." .) }}{{ end }}
{{- if and (eq $v.mode "production") (not (hasPrefix "https://" $given)) }}{{ fail (printf "%s is not https: in production browsers and callers need TLS; set it to https://… and end TLS at your Ingress or Gateway." .) }}{{ end }}
{{- end }}
{{- if and (eq $v.mode "production") (not (contains "{scope}" $v.sandboxOrigin)) }}{{ fail "sandboxOrigin has no {scope}: apps of different requests must not share an origin; set it to https://{scope}.apps.example.net." }}{{ end }}
{{- if eq (include "countersign.host" $v.origin) (include "countersign.host" $v.sandboxOrigin) }}{{ if eq $v.mode "production" }}{{ fail "sandboxOrigin has the host of origin: apps must run on another site; give them a domain of their own." }}{{ end }}{{ end }}
{{- if not $v.image.repository }}{{ fail "image.repository is missing: build deploy/Dockerfile, push it to a registry of yours, and name it here." }}{{ end }}
{{- if not $v.keys.existingSecret }}{{ fail "keys.existingSecret is missing: run `countersign keygen --dir keys --issuer <origin>`, then `kubectl create secret generic countersign-keys --from-file=keys/`, and name that Secret here." }}{{ end }}
{{- range $name := $running }}
{{- range (include "countersign.arrows" (dict "root" $ "name" $name) | fromJson).roles }}
{{- if not (or $v.postgres.existingSecret (index (default (dict) (index $v.postgres.roles .)) "existingSecret")) }}{{ fail (printf "postgres.existingSecret is missing: name a Secret with a login for each of gateway, request, review, execution-authority, ledger, notifier and deletion (docs/operations.md, Database), or one of the role by postgres.roles.%s." .) }}{{ end }}
{{- end }}
{{- end }}
{{- if regexMatch "^[a-z]+://[^/?]*@|[?&](user|password)=" $v.postgres.url }}{{ fail "postgres.url has credentials: values are no place for secrets; give them by postgres.existingSecret and postgres.roles." }}{{ end }}
{{- if and $v.postgres.url (eq $v.mode "production") (ne (toString $v.settings.ALLOW_PLAINTEXT_STORES) "true") (not (contains "sslmode=verify-full" $v.postgres.url)) }}{{ fail "postgres.url does not verify the server: add sslmode=verify-full, with caBundle where its authority is your own; where the network itself is encrypted, set settings.ALLOW_PLAINTEXT_STORES to true." }}{{ end }}
{{- if and (ne $v.migration.mode "none") (not $v.postgres.migration.existingSecret) }}{{ fail "postgres.migration.existingSecret is missing: name a Secret with the URL of the database's owner, or set migration.mode to none and run `countersign migrate` yourself." }}{{ end }}
{{- if not $v.oidc.issuer }}{{ fail "oidc.issuer is missing: set it to the issuer exactly as your identity provider writes it." }}{{ end }}
{{- if and (eq $v.mode "production") (not $v.oidc.existingSecret) }}{{ fail "oidc.existingSecret is missing: name a Secret with client-id and client-secret of this service at your identity provider." }}{{ end }}
{{- if and $v.smtp.from (not $v.smtp.existingSecret) }}{{ fail "smtp.existingSecret is missing: name a Secret with the URL of the mail server, or remove smtp.from." }}{{ end }}
{{- if and $v.anchor.directory (eq $v.mode "production") }}{{ fail "anchor.directory is set in production: a folder proves nothing against whoever owns it; name a bucket with Object Lock by anchor.s3.bucket." }}{{ end }}
{{- if and (hasPrefix "http:" $v.anchor.s3.endpoint) (eq $v.mode "production") }}{{ fail "anchor.s3.endpoint begins with http: in production, and its answers decide about authority: use https, with caBundle where its authority is your own." }}{{ end }}
{{- if and $v.anchor.directory $v.anchor.s3.bucket }}{{ fail "anchor.directory is set beside anchor.s3.bucket: there is one anchor store; remove one of the two." }}{{ end }}
{{- if and $v.anchor.persistentVolumeClaim (not $v.anchor.directory) }}{{ fail "anchor.directory is missing: say where anchor.persistentVolumeClaim is to be mounted." }}{{ end }}
{{- if not $v.allInOne }}
{{- if not $v.nats.url }}{{ fail "nats.url is missing: set it to tls://host:4222, or set allInOne to true to run without NATS." }}{{ end }}
{{- if and (eq $v.mode "production") (ne (toString $v.settings.ALLOW_PLAINTEXT_STORES) "true") }}
{{- range splitList "," $v.nats.url }}
{{- if not (hasPrefix "tls://" .) }}{{ fail "nats.url is not tls:// in production: set it to tls://host:4222, with NATS_CA by secretSettings where its authority is your own; where the network itself is encrypted, set settings.ALLOW_PLAINTEXT_STORES to true." }}{{ end }}
{{- end }}
{{- end }}
{{- if and (ne $v.nats.auth "none") (not $v.nats.existingSecret) }}{{ fail "nats.existingSecret is missing: name a Secret with a key for each target (examples/nats-values.yaml), or set nats.auth to none in development." }}{{ end }}
{{- if and (eq $v.nats.auth "none") (eq $v.mode "production") }}{{ fail "nats.auth is none in production: anybody who reaches NATS could speak as a service; set it to password or credentials." }}{{ end }}
{{- if not (or $v.redis.existingSecret $v.redis.url) }}{{ fail "redis.existingSecret is missing: name a Secret with the URL of Redis under the key of redis.key, give its address by redis.url, or set allInOne to true to keep queues in Postgres." }}{{ end }}
{{- if and (include "countersign.sinks" .) (not (has "worker-security-log" $running)) }}{{ fail (printf "targets.worker-security-log.enabled is false: nothing would send the security log as %s says; set it to true." (include "countersign.sinks" .)) }}{{ end }}
{{- range $name, $target := include "countersign.targets" . | fromYaml }}
{{- if and (eq $target.installed "always") (not (has $name $running)) }}{{ fail (printf "targets.%s.enabled is false: the interface does not work without it; set it to true." $name) }}{{ end }}
{{- end }}
{{- end }}
{{- if and $v.redis.existingSecret $v.redis.url }}{{ fail "redis.url is set beside redis.existingSecret, which has the URL: remove one of the two." }}{{ end }}
{{- if contains "@" $v.redis.url }}{{ fail "redis.url has credentials: values are no place for secrets; give them by secretSettings.REDIS_PASSWORD, or the whole URL by redis.existingSecret." }}{{ end }}
{{- if and $v.ingress.enabled (eq $v.mode "production") (not $v.ingress.tlsEndsElsewhere) }}
{{- range list "tlsSecret" "sandboxTlsSecret" }}
{{- if not (index $v.ingress .) }}{{ fail (printf "ingress.%s is missing: name a Secret of kind kubernetes.io/tls, or set ingress.tlsEndsElsewhere to true if another proxy or an annotation ends TLS." .) }}{{ end }}
{{- end }}
{{- end }}
{{- if and $v.networkPolicy.enabled (eq $v.mode "production") }}
{{- $used := dict "postgres" true "oidc" true "nats" (not $v.allInOne) "redis" (not $v.allInOne) "smtp" $v.smtp.from "webhooks" (include "countersign.webhooks" .) "anchor" $v.anchor.s3.bucket "witnesses" (hasKey $v.settings "WITNESSES") "signer" (hasKey $v.settings "VAULT_ADDR") "collectors" (regexMatch "URL" (include "countersign.sinks" .)) "telemetry" (include "countersign.traces" .) }}
{{- range $place, $isUsed := $used }}
{{- if and $isUsed (not (index $v.networkPolicy $place).peers) }}{{ fail (printf "networkPolicy.%s.peers is empty: pods could reach every address at that port; name the pods or addresses of that place, or set it to public if it is on the internet." $place) }}{{ end }}
{{- end }}
{{- end }}
{{- if and $v.httpRoute.enabled (not $v.httpRoute.parentRefs) }}{{ fail "httpRoute.parentRefs is missing: name the Gateway that the routes belong to." }}{{ end }}
{{- if and $v.httpRoute.redirectHosts (not $v.httpRoute.enabled) }}{{ fail "httpRoute.enabled is false: nothing would send people on from httpRoute.redirectHosts; set it to true, or remove them." }}{{ end }}
{{- if and $v.monitoring.serviceMonitor.enabled (not $v.monitoring.serviceMonitor.tenants) }}{{ fail "monitoring.serviceMonitor.tenants is missing: name for each tenant the Secret with an operator's token, or switch the ServiceMonitor off and scrape pods by monitoring.podMonitor." }}{{ end }}
{{- if and $v.checks.probe.enabled (not $v.test.existingSecret) }}{{ fail "test.existingSecret is missing: checks.probe needs the token of a producer of its own." }}{{ end }}
{{- if and $v.checks.fsck.enabled (not $v.postgres.migration.existingSecret) }}{{ fail "postgres.migration.existingSecret is missing: checks.fsck reads the database as its owner." }}{{ end }}
{{- range $name := $running }}
{{- $t := include "countersign.targetValues" (dict "root" $ "name" $name) | fromYaml }}
{{- if and $t.autoscaling.enabled $t.keda.enabled }}{{ fail (printf "targets.%s has autoscaling and keda: both would set its replicas; switch one of them off." $name) }}{{ end }}
{{- if and $t.keda.enabled (not $t.keda.triggers) }}
{{- if not (hasPrefix "worker-" $name) }}{{ fail (printf "targets.%s.keda.triggers is missing: only workers know what is overdue; name triggers, or use autoscaling." $name) }}{{ end }}
{{- if not $v.monitoring.prometheusAddress }}{{ fail (printf "monitoring.prometheusAddress is missing: targets.%s.keda scales by its figures; set it to http://prometheus…:9090." $name) }}{{ end }}
{{- end }}
{{- if and $t.autoscaling.enabled (not $t.autoscaling.targetCPUUtilizationPercentage) (not $t.autoscaling.metrics) }}{{ fail (printf "targets.%s.autoscaling has no metric: set targetCPUUtilizationPercentage or metrics." $name) }}{{ end }}
{{- if has $name (list "gateway" "all") }}
{{- $longest := add (dig "LINGER_SECONDS" 6 (merge (dict) (default dict $t.settings) $v.settings) | int) 20 (int $t.preStopSeconds) }}
{{- if gt (int $longest) (int $t.terminationGracePeriodSeconds) }}{{ fail (printf "targets.%s.terminationGracePeriodSeconds is %d, and a gateway may take %d seconds to end (preStopSeconds, LINGER_SECONDS, and 20 for open connections and calls under way): calls would be cut off; set it to %d or more." $name (int $t.terminationGracePeriodSeconds) $longest $longest) }}{{ end }}
{{- end }}
{{- if and $t.pdb.enabled (not (hasKey $t.pdb "minAvailable")) (kindIs "invalid" $t.pdb.maxUnavailable) }}{{ fail (printf "targets.%s.pdb says nothing: set minAvailable or maxUnavailable, or enabled to false." $name) }}{{ end }}
{{- end }}
{{- if $v.allInOne }}{{ if and $v.anchor.directory (gt (int (default $v.defaults.replicas $v.targets.all.replicas)) 1) (not $v.anchor.persistentVolumeClaim) }}{{ fail "targets.all.replicas is more than 1 with anchor.directory: each pod would have anchors of its own; set it to 1, or anchor.persistentVolumeClaim to a claim that all can write." }}{{ end }}{{ end }}
{{- include "countersign.checkConnections" . }}
{{- $readers := .Files.Get "files/settings.json" | fromJson }}
{{- range $name := $running }}
{{- if ne $name "all" }}
{{- range $setting, $_ := (default dict (index $v.targets $name)).settings }}
{{- if not (has $name (index $readers $setting)) }}{{ fail (printf "targets.%s.settings.%s means nothing: this target does not read it; move it to %s." $name $setting (index $readers $setting | join ", ")) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
