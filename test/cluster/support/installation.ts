import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { TARGETS, databaseRolesSql } from '@countersign/deploy';
import { freePort } from '@countersign/dev-servers';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import { obtainedTool } from '../../support/programs/obtained.js';
import { S3_ACCESS, s3Client } from '../../support/servers/s3.js';
import type { Cast } from '../../fault/support/fixture.js';
import { commandsOf } from '../../fault/support/fleet.js';
import type { Cluster } from './cluster.js';
import { openDoor } from './door.js';
import { EDGE_NAMESPACE } from './edge.js';
import type { Door } from './door.js';
import { outputOf } from './kubectl.js';
import type { Kubectl } from './kubectl.js';
import { ALONE, NAMESPACE, RELEASE } from './names.js';
import type { Place } from './names.js';
import { BUCKET, DOOR, S3_PORT, STANDBY, surroundings } from './surroundings.js';

/** One version of the product: a built checkout, and its image. */
export interface Version {
  readonly root: string;
  readonly image: string;
}

/** What an operator has around an installation: stores, identity provider, keys, Secrets, and values of the chart. */
export interface Installation {
  readonly origin: string;
  /** Port of the identity provider, of its pod as of this machine. */
  readonly providerPort: number;
  /** Installs or upgrades a version's chart, and waits until it is ready. Settings are as those of helm. */
  deploy(verb: 'install' | 'upgrade', version: Version, ...settings: string[]): Promise<string>;
  helm(...args: string[]): Promise<string>;
  /** Goes back to the last revision that was deployed before this one. Helm forgets all but ten. */
  rollBack(): Promise<string>;
  /** Makes the keys that a version needs and that are missing. */
  makeKeys(version: Version): Promise<void>;
  /** Makes tenants, people and routes in the installation of that version, and logs in. */
  configure(version: Version): Promise<Cast>;
  /** Statements of Postgres's superuser on the server that the Service leads to; gives the rows of the last. */
  inPostgres(...statements: string[]): Promise<readonly object[]>;
  stop(): Promise<void>;
}

/** On an empty database, for the version that is to be installed first. */
export async function prepareInstallation(
  cluster: Cluster,
  first: Version,
  place = ALONE,
): Promise<Installation> {
  const { kubectl, folder } = cluster;
  const { namespace, stores } = place;
  const ports = {
    ...{ gateway: await freePort(), sandbox: await freePort() },
    ...{ postgres: await freePort(), s3: await freePort(), provider: await freePort() },
  };
  const origin = `http://localhost:${ports.gateway}`;
  const data = join(folder, `data-${ports.gateway}`);
  const keys = join(data, 'keys');
  mkdirSync(data);
  await removeNamespaces(kubectl, place);
  const [node = ''] = (await kubectl.ask('get', 'nodes', '-o', 'name')).split('\n');
  await kubectl.apply(
    namespaceOf(place),
    ...surroundings({
      place,
      images: cluster.images,
      node: node.replace('node/', ''),
      providerPort: ports.provider,
      origin,
    }),
  );
  await kubectl.ask(
    ...['--namespace', stores, 'wait', '--for=condition=Available', '--timeout=5m'],
    ...['deployment', '--all'],
  );
  const doors: Door[] = [];
  doors.push(await openDoor(kubectl, stores, 'provider', [[ports.provider, ports.provider]]));
  doors.push(
    await openDoor(kubectl, stores, 'door', [
      ...(['gateway', 'sandbox', 'postgres', 's3'] as const).map(
        (name) => [ports[name], DOOR[name]] as const,
      ),
    ]),
  );
  const ownerUrl = `postgres://countersign@localhost:${ports.postgres}/countersign`;
  const run = (root: string, command: string, ...args: string[]): Promise<unknown> =>
    promisify(execFile)(process.execPath, [join(root, command), ...args], {
      env: { ...process.env, DATABASE_URL: ownerUrl },
    });

  const makeKeys: Installation['makeKeys'] = async ({ root }) => {
    await run(root, 'deploy/countersign.mjs', 'keygen', '--dir', keys, '--issuer', origin);
    cpSync(join(keys, 'trust.json'), join(data, 'trust.json'));
    await kubectl.apply(secret('countersign-keys', contentOf(keys), namespace));
  };
  await makeKeys(first);
  await emptyDatabase(ports.postgres);
  await makeBucket(`http://localhost:${ports.s3}`);
  await kubectl.apply(...secrets(place));
  const helm: Installation['helm'] = async (...args) =>
    (await outputOf(obtainedTool('helm'), [...args, '--namespace', namespace], kubectl.env)).stdout;

  return {
    origin,
    providerPort: ports.provider,
    helm,
    makeKeys,
    async rollBack() {
      const history = JSON.parse(await helm('history', RELEASE, '-o', 'json')) as {
        revision: number;
        status: string;
      }[];
      const last = history.findLast(({ status }) => status === 'superseded');
      return helm('rollback', RELEASE, String(last?.revision), '--wait', '--timeout', '15m');
    },
    deploy(verb, { root, image }, ...settings) {
      const values = join(data, 'values.json');
      writeFileSync(
        values,
        JSON.stringify(valuesOf({ place, cluster, image, origin, ports, route: 'review' })),
      );
      const chart = join(root, 'helm', 'countersign');
      const { cell } = place;
      const example =
        cell === null ? [] : ['-f', join(chart, 'examples', `cells-${cell}-values.yaml`)];
      return helm(
        verb,
        RELEASE,
        chart,
        ...example,
        '-f',
        values,
        '--wait',
        '--timeout',
        '15m',
        ...settings,
      );
    },
    async configure({ root }) {
      const commands = commandsOf(root).slice(root.length + 1);
      const issuer = `http://localhost:${ports.provider}`;
      const at = ['--data', data, '--origin', origin];
      await run(root, commands, 'set-up', ...at);
      await run(root, commands, 'configure', ...at, '--issuer', issuer);
      const [tenant, other] = JSON.parse(readFileSync(join(data, 'tenants.json'), 'utf8'));
      const sandboxOrigin = `http://localhost:${ports.sandbox}`;
      const trust = join(data, 'trust.json');
      const demo = { origin, sandboxOrigin, issuer, ...tenant, trust, other } as Demo;
      writeFileSync(join(data, 'demo.json'), JSON.stringify(demo));
      const { token } = tenant.producer;
      await kubectl.apply(secret('countersign-test-producer', { token }, namespace));
      const reviewer = await personOf(demo, data, demo.people[1]!.id);
      return { demo, producer: producerOf(demo), reviewer, operator: operatorOf(demo) };
    },
    inPostgres: (...statements) => asSuperuser(ports.postgres, 'postgres', ...statements),
    async stop() {
      for (const door of doors) door.close();
      await removeNamespaces(kubectl, place);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Those of this run, or of one before that was killed. */
async function removeNamespaces({ ask }: Kubectl, place: Place): Promise<void> {
  const { namespace, stores } = place;
  await ask('delete', 'namespace', namespace, stores, '--ignore-not-found', '--timeout=10m');
}

/** As docs/operations.md says, "Database"; logins need no password in this cluster. */
async function emptyDatabase(port: number): Promise<void> {
  await asSuperuser(
    port,
    'postgres',
    'CREATE ROLE countersign LOGIN',
    'CREATE DATABASE countersign OWNER countersign',
  );
  await asSuperuser(port, 'countersign', databaseRolesSql({ queues: false }));
}

async function asSuperuser(
  port: number,
  database: string,
  ...statements: string[]
): Promise<readonly object[]> {
  const client = new pg.Client({
    connectionString: `postgres://postgres@localhost:${port}/${database}`,
  });
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const statement of statements) ({ rows } = await client.query<object>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

async function makeBucket(url: string): Promise<void> {
  const client = s3Client(url);
  try {
    await client.send(
      new CreateBucketCommand({ Bucket: BUCKET, ObjectLockEnabledForBucket: true }),
    );
  } finally {
    client.destroy();
  }
}

function namespaceOf({ namespace }: Place): object {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

function contentOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
  );
}

/** A Secret of the installation's namespace. */
export function secret(
  name: string,
  stringData: Readonly<Record<string, string>>,
  namespace = NAMESPACE,
): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
}

function secrets({ namespace, stores, cell }: Place): object[] {
  const url = (login: string): string => `postgres://${login}@postgres.${stores}:5432/countersign`;
  const put = (name: string, data: Readonly<Record<string, string>>): object =>
    secret(name, data, namespace);
  const prefix = cell === null ? '' : `${cell}-`;
  const logins = ['gateway', 'request', 'review', 'ledger', 'notifier', 'deletion'];
  const { accessKeyId, secretAccessKey } = S3_ACCESS;
  return [
    put('countersign-postgres', {
      ...Object.fromEntries(logins.map((login) => [login, url(login)])),
      'execution-authority': url('execution'),
    }),
    put('countersign-postgres-owner', { owner: url('countersign') }),
    // Passwords of the users of examples/nats-values.yaml, here their names.
    put(
      natsSecretOf({ cell }),
      Object.fromEntries(TARGETS.map((target) => [target, `${prefix}${target}`])),
    ),
    put('countersign-redis', { url: `redis://redis.${stores}:6379` }),
    put('countersign-s3', {
      'access-key-id': accessKeyId,
      'secret-access-key': secretAccessKey,
    }),
  ];
}

function natsSecretOf({ cell }: Pick<Place, 'cell'>): string {
  return cell === null ? 'countersign-nats' : `countersign-nats-${cell}`;
}

interface ValuesOptions {
  readonly place: Place;
  readonly cluster: Cluster;
  readonly image: string;
  readonly origin: string;
  readonly ports: Readonly<Record<'provider' | 'sandbox', number>>;
  readonly route: string;
}

function valuesOf({ place, cluster, image, origin, ports, route }: ValuesOptions): object {
  const { stores, cell } = place;
  const inNamespace = (name: string): object => ({
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
  });
  const store = (app: string, namespace = stores): object[] => [
    { ...inNamespace(namespace), podSelector: { matchLabels: { app } } },
  ];
  const tag = image.lastIndexOf(':');
  return {
    image: { repository: image.slice(0, tag), tag: image.slice(tag + 1) },
    mode: 'development',
    origin,
    sandboxOrigin: `http://localhost:${ports.sandbox}`,
    keys: { existingSecret: 'countersign-keys' },
    postgres: {
      existingSecret: 'countersign-postgres',
      migration: { existingSecret: 'countersign-postgres-owner' },
    },
    nats: { url: `nats://nats.${place.nats}:4222`, existingSecret: natsSecretOf(place) },
    // This origin is none of a Gateway's.
    ...(cell === null ? {} : { httpRoute: { enabled: false, redirectHosts: [] } }),
    redis: { existingSecret: 'countersign-redis' },
    oidc: { issuer: `http://localhost:${ports.provider}`, existingSecret: '' },
    anchor: {
      s3: {
        ...{
          bucket: BUCKET,
          region: 'us-east-1',
          endpoint: `http://s3.${stores}:${S3_PORT}`,
          pathStyle: true,
        },
        existingSecret: 'countersign-s3',
      },
    },
    settings: {
      QUOTAS: 'off',
      RATE_PRINCIPAL: 1_000_000,
      // A dozen processes that start at once leave a small machine little time: a call fails when it is lost, not when it is slow.
      SERVICE_TIMEOUT_MS: 25_000,
    },
    test: { existingSecret: 'countersign-test-producer', route },
    defaults: {
      resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '512Mi' } },
    },
    networkPolicy: {
      ingress: [...store('door'), ...(cell === null ? [] : [inNamespace(EDGE_NAMESPACE)])],
      monitoring: store('prometheus'),
      dns: cluster.dns,
      postgres: { peers: [...store('postgres'), ...store(STANDBY)] },
      nats: { peers: store('nats', place.nats) },
      redis: { peers: store('redis') },
      oidc: { ports: [ports.provider], peers: store('provider') },
      anchor: { ports: [S3_PORT], peers: store('s3') },
    },
    targets: {
      // A development issuer is loopback: this machine's for people, and the pod's for the gateway.
      gateway: { extraContainers: [wayToProvider(image, ports.provider, stores)] },
    },
  };
}

function wayToProvider(image: string, port: number, stores: string): object {
  const script =
    `process.on('SIGTERM',()=>process.exit());require('net').createServer((a)=>{const b=require('net').connect(${port},'provider.${stores}');` +
    `a.pipe(b).pipe(a);a.on('error',()=>b.destroy());b.on('error',()=>a.destroy())}).listen(${port},'127.0.0.1')`;
  return {
    name: 'provider',
    image,
    command: ['node', '-e', script],
    resources: { requests: { cpu: '5m', memory: '32Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}
