import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ASKED,
  PERMISSIONS,
  TARGETS,
  messageKeysVariable,
  takeInventory,
} from '@countersign/deploy';
import type { Inventory, Target } from '@countersign/deploy';
import { HINTS, SCHEMA_SUBJECT } from '@countersign/platform';
import { parse } from 'yaml';
import { component, rendered, shape } from './objects.js';
import type { Manifest } from './objects.js';
import { prepareGround, startAndStop } from './started.js';
import type { Ground, Started } from './started.js';
import { CHART } from './tools.js';

/**
 * What the chart lets each target have and reach is what the target takes and uses, and nothing else. Found out from the
 * code by putting targets together and starting them, so that neither side can change alone.
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
const DRAWN = TARGETS.filter((target) => target !== 'development-provider');
let inventory: ReadonlyMap<Target, Inventory>;

beforeAll(async () => {
  inventory = await takeInventory(DRAWN);
}, 60_000);

const of = (kind: string, target: string): Manifest =>
  HA.find((manifest) => manifest.kind === kind && component(manifest) === target) as Manifest;
const taken = (target: Target): Inventory => inventory.get(target) as Inventory;
const reads = (target: Target, name: string): boolean =>
  taken(target).settings.some((setting) => setting.name === name);

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
    const { roles, keys } = taken(target);
    const signs = target === 'gateway' ? ['caller'] : keys;
    expect(files.filter((path) => path.startsWith('postgres/'))).toEqual(
      roles.map((role) => `postgres/${role}`),
    );
    const shares = ASKED.filter((service) => reads(target, messageKeysVariable(service)));
    expect(shares).toEqual(target === 'gateway' ? ASKED : ASKED.filter((one) => one === target));
    expect(files.filter((path) => path.startsWith('keys/')).sort()).toEqual(
      [
        ...signs.map((key) => `keys/${key}.pem`),
        ...shares.map((service) => `keys/${service}.message-keys`),
        ...(reads(target, 'CALLER_PUBLIC_KEY') ? ['keys/caller.pub.pem'] : []),
        // A target that runs strangers' schemas has no records.
        ...(target === 'schema' ? [] : ['keys/trust.json']),
      ].sort(),
    );
  });

  it('reaches what it uses', () => {
    const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')).networkPolicy;
    const places: Record<string, boolean> = {
      postgres: taken(target).roles.length > 0,
      nats: true,
      // Queues, and the gateway's rates.
      redis: taken(target).queues || reads(target, 'RATE_PAGE'),
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

it('lets who runs strangers’ schemas see nothing but its password for NATS', () => {
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

it('denies what no policy allows', () => {
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

describe('on the bus', () => {
  let ground: Ground;
  /** By target: what it served and subscribed to when it was started. */
  const found = new Map<Target, Started>();

  beforeAll(async () => {
    ground = await prepareGround();
    for (const target of DRAWN) {
      if (target !== 'gateway') found.set(target, await startAndStop(ground, target));
    }
  }, 120_000);
  afterAll(() => ground.remove());

  it.each(DRAWN.filter((target) => target !== 'gateway'))(
    '%s serves, says and hears what it may, and nothing less',
    (target) => {
      const may = PERMISSIONS[target];
      const { serves, subscribes } = found.get(target) as Started;
      expect(sorted(serves)).toEqual(sorted(may.serves));
      expect(sorted(subscribes)).toEqual(sorted(may.subscribes.map((hint) => HINTS[hint])));
      expect(sorted(taken(target).publishes)).toEqual(sorted(may.publishes));
      const asksForChecks = target === 'request' || target === 'review';
      expect(may.calls).toEqual(asksForChecks ? [SCHEMA_SUBJECT] : []);
    },
  );

  it('lets the gateway ask everything that services serve for callers', () => {
    const { calls, ...rest } = PERMISSIONS.gateway;
    const served = [...found.values()].flatMap(({ serves }) => serves);
    expect(sorted([...calls, SCHEMA_SUBJECT])).toEqual(sorted(served));
    expect(rest).toEqual({ serves: [], publishes: [], subscribes: [] });
    expect(taken('gateway').publishes).toEqual([]);
  });
});

function sorted<T extends string | number>(values: readonly T[]): T[] {
  return [...values].sort();
}
