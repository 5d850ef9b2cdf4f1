import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASKED, TARGETS, messageKeysVariable, rowOf, settingsOf } from '@countersign/deploy';
import type { Target, TargetRow } from '@countersign/deploy';
import { HINTS, SCHEMA_SUBJECT } from '@countersign/platform';
import { freePort } from '@countersign/dev-servers';
import { testNats } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { parse } from 'yaml';
import { NATS_USERS, natsConfigOf } from './nats-users.js';
import { component, rendered, shape } from './objects.js';
import type { Manifest } from './objects.js';
import { assembleWithAllOn, prepareGround, startAndStop } from './started.js';
import type { Ground } from './started.js';
import { CHART } from './tools.js';
import { withUsedRights } from './used-rights.js';
import type { UsedRights } from './used-rights.js';

/**
 * The chart gives each target the rights and destinations of its row of the table, and each target, started for real, takes
 * and uses just those: neither the chart, the table nor the code can change alone.
 */
const HA = rendered(
  shape('production-ha'),
  `settings=${JSON.stringify({
    AUTO_REMINDER_SECONDS: 3600,
    SECURITY_LOG_OTLP_URL: 'https://collector.observability:4318/v1/logs',
    WITNESSES: 'w',
    VAULT_ADDR: 'https://vault.example:8200',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  })}`,
  'networkPolicy.signer.peers=[{"podSelector":{}}]',
  'networkPolicy.telemetry.peers=[{"podSelector":{}}]',
);
const DRAWN = TARGETS.filter((target) => rowOf(target).installed !== 'never');
/** By target the variables of its row. */
const SETTINGS = new Map<Target, ReadonlySet<string>>();

beforeAll(async () => {
  for (const target of TARGETS) {
    SETTINGS.set(target, new Set((await settingsOf(target)).map(({ name }) => name)));
  }
});

const of = (kind: string, target: string): Manifest =>
  HA.find((manifest) => manifest.kind === kind && component(manifest) === target) as Manifest;
const reads = (target: Target, name: string): boolean => SETTINGS.get(target)?.has(name) === true;

it('runs every target of the code', () => {
  const running = HA.filter(({ kind }) => kind === 'Deployment').map(component);
  expect(running.sort()).toEqual([...DRAWN].sort());
});

describe.each(DRAWN)('%s', (target) => {
  const container = of('Deployment', target).spec.template.spec.containers[0];

  it('is given variables that it reads', () => {
    for (const { name } of container.env) {
      const read = name.replace(/_FILE$/, '');
      expect([target, name, reads(target, read)]).toEqual([target, name, true]);
    }
  });

  it('sees the database of its roles, the keys of its own, and no others', () => {
    const files: string[] = of('Deployment', target)
      .spec.template.spec.volumes.find(({ name }: { name: string }) => name === 'secrets')
      .projected.sources.flatMap((source: { secret: { items: { path: string }[] } }) =>
        source.secret.items.map(({ path }) => path),
      );
    const { role, key } = rowOf(target);
    expect(files.filter((path) => path.startsWith('postgres/'))).toEqual(
      role === null ? [] : [`postgres/${role}`],
    );
    const shares = ASKED.filter((service) => reads(target, messageKeysVariable(service)));
    expect(shares).toEqual(target === 'gateway' ? ASKED : ASKED.filter((one) => one === target));
    expect(files.filter((path) => path.startsWith('keys/')).sort()).toEqual(
      [
        ...(key === null ? [] : [`keys/${key}.pem`]),
        ...shares.map((service) => `keys/${service}.message-keys`),
        ...(reads(target, 'CALLER_PUBLIC_KEY') ? ['keys/caller.pub.pem'] : []),
        // A target that runs strangers' schemas has no records.
        ...(target === 'schema' ? [] : ['keys/trust.json']),
      ].sort(),
    );
  });

  it('reaches the destinations that it uses', () => {
    const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')).networkPolicy;
    const places: Record<string, boolean> = {
      postgres: rowOf(target).role !== null,
      nats: true,
      redis: reads(target, 'REDIS_URL'),
      oidc: reads(target, 'OIDC_CLIENT_SECRET') && target === 'gateway',
      smtp: reads(target, 'SMTP_URL'),
      // Who sends mails sends webhooks.
      webhooks: reads(target, 'SMTP_URL'),
      anchor: reads(target, 'ANCHOR_S3_PREFIX'),
      witnesses: reads(target, 'WITNESSES'),
      signer: reads(target, 'VAULT_ADDR'),
      collectors: reads(target, 'SECURITY_LOG_OTLP_URL'),
      telemetry: reads(target, 'OTEL_EXPORTER_OTLP_ENDPOINT'),
    };
    const ports = Object.entries(places).flatMap(([place, used]) =>
      used ? values[place].ports : [],
    );
    const open = of('NetworkPolicy', target).spec.egress.flatMap(
      ({ ports: given }: { ports: { port: number }[] }) => given.map(({ port }) => port),
    );
    // DNS by UDP and TCP.
    expect(sorted(open)).toEqual(sorted([53, 53, ...ports]));
    expect(of('NetworkPolicy', target).spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('is reached by Prometheus, and the gateway by its callers', () => {
    const ports = of('NetworkPolicy', target).spec.ingress.flatMap(
      (rule: { ports: { port: string }[] }) => rule.ports.map(({ port }) => port),
    );
    expect(ports).toEqual(target === 'gateway' ? ['http', 'sandbox', 'health'] : ['health']);
    for (const { from } of of('NetworkPolicy', target).spec.ingress) {
      expect(from.length).toBeGreaterThan(0);
    }
  });
});

it('lets the target of untrusted schemas see nothing but its password for NATS', () => {
  const { containers, volumes, ...pod } = of('Deployment', 'schema').spec.template.spec;
  const [secrets, ...others] = volumes;
  expect(others).toEqual([]);
  const files = secrets.projected.sources.flatMap(
    ({ secret }: { secret: { items: { path: string }[] } }) => secret.items.map(({ path }) => path),
  );
  const transport = ['NATS_CA', 'NATS_CERT', 'NATS_KEY'];
  expect(files).toEqual(['nats', ...transport.map((name) => `settings/${name}`)]);
  expect(pod.automountServiceAccountToken).toBe(false);
  const given: string[] = containers[0].env.map(({ name }: { name: string }) => name);
  expect(given.sort()).toEqual(
    [
      ...['HEALTH_PORT', 'MODE', 'NATS_PASSWORD_FILE', 'NATS_URL', 'NATS_USER'],
      ...transport.map((name) => `${name}_FILE`),
    ].sort(),
  );
});

it('denies connections that no policy allows', () => {
  const deny = HA.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name.endsWith('-deny'),
  );
  expect(deny?.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  expect(deny?.spec).not.toHaveProperty('ingress');
  expect(deny?.spec).not.toHaveProperty('egress');
  const labels = deny?.spec.podSelector.matchLabels;
  for (const { kind, spec } of HA) {
    if (kind === 'Deployment') expect(spec.template.metadata.labels).toMatchObject(labels);
  }
});

describe('started for real', () => {
  let ground: Ground;
  let nats: TestStore;
  let monitor: string;

  beforeAll(async () => {
    const port = await freePort();
    monitor = `http://127.0.0.1:${port}/connz?subs=detail&auth=1`;
    [ground, nats] = await Promise.all([
      prepareGround(),
      testNats(`http: "127.0.0.1:${port}"\n${natsConfigOf(NATS_USERS)}`),
    ]);
  });
  afterAll(() => Promise.all([ground?.remove(), nats?.remove()]));

  /** `<subject> <queue>` of every subscription that the server has of that user, but for answers to it. */
  async function subscriptionsOf(target: Target): Promise<string[]> {
    const { connections } = (await (await fetch(monitor)).json()) as {
      connections: {
        authorized_user: string;
        subscriptions_list_detail?: { subject: string; qgroup?: string }[];
      }[];
    };
    return connections
      .filter(({ authorized_user }) => authorized_user === target)
      .flatMap(({ subscriptions_list_detail = [] }) => subscriptions_list_detail)
      .map(({ subject, qgroup = '' }) => `${subject} ${qgroup}`)
      .filter((subscription) => !subscription.startsWith('_INBOX.'));
  }

  it.each(DRAWN)('%s uses what its row says, and nothing else', async (target) => {
    const row: TargetRow = rowOf(target);
    const onBus = { NATS_URL: nats.url, NATS_USER: target, NATS_PASSWORD: target };
    let subscriptions: string[] = [];
    const { read, uses } = await withUsedRights(target, () =>
      startAndStop(ground, [target], {
        env: onBus,
        meanwhile: async () => {
          subscriptions = await subscriptionsOf(target);
        },
      }),
    );
    expect(sorted(subscriptions)).toEqual(
      sorted([
        ...row.serves.map((subject) => `${subject} ${subject.split('.')[1]}`),
        ...row.subscribes.map((hint) => `${HINTS[hint]} ${target}`),
        ...row.hears.map((hint) => `${HINTS[hint]} `),
      ]),
    );
    expect(uses).toEqual<UsedRights>({
      roles: row.role === null ? [] : [row.role],
      keys: row.key === null || row.key === 'caller' ? [] : [row.key],
      publishes: sorted(row.publishes),
      queues: row.queues,
    });
    // Some variables are read only where others switch their feature on.
    const allRead = new Set([...read, ...(await assembleWithAllOn(ground, target))]);
    expect(sorted([...allRead].filter(isOfTarget))).toEqual(
      sorted([...(SETTINGS.get(target) ?? [])].filter(isOfTarget)),
    );
  });

  it('calls other services: for checks of schemas, and the gateway for its callers', () => {
    for (const target of DRAWN) {
      const asksForChecks = target === 'request' || target === 'review';
      if (target === 'gateway') continue;
      expect([target, rowOf(target).calls]).toEqual([
        target,
        asksForChecks ? [SCHEMA_SUBJECT] : [],
      ]);
    }
    const served = DRAWN.flatMap((target) => rowOf(target).serves);
    expect(sorted([...rowOf('gateway').calls, SCHEMA_SUBJECT])).toEqual(sorted(served));
  });
});

/** Not of the process, which reads its own variables before it puts any target together (main.ts). */
function isOfTarget(variable: string): boolean {
  return !/^(HEALTH_PORT|LOG_LEVEL|OTEL_\w+)$/.test(variable);
}

function sorted<T extends string | number>(values: readonly T[]): T[] {
  return [...values].sort();
}
