import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SHAPES, cell, component, rendered, shape, template } from './objects.js';
import type { Manifest } from './objects.js';
import { CELL_USERS } from './nats-users.js';
import { BUILD_MS, obtainedTool } from '../support/programs/obtained.js';
import { CHART, KUBERNETES, run } from './tools.js';

const SCHEMAS = join(
  __dirname,
  'schemas',
  '{{.Group}}_{{.ResourceKind}}_{{.ResourceAPIVersion}}.json',
);

const kubeconform = (manifests: string) =>
  run(obtainedTool('kubeconform'), ['-strict', '-summary', '-schema-location', SCHEMAS], manifests);

beforeAll(() => {
  obtainedTool('helm');
  obtainedTool('kubeconform');
}, 2 * BUILD_MS);

describe.each(SHAPES)('%s', (values) => {
  it('passes helm lint', () => {
    const { code, stdout } = run(obtainedTool('helm'), ['lint', '--strict', CHART, '-f', values]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  it('makes objects that Kubernetes and the operators know', () => {
    const { stdout } = template(values);
    const checked = kubeconform(stdout);
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining('Invalid: 0, Errors: 0, Skipped: 0'),
    ]);
  });

  it('makes no Secret, and pods that may do as little as can be', () => {
    const manifests = rendered(values);
    expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
    for (const manifest of manifests) {
      const { metadata } = manifest;
      // extraObjects belong to the operator who wrote them.
      if (metadata.name === 'review-extra') continue;
      expect(metadata.namespace).toBe('countersign');
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('review');
      if (manifest.kind === 'ServiceAccount')
        expect(manifest.automountServiceAccountToken).toBe(false);
      const pod = podOf(manifest);
      if (pod === null) continue;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory).toBeDefined();
        // Nothing secret in the output of `kubectl describe`.
        for (const { name, value } of container.env ?? []) {
          expect([name, value]).not.toEqual([
            expect.stringMatching(/_(KEY|PASSWORD|SECRET)$/),
            expect.anything(),
          ]);
        }
      }
    }
  });

  it('leaves nothing of its test behind that passed', () => {
    const tests = rendered(values).filter(({ metadata }) => /-test$/.test(metadata.name));
    for (const { kind, metadata } of tests) {
      const hook = metadata.annotations?.['helm.sh/hook'];
      // Helm asks each object of a test for its log, so the policy is none of them; uninstalling takes it away.
      expect([kind, hook]).toEqual([kind, kind === 'Pod' ? 'test' : undefined]);
      if (hook !== undefined)
        expect(metadata.annotations?.['helm.sh/hook-delete-policy']).toContain('hook-succeeded');
    }
  });

  it('cleans up every hook', () => {
    for (const { metadata } of rendered(values)) {
      if (metadata.annotations?.['helm.sh/hook'] === undefined) continue;
      expect(metadata.annotations['helm.sh/hook-delete-policy']).toContain('before-hook-creation');
    }
  });

  it('leaves no failed migration behind, and has Helm print its log', () => {
    const job = rendered(values).find(({ kind, metadata }) => kind === 'Job' && isHook(metadata));
    if (job === undefined) return;
    expect(job.metadata.annotations).toMatchObject({
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
      'helm.sh/hook-output-log-policy': 'hook-failed',
    });
  });
});

function isHook({ annotations }: Manifest['metadata']): boolean {
  return annotations?.['helm.sh/hook'] !== undefined;
}

it('gets all Secrets from External Secrets by the values for that', () => {
  const values = join(CHART, 'examples', 'external-secrets-values.yaml');
  expect(kubeconform(template(values).stdout)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Invalid: 0, Errors: 0, Skipped: 0'),
  });
  const manifests = rendered(values);
  const made = manifests.flatMap(({ kind, metadata }) =>
    kind === 'ExternalSecret' ? [metadata.name] : [],
  );
  const used = manifests.flatMap((manifest) =>
    (podOf(manifest)?.volumes ?? []).flatMap(({ projected }: any) =>
      (projected?.sources ?? []).flatMap(({ secret }: any) => secret?.name ?? []),
    ),
  );
  expect([...new Set(used)].sort()).toEqual(made.sort());
});

it('notices a key that Kubernetes does not know', () => {
  const planted = template(shape('minimal')).stdout.replace(
    'enableServiceLinks:',
    'enableServiceLink:',
  );
  const { code, stdout } = kubeconform(planted);
  expect(code).toBe(1);
  expect(stdout).toContain('enableServiceLink');
});

describe('values that do not fit are refused by a sentence with the key and the remedy', () => {
  it.each([
    ['origin=""', /origin is missing: set it to/],
    ['origin="http://review.example"', /origin is not https: .* set it to https/],
    ['origin="https://review.example/"', /origin ends with a slash: .* remove it/],
    ['sandboxOrigin="https://apps.example"', /sandboxOrigin has no \{scope\}/],
    ['sandboxOrigin="https://review.example"', /sandboxOrigin has/],
    ['image.repository=""', /image\.repository is missing: build/],
    ['keys.existingSecret=""', /keys\.existingSecret is missing: run `countersign keygen/],
    ['postgres.existingSecret=""', /postgres\.existingSecret is missing: name a Secret/],
    ['postgres.url="postgres://a:b@pg/c"', /postgres\.url has credentials: .* postgres\.roles/],
    ['postgres.url="postgres://pg/c?user=a"', /postgres\.url has credentials/],
    ['postgres.url="postgres://pg/c"', /postgres\.url does not verify .* sslmode=verify-full/],
    [
      'postgres.migration.existingSecret=""',
      /postgres\.migration\.existingSecret is missing: .* migration\.mode to none/,
    ],
    ['nats.url=""', /nats\.url is missing: .* allInOne/],
    [
      'nats.url="tls://a:4222,nats://b:4222"',
      /nats\.url is not tls.*ALLOW_PLAINTEXT_STORES to true/,
    ],
    ['nats.existingSecret=""', /nats\.existingSecret is missing/],
    ['nats.auth="none"', /nats\.auth is none in production/],
    [
      'nats.auth="token"',
      /at '\/nats\/auth': value must be one of 'password', 'credentials', 'none'/,
    ],
    ['redis.existingSecret=""', /redis\.existingSecret is missing/],
    ['redis.url="rediss://redis:6379"', /redis\.url is set beside redis\.existingSecret/],
    [
      'redis.existingSecret="",redis.url="rediss://:word@redis:6379"',
      /redis\.url has credentials: .*secretSettings\.REDIS_PASSWORD/,
    ],
    ['oidc.issuer=""', /oidc\.issuer is missing/],
    ['oidc.existingSecret=""', /oidc\.existingSecret is missing/],
    ['smtp.from="a@example.org"', /smtp\.existingSecret is missing/],
    [
      'anchor.s3.endpoint="http://minio:9000"',
      /anchor\.s3\.endpoint begins with http: in production, .* use https/,
    ],
    ['anchor.directory="/anchor"', /anchor\.directory is set in production: .* anchor\.s3\.bucket/],
    ['image.digest="latest"', /at '\/image\/digest'/],
    [
      'networkPolicy.postgres.peers=[]',
      /networkPolicy\.postgres\.peers is empty: .* name the pods/,
    ],
    ['networkPolicy.oidc.peers=[]', /networkPolicy\.oidc\.peers is empty/],
    ['networkPolicy.nats.peers="any"', /at '\/networkPolicy\/nats\/peers'/],
    ['anchor.s3.bucket="a",networkPolicy.anchor.peers=[]', /networkPolicy\.anchor\.peers is empty/],
    ['settings={"VAULT_ADDR":"https://vault"}', /networkPolicy\.signer\.peers is empty/],
    [
      'settings={"SECURITY_LOG_SYSLOG_URL":"tls://siem:6514"}',
      /targets\.worker-security-log\.enabled is false: .* SECURITY_LOG_SYSLOG_URL/,
    ],
    [
      'settings={"SECURITY_LOG_SYSLOG_URL":"tls://siem:6514"},targets.worker-security-log.enabled=true',
      /networkPolicy\.collectors\.peers is empty/,
    ],
    ['ingress.enabled=true', /ingress\.tlsSecret is missing: .* ingress\.tlsEndsElsewhere/],
    ['ingress.enabled=true,ingress.tlsSecret="a"', /ingress\.sandboxTlsSecret is missing/],
    [
      'httpRoute.redirectHosts=["acme.review.example"]',
      /httpRoute\.enabled is false: .*redirectHosts/,
    ],
    ['httpRoute.enabled=true', /httpRoute\.parentRefs is missing/],
    ['defaults.podAnnotations.revision=1', /podAnnotations.*revision.*[Ss]tring/s],
    ['service.annotations.weight=1', /service.*annotations.*weight.*[Ss]tring/s],
    ['checks.probe.enabled=true', /test\.existingSecret is missing: checks\.probe/],
    [
      'checks.fsck.enabled=true,migration.mode="none",postgres.migration.existingSecret=""',
      /postgres\.migration\.existingSecret is missing: checks\.fsck/,
    ],
    ['monitoring.serviceMonitor.enabled=true', /monitoring\.serviceMonitor\.tenants is missing/],
    ['targets.review.enabled=false', /targets\.review\.enabled is false: .* set it to true/],
    [
      'targets.gateway.keda.enabled=true',
      /targets\.gateway\.keda\.triggers is missing: only workers/,
    ],
    ['targets.worker-expiry.keda.enabled=true', /monitoring\.prometheusAddress is missing/],
    [
      'targets.review={"autoscaling":{"enabled":true},"keda":{"enabled":true}}',
      /both would set its replicas/,
    ],
    ['targets.review.pdb={"maxUnavailable":null}', /targets\.review\.pdb says nothing/],
    [
      'settings.LINGER_SECONDS=30',
      /targets\.gateway\.terminationGracePeriodSeconds is 40, and .* 50 seconds to end/,
    ],
    ['targets.review.settings={"PORT":1}', /additional properties 'PORT' not allowed/],
    [
      'targets.review.settings={"RATE_PAGE":1}',
      /targets\.review\.settings\.RATE_PAGE means nothing: .* gateway/,
    ],
    ['settings={"SWEEPSECONDS":1}', /additional properties 'SWEEPSECONDS' not allowed/],
    ['settings={"LOG_LEVEL":"loud"}', /at '\/settings\/LOG_LEVEL'/],
    ['replicaCount=3', /additional properties 'replicaCount' not allowed/],
    ['targets.reviewer={}', /additional properties 'reviewer' not allowed/],
  ])('%s', (setting, sentence) => {
    const { code, stderr } = template(shape('minimal'), setting);
    expect(code).not.toBe(0);
    expect(stderr.replaceAll('\n', ' ')).toMatch(sentence);
  });

  it('lets parent charts have their globals', () => {
    expect(template(shape('minimal'), 'global={"anything":{"goes":1}}').code).toBe(0);
  });
});

describe('every target has the same keys', () => {
  /** All settings of a pod and its environment. */
  const SAID = {
    replicas: 7,
    resources: { requests: { cpu: '3' }, limits: { memory: '3Gi' } },
    pdb: { minAvailable: 1 },
    nodeSelector: { pool: 'reviews' },
    affinity: { nodeAffinity: {} },
    tolerations: [{ key: 'reviews', operator: 'Exists' }],
    topologySpreadConstraints: [
      { topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
    ],
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
    schedulerName: 'packed',
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['postgres.internal'] }],
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['192.0.2.53'] },
    minReadySeconds: 5,
    progressDeadlineSeconds: 300,
    revisionHistoryLimit: 5,
    serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:x' } },
    labels: { team: 'a' },
    annotations: { note: 'b' },
    podLabels: { pod: 'c' },
    podAnnotations: { pod: 'd' },
    extraEnv: [{ name: 'EXTRA', value: '1' }],
    extraEnvFrom: [{ configMapRef: { name: 'more' } }],
    extraVolumes: [{ name: 'more', emptyDir: {} }],
    extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
    initContainers: [{ name: 'first', image: 'x' }],
    extraContainers: [{ name: 'beside', image: 'x' }],
    settings: { LOG_LEVEL: 'warn' },
    terminationGracePeriodSeconds: 99,
    preStopSeconds: 9,
    networkPolicy: {
      extraEgress: [{ ports: [{ port: 7777 }] }],
      extraIngress: [{ ports: [{ port: 6666 }] }],
    },
  };
  const running = rendered(shape('production-ha'))
    .filter(({ kind }) => kind === 'Deployment')
    .map(component);
  const all = rendered(
    shape('minimal'),
    `targets=${JSON.stringify(Object.fromEntries(running.map((name) => [name, { enabled: true, ...SAID }])))}`,
  );

  it.each([...running, 'all'])('%s', (target) => {
    const of =
      target === 'all' ? rendered(shape('all-in-one'), `targets.all=${JSON.stringify(SAID)}`) : all;
    const found = (kind: string) =>
      of.find((manifest) => manifest.kind === kind && component(manifest) === target) as Manifest;
    const { metadata, spec } = found('Deployment');
    const { template: template_ } = spec;
    const pod = template_.spec;
    const [own, beside] = pod.containers;
    expect(metadata.labels).toMatchObject({ team: 'a' });
    expect(metadata.annotations).toMatchObject({ note: 'b' });
    expect(template_.metadata.labels).toMatchObject({ team: 'a', pod: 'c' });
    expect(template_.metadata.annotations).toMatchObject({ pod: 'd' });
    expect(spec).toMatchObject({
      replicas: 7,
      minReadySeconds: 5,
      progressDeadlineSeconds: 300,
      revisionHistoryLimit: 5,
    });
    const account = found('ServiceAccount').metadata;
    expect(account).toMatchObject({
      name: `review-countersign-${target}`,
      annotations: SAID.serviceAccount.annotations,
    });
    expect(pod).toMatchObject({
      serviceAccountName: account.name,
      schedulerName: 'packed',
      hostAliases: SAID.hostAliases,
      dnsPolicy: 'None',
      dnsConfig: SAID.dnsConfig,
      nodeSelector: SAID.nodeSelector,
      affinity: SAID.affinity,
      tolerations: SAID.tolerations,
      priorityClassName: 'high',
      runtimeClassName: 'gvisor',
      terminationGracePeriodSeconds: 99,
      initContainers: SAID.initContainers,
    });
    expect(pod.topologySpreadConstraints).toEqual([
      {
        ...SAID.topologySpreadConstraints[0],
        labelSelector: {
          matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': target }),
        },
      },
    ]);
    expect(pod.volumes).toContainEqual(SAID.extraVolumes[0]);
    expect(own.resources).toMatchObject(SAID.resources);
    expect(own.env).toEqual(
      expect.arrayContaining([SAID.extraEnv[0], { name: 'LOG_LEVEL', value: 'warn' }]),
    );
    expect(own.envFrom).toEqual(SAID.extraEnvFrom);
    expect(own.volumeMounts).toContainEqual(SAID.extraVolumeMounts[0]);
    expect(own.lifecycle.preStop.exec.command[2]).toContain('9000');
    expect(beside).toEqual(SAID.extraContainers[0]);
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(own[probe].httpGet.port).toBe('health');
    }
    expect(found('PodDisruptionBudget').spec).toMatchObject({ minAvailable: 1 });
    expect(found('PodDisruptionBudget').spec).not.toHaveProperty('maxUnavailable');
    const policy = found('NetworkPolicy').spec;
    expect(policy.egress).toContainEqual(SAID.networkPolicy.extraEgress[0]);
    expect(policy.ingress).toContainEqual(SAID.networkPolicy.extraIngress[0]);
  });
});

describe('scaling', () => {
  const manifests = rendered(shape('production-ha'));
  const of = (kind: string, target: string) =>
    manifests.find((manifest) => manifest.kind === kind && component(manifest) === target);

  it('leaves the number of pods to their autoscaler', () => {
    expect(of('Deployment', 'gateway')?.spec).not.toHaveProperty('replicas');
    expect(of('HorizontalPodAutoscaler', 'gateway')?.spec).toMatchObject({
      minReplicas: 3,
      maxReplicas: 12,
    });
    expect(of('Deployment', 'worker-expiry')?.spec).not.toHaveProperty('replicas');
    expect(of('Deployment', 'ledger')?.spec.replicas).toBe(3);
  });

  it('scales workers by the overdue items in the database', () => {
    const [trigger] = of('ScaledObject', 'worker-deletion')?.spec.triggers ?? [];
    expect(trigger.metadata).toEqual({
      serverAddress: 'http://prometheus-operated.monitoring:9090',
      query:
        'max(countersign_worker_overdue_items{worker="worker-deletion",namespace="countersign"})',
      threshold: '5000',
    });
  });
});

it('gives one pod of everything the role and the ways of the security log only where that is sent', () => {
  const all = (...values: string[]): string =>
    JSON.stringify(
      rendered(shape('all-in-one'), ...values).filter(
        ({ kind }) => kind === 'Deployment' || kind === 'NetworkPolicy',
      ),
    );
  const [without, toFile, toCollector] = [
    all(),
    all('settings={"SECURITY_LOG_LINES":"stdout"}'),
    all(
      'settings={"SECURITY_LOG_OTLP_URL":"https://collector:4318/v1/logs"}',
      'networkPolicy.collectors.peers=[{"podSelector":{}}]',
    ),
  ];
  const has = (text: string) => [text.includes('postgres/security-log'), text.includes('6514')];
  expect([without, toFile, toCollector].map(has)).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});

it('lets deliveries reach public addresses where channels of Slack and Teams are named, without webhooks', () => {
  const ways = (...values: string[]): string =>
    JSON.stringify(
      rendered(shape('minimal'), ...values).find(
        (of) => of.kind === 'NetworkPolicy' && component(of) === 'worker-delivery',
      )?.spec.egress,
    );
  const named = 'secretSettings={"CHAT_WEBHOOKS":{"existingSecret":"chat","key":"list"}}';
  const [without, withChannels, withHosts] = [
    ways(),
    ways(named),
    ways('webhooks.hosts=["a.example"]'),
  ];
  expect(without).not.toContain('0.0.0.0/0');
  expect(withChannels).toContain('0.0.0.0/0');
  expect(withChannels).toBe(withHosts);
  const pods = rendered(shape('minimal'), named).filter(({ kind }) => kind === 'Deployment');
  const given = pods.filter((of) => JSON.stringify(of).includes('CHAT_WEBHOOKS')).map(component);
  expect(given).toEqual(['worker-delivery']);
});

it('lets the gateway answer its test, and the check that makes the same call again and again', () => {
  const callers = (...values: string[]): string[] =>
    rendered(
      shape('minimal'),
      'test.existingSecret="probe"',
      'networkPolicy.ingress=[{"ipBlock":{"cidr":"10.0.0.0/8"}}]',
      ...values,
    )
      .find((of) => of.kind === 'NetworkPolicy' && component(of) === 'gateway')
      ?.spec.ingress[0].from.map(
        ({ podSelector }: { podSelector?: { matchLabels: Record<string, string> } }) =>
          podSelector?.matchLabels['app.kubernetes.io/component'],
      );
  expect(callers()).toEqual([undefined, 'test']);
  expect(callers('checks.probe.enabled=true')).toEqual([undefined, 'test', 'probe']);
});

it('writes large numbers as they were meant', () => {
  const manifests = rendered(
    shape('minimal'),
    'settings={"RATE_UNAUTHENTICATED":100000000,"QUOTAS":"on"}',
  );
  const gateway = manifests.find((of) => of.kind === 'Deployment' && component(of) === 'gateway');
  expect(gateway?.spec.template.spec.containers[0].env).toContainEqual({
    name: 'RATE_UNAUTHENTICATED',
    value: '100000000',
  });
});

it('names a Job after its contents, and nothing else changes that name', () => {
  const name = (...settings: string[]) =>
    rendered(shape('all-in-one'), ...settings).find(({ kind }) => kind === 'Job')?.metadata.name;
  expect(name('targets.all.replicas=2')).toBe(name());
  // A label of its pod cannot be changed either.
  expect(name('commonLabels={"a":"b"}')).not.toBe(name());
  expect(name('image.tag="0.2.0"')).not.toBe(name());
});

it('takes images by digest', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  for (const manifest of rendered(shape('minimal'), `image.digest="${digest}"`)) {
    for (const { image } of podOf(manifest)?.containers ?? []) {
      expect(image).toBe(`registry.example/countersign@${digest}`);
    }
  }
});

it('gives rights by service account to the one target that is named', () => {
  const role = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/checkpoints' };
  const identity = { ports: [80], peers: [{ ipBlock: { cidr: '169.254.170.23/32' } }] };
  const manifests = rendered(
    shape('production-ha'),
    `targets.worker-anchor.serviceAccount.annotations=${JSON.stringify(role)}`,
    `networkPolicy.podIdentity=${JSON.stringify(identity)}`,
  );
  const of = (wanted: string) => manifests.filter(({ kind }) => kind === wanted);
  const annotated = of('ServiceAccount').filter(
    ({ metadata }) => metadata.annotations?.['eks.amazonaws.com/role-arn'],
  );
  expect(annotated.map(component)).toEqual(['worker-anchor']);
  const reaching = of('NetworkPolicy').filter(({ spec }) =>
    JSON.stringify(spec.egress ?? []).includes('169.254.170.23/32"}'),
  );
  // The check of the ledger reads the same bucket.
  expect(reaching.map(component)).toEqual(['fsck', 'worker-anchor']);
});

it('gives a token for Vault to the pods that sign, where they log in by their service account', () => {
  const tokens = (...values: string[]) =>
    rendered(shape('production-ha'), ...values)
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap((manifest) => {
        const [container] = manifest.spec.template.spec.containers;
        const files = container.env.find(({ name }: any) => name === 'VAULT_KUBERNETES_JWT_FILE');
        const [secrets] = manifest.spec.template.spec.volumes;
        const given = secrets.projected.sources.find((one: any) => one.serviceAccountToken);
        expect(files === undefined).toBe(given === undefined);
        return given === undefined
          ? []
          : [{ target: component(manifest), file: files.value, ...given.serviceAccountToken }];
      });
  expect(tokens()).toEqual([]);
  const [first, ...others] = tokens(
    'settings.VAULT_KUBERNETES_ROLE="signer"',
    'keys.vaultAudience="https://vault.example"',
  );
  expect(first).toEqual({
    target: 'execution-authority',
    file: '/run/countersign/vault-jwt',
    path: 'vault-jwt',
    audience: 'https://vault.example',
    expirationSeconds: 3600,
  });
  const names = [first, ...others].map((one) => one?.target);
  expect(names).toEqual(expect.arrayContaining(['ledger', 'notifier', 'request', 'review']));
  expect(names).not.toContain('gateway');
  expect(names).not.toContain('schema');
  expect(
    tokens('targets.review.settings.VAULT_KUBERNETES_ROLE="review"').map(({ target }) => target),
  ).toEqual(['review']);
});

it('gives each pod the client certificate of its own role, and names it where the address has no credentials', () => {
  const certificates = 'postgres.roles.ledger.tlsSecret="ledger-tls"';
  const owner = 'postgres.migration.tlsSecret="owner-tls"';
  const mounted = (manifests: Manifest[]) =>
    Object.fromEntries(
      manifests.flatMap((manifest) => {
        const sources = podOf(manifest)?.volumes?.[0]?.projected?.sources ?? [];
        const files = sources.flatMap(({ secret }: any) =>
          /-tls$/.test(secret?.name) ? secret.items.map(({ path }: any) => path) : [],
        );
        return files.length === 0 ? [] : [[component(manifest), files]];
      }),
    );
  const ledger = ['postgres/ledger.crt', 'postgres/ledger.key'];
  expect(mounted(rendered(shape('minimal'), certificates, owner))).toEqual({
    ledger,
    'worker-anchor': ledger,
    migration: ['owner.crt', 'owner.key'],
  });
  const urls = (of: string) =>
    rendered(shape('cnpg'), certificates, owner)
      .filter((manifest) => component(manifest) === of)
      .flatMap((manifest) => podOf(manifest)?.containers ?? [])
      .flatMap(({ env }) => env.find(({ name }: any) => name === 'DATABASE_URL')?.value ?? []);
  const address = 'postgres://countersign-rw:5432/countersign?sslmode=verify-full';
  const at = '/run/countersign/postgres/ledger';
  expect(urls('ledger')).toEqual([`${address}&sslcert=${at}.crt&sslkey=${at}.key`]);
  expect(urls('migration')).toEqual([
    `${address}&sslcert=/run/countersign/owner.crt&sslkey=/run/countersign/owner.key`,
  ]);
  expect(urls('gateway')).toEqual([address]);
});

it('takes an existing service account', () => {
  const account = { create: false, name: 'ours' };
  const manifests = rendered(
    shape('minimal'),
    `targets.ledger.serviceAccount=${JSON.stringify(account)}`,
  );
  const ledger = manifests.filter((manifest) => component(manifest) === 'ledger');
  expect(ledger.map(({ kind }) => kind)).not.toContain('ServiceAccount');
  expect(ledger.flatMap((manifest) => podOf(manifest)?.serviceAccountName ?? [])).toEqual(['ours']);
});

it('gives every pod the labels that all objects have', () => {
  const pods = rendered(shape('production-ha'), 'commonLabels={"cost-centre":"42"}').flatMap(
    ({ kind, metadata, spec }) => {
      if (kind === 'Pod') return [metadata.labels];
      if (kind === 'Deployment' || kind === 'Job') return [spec.template.metadata.labels];
      return kind === 'CronJob' ? [spec.jobTemplate.spec.template.metadata.labels] : [];
    },
  );
  expect(pods.length).toBeGreaterThan(15);
  for (const labels of pods) expect(labels).toMatchObject({ 'cost-centre': '42' });
});

it('places the migration by itself, or as the other pods', () => {
  const pool = (...settings: string[]) =>
    podOf(rendered(shape('minimal'), ...settings).find(({ kind }) => kind === 'Job') as Manifest)
      .nodeSelector;
  const defaults = 'defaults.nodeSelector={"pool":"all"}';
  expect(pool(defaults)).toEqual({ pool: 'all' });
  expect(pool(defaults, 'migration.nodeSelector={"pool":"owner"}')).toEqual({ pool: 'owner' });
});

it('passes further fields to the Service and to the routes', () => {
  const service = rendered(
    shape('minimal'),
    'service.extraSpec={"ipFamilyPolicy":"PreferDualStack"}',
  ).find(({ kind }) => kind === 'Service');
  expect(service?.spec).toMatchObject({ type: 'ClusterIP', ipFamilyPolicy: 'PreferDualStack' });
  const routes = rendered(
    shape('external'),
    'httpRoute.extraRule={"timeouts":{"request":"70s"}}',
  ).filter(({ kind }) => kind === 'HTTPRoute');
  expect(routes.map(({ spec }) => spec.rules[0].timeouts.request)).toEqual(['70s', '70s']);
});

describe('connections of all pods', () => {
  const refused = (...settings: string[]) => template(shape('minimal'), ...settings).stderr;

  it('fit into the server in each preset', () => {
    for (const preset of readdirSync(join(CHART, 'presets'))) {
      const args = ['-f', join(CHART, 'presets', preset)];
      const { code, stderr } = run(obtainedTool('helm'), [
        ...['template', 'review', CHART, '--kube-version', KUBERNETES],
        ...['-f', shape('minimal'), ...args],
      ]);
      expect([preset, code, stderr]).toEqual([preset, 0, '']);
    }
  });

  it('are counted with autoscalers at their most and a rollout under way', () => {
    // 11 targets with a role × 3 pods × 12 connections.
    const most = 'postgres.maxConnections=396';
    expect(refused(most)).toBe('');
    expect(refused('postgres.maxConnections=395')).toContain(
      'postgres.maxConnections is 395, but all pods together may open 396 connections',
    );
    // 8 + 2 pods instead of 3.
    const scaled = 'targets.gateway.autoscaling={"enabled":true,"maxReplicas":8}';
    expect(refused(most, scaled)).toContain('may open 480 connections (execution-authority 36');
    expect(refused(most, 'settings.DATABASE_CONNECTIONS=9')).toBe('');
    expect(refused(most, 'targets.ledger.settings.DATABASE_CONNECTIONS=11')).toContain('ledger 39');
  });
});

it('leads both origins to their ports, the sandbox by a wildcard', () => {
  const ingress = rendered(shape('production-ha')).find(({ kind }) => kind === 'Ingress');
  const hosts = ingress?.spec.rules.map(
    (rule: { host: string; http: { paths: { backend: unknown }[] } }) => [
      rule.host,
      rule.http.paths[0]?.backend,
    ],
  );
  expect(hosts).toEqual([
    ['review.example', { service: { name: 'review-countersign', port: { name: 'http' } } }],
    [
      '*.review-apps.example.net',
      { service: { name: 'review-countersign', port: { name: 'sandbox' } } },
    ],
  ]);
  const routes = rendered(shape('external')).filter(({ kind }) => kind === 'HTTPRoute');
  expect(routes.map(({ spec }) => spec.hostnames)).toEqual([
    ['review.example'],
    ['*.review-apps.example.net'],
  ]);
});

describe('two cells in one cluster', () => {
  const cells = (['a', 'b'] as const).map((name) => ({ name, objects: rendered(cell(name)) }));
  const routesOf = ({ objects }: (typeof cells)[number]) =>
    objects.filter(({ kind }) => kind === 'HTTPRoute');

  it('share no host name', () => {
    const hosts = cells.flatMap((one) => routesOf(one).flatMap(({ spec }) => spec.hostnames));
    expect(hosts).toContain('acme.review.example');
    expect(new Set(hosts).size).toBe(hosts.length);
  });

  it('send people on from the name of their tenant, and no call of a program', () => {
    for (const one of cells) {
      const redirect = routesOf(one).find(({ metadata }) => /-redirect$/.test(metadata.name));
      const [programs, people, ...more] = redirect!.spec.rules;
      expect(more).toEqual([]);
      // Refused: without a backend, and without a filter that would answer.
      expect(programs).toEqual({ matches: [{ path: { type: 'PathPrefix', value: '/v2' } }] });
      expect(people).toEqual({
        matches: [{ method: 'GET' }],
        filters: [
          {
            type: 'RequestRedirect',
            requestRedirect: {
              scheme: 'https',
              hostname: `${one.name}.review.example`,
              statusCode: 302,
            },
          },
        ],
      });
    }
    const [redirect] = rendered(cell('a'), 'origin="https://a.review.example:8443"')
      .filter(({ kind }) => kind === 'HTTPRoute')
      .filter(({ metadata }) => /-redirect$/.test(metadata.name));
    expect(redirect?.spec.rules[1].filters[0].requestRedirect.port).toBe(8443);
  });

  it('log in to NATS as users of their own account', () => {
    for (const { name, objects } of cells) {
      const users = objects
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec.template.spec.containers[0].env)
        .map((env) => env.find((one: { name: string }) => one.name === 'NATS_USER').value);
      const known = CELL_USERS[name]?.users.map(({ user }) => user) ?? [];
      expect(users.length).toBeGreaterThan(5);
      expect(users.filter((user) => !known.includes(user))).toEqual([]);
    }
  });
});

function podOf({ kind, spec }: Manifest): any {
  if (kind === 'Pod') return spec;
  return kind === 'Deployment' || kind === 'Job' ? spec.template.spec : null;
}
