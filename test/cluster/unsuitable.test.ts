import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned } from '../e2e/deliveries/support/certificate.js';
import type { TestCertificate } from '../e2e/deliveries/support/certificate.js';
import { BUILD_MS } from '../support/programs/obtained.js';
import { until } from '../support/requests.js';
import { ROOT } from '../fault/support/previous.js';
import type { Cast } from '../fault/support/fixture.js';
import { report, seconds } from '../fault/support/report.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { prepareInstallation, secret } from './support/installation.js';
import type { Installation, Version } from './support/installation.js';
import { saidOf, startLoad } from './support/load.js';
import type { Load } from './support/load.js';
import { NAMESPACE, STORES } from './support/names.js';
import { operatorWith } from './support/operator.js';
import type { Operator } from './support/operator.js';
import { stepsUnder, tableOf } from './support/steps.js';
import type { Row } from './support/steps.js';
import { POSTGRES_DISK } from './support/surroundings.js';
import { lacking } from './support/own/parts.js';

const AT_ONCE = 2;
/** Only to end a step that hangs. */
const STEP_MS = 20 * 60_000;
const FILLER = `${POSTGRES_DISK}/filler`;
const POSTGRES = `postgres.${STORES}`;
const EXPIRED = selfSigned([POSTGRES], Date.now() - 60_000);
const VALID = selfSigned([POSTGRES]);
/** Has pods trust both. */
const TRUSTING = set({ 'caBundle.existingConfigMap': 'authority' });
/** Has pods of `review` verify the certificate of Postgres. */
const VERIFYING = set({
  'postgres.roles.review.existingSecret': 'countersign-postgres-verified',
  'postgres.roles.review.key': 'review',
});
const WRONG_CLOCK = [
  [
    'extraEnv',
    [
      { name: 'NODE_OPTIONS', value: '--import=/clock/wrong-clock.mjs' },
      { name: 'WRONG_CLOCKS', value: '/clock' },
    ],
  ],
  ['extraVolumes', [{ name: 'clock', configMap: { name: 'clock' } }]],
  ['extraVolumeMounts', [{ name: 'clock', mountPath: '/clock' }]],
].flatMap(([key, value]) => [
  '--set-json',
  `targets.execution-authority.${key as string}=${JSON.stringify(value)}`,
]);

const why = process.env['CLUSTER_KUBECONFIG'] === undefined ? lacking() : null;
if (why !== null)
  report(
    `cluster: what cannot work is LEFT OUT, NOT TESTED: this machine cannot run Kubernetes: ${why}`,
  );

/** Each fault is named by one line of a pod's log, and over when its cause is: no pod is restarted by hand. */
(why === null ? describe : describe.skip)('the chart on a cluster that lacks something', () => {
  const rows: Row[] = [];
  let cluster: Cluster;
  let installation: Installation;
  let operator: Operator;
  let version: Version;
  let cast: Cast;
  let load: Load | undefined;
  const step = stepsUnder(
    () => load,
    rows,
    () => operator.logs(null),
  );

  beforeAll(async () => {
    cluster = await openCluster();
    version = { root: ROOT, image: cluster.images.countersign };
    operator = operatorWith(cluster.kubectl);
    installation = await prepareInstallation(cluster, version);
  }, 3 * BUILD_MS);
  afterAll(async () => {
    report(`cluster: what was lacking\n${tableOf(rows)}`);
    await load?.stop();
    await installation?.stop();
    await cluster?.stop();
  }, STEP_MS);

  it(
    'waits for a Secret that is missing and for the right database role, and goes on when they are there',
    async () => {
      await cluster.kubectl.apply(configMap('authority', { 'ca.crt': EXPIRED.cert + VALID.cert }));
      await logIn('request', 'ledger');
      const redis = await taken('countersign-redis');
      const begin = performance.now();
      const installing = installation.deploy('install', version, ...TRUSTING);
      await said('worker-expiry', /cannot start.*REDIS_URL|REDIS_URL.*cannot start/);
      await said('request', /waiting for the database/);
      const complete = performance.now();
      await cluster.kubectl.apply(secret('countersign-redis', redis));
      await logIn('request', 'request');
      await installing;
      report(
        `cluster: a missing Secret and a wrong role: ready ${seconds(complete)} after they were right, ${seconds(begin)} after the install`,
      );
      const pods = await operator.pods();
      expect(pods.filter(({ ready, restarts }) => !ready || restarts > 0)).toEqual([]);
      cast = await installation.configure(version);
      load = startLoad(cast, AT_ONCE);
      await step('lifecycles', () => load!.more(10));
    },
    STEP_MS,
  );

  it(
    'waits for a certificate that has not expired, while pods that run go on',
    async () => {
      await serveWith(EXPIRED);
      await cluster.kubectl.apply(
        secret('countersign-postgres-verified', {
          review: `${urlOf('review')}?sslmode=verify-full`,
        }),
      );
      await step('expired certificate of Postgres', async () => {
        const args = [...TRUSTING, ...VERIFYING, '--wait=false'];
        await installation.deploy('upgrade', version, ...args);
        await said(
          'review',
          /waiting for the database.*CERT_HAS_EXPIRED|CERT_HAS_EXPIRED.*waiting for the database/,
        );
        await load!.more(4);
        await serveWith(VALID);
        await operator.settled();
      });
    },
    STEP_MS,
  );

  it(
    'refuses calls while the disk of Postgres is full, and goes on when it has room',
    async () => {
      await load!.stop();
      load = undefined;
      await inPostgres(`while printf '%1048576s' >> ${FILLER}; do :; done 2>/dev/null`);
      const full = startLoad(cast, AT_ONCE);
      const refused = await until(
        async () => full.since().failed,
        (failed) => failed.length > 0,
        STEP_MS,
      );
      expect(saidOf(refused)[0]).toMatch(/503 service_unavailable/);
      await said(null, /No space left on device/);
      await inPostgres(`: > ${FILLER}`);
      await full.stop();
      load = startLoad(cast, AT_ONCE);
      await step('room on the disk again', () => load!.more(10));
      await operator.settled();
    },
    STEP_MS,
  );

  it(
    'works with a clock that is ten minutes ahead, and says so',
    async () => {
      const preload = readFileSync(join(ROOT, 'test/fault/support/wrong-clock.mjs'), 'utf8');
      await cluster.kubectl.apply(
        configMap('clock', { 'wrong-clock.mjs': preload, off: String(10 * 60_000) }),
      );
      await step('clocks of execution-authority ten minutes ahead', async () => {
        const args = [...TRUSTING, ...VERIFYING, ...WRONG_CLOCK];
        await installation.deploy('upgrade', version, ...args);
        await said('execution-authority', /"offsetSeconds":(599|600|601)\b.*NTP/);
        await load!.more(10);
      });
      await step('right clocks again', () =>
        installation.deploy('upgrade', version, ...TRUSTING, ...VERIFYING),
      );
    },
    STEP_MS,
  );

  // ---------------------------------------------------------------------------------------------------

  /** Resolves when pods of the target, or of any, have a line of that kind in their logs. */
  async function said(target: string | null, pattern: RegExp): Promise<void> {
    const lines = await until(
      async () => (await operator.logs(target)).filter((line) => pattern.test(line)),
      ({ length }) => length > 0,
      STEP_MS,
    );
    report(`cluster: said: ${lines[0]}`);
    // Told once by each pod, not again with every attempt.
    if (target !== null)
      expect(lines.length).toBeLessThanOrEqual((await operator.pods(target)).length);
  }

  /** Takes a Secret away; gives what it held. */
  async function taken(name: string): Promise<Record<string, string>> {
    const at = ['--namespace', NAMESPACE];
    const { data } = JSON.parse(
      await cluster.kubectl.ask(...at, 'get', 'secret', name, '-o', 'json'),
    ) as { data: Record<string, string> };
    await cluster.kubectl.ask(...at, 'delete', 'secret', name);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  }

  /** Has pods with a database role log in as another. */
  async function logIn(role: string, login: string): Promise<void> {
    const patch = JSON.stringify({ stringData: { [role]: urlOf(login) } });
    await cluster.kubectl.ask(
      ...['--namespace', NAMESPACE, 'patch', 'secret', 'countersign-postgres', '--patch', patch],
    );
  }

  function inPostgres(script: string, ...args: string[]): Promise<string> {
    return cluster.kubectl.ask(
      ...['--namespace', STORES, 'exec', 'deployment/postgres'],
      ...['--', 'sh', '-c', script, 'sh', ...args],
    );
  }

  /** Has Postgres show a certificate to new connections. */
  async function serveWith({ cert, key }: TestCertificate): Promise<void> {
    const files = { crt: `${POSTGRES_DISK}/server.crt`, key: `${POSTGRES_DISK}/server.key` };
    await inPostgres(
      'umask 077; printf %s "$1" > "$2"; printf %s "$3" > "$4"; ' +
        'printf "ssl = on\nssl_cert_file = \'%s\'\nssl_key_file = \'%s\'\n" "$2" "$4" >> "$5"; kill -HUP 1',
      ...[cert, files.crt, key, files.key, `${POSTGRES_DISK}/pg/postgresql.conf`],
    );
  }
});

function urlOf(login: string): string {
  return `postgres://${login}@${POSTGRES}:5432/countersign`;
}

function set(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
}

function configMap(name: string, data: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE }, data };
}
