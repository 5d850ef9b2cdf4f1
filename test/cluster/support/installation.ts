import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { CHART } from '../../chart/tools.js';
import { startFleet } from '../../fault/support/fleet.js';
import type { Fleet } from '../../fault/support/fleet.js';
import { ROOT } from '../../fault/support/previous.js';
import { obtainedTool } from '../../support/programs/obtained.js';
import type { Cluster } from './cluster.js';
import { HOST } from './enclosure.js';
import { forwardToLoopback } from './forward.js';
import { countersignImage } from './image.js';

export const NAMESPACE = 'countersign';
export const RELEASE = 'countersign';
export const IMAGE = 'localhost/countersign';

/** Keys of the Secret of URLs, and the role that each logs in as a member of. */
const ROLES = {
  gateway: 'countersign_gateway',
  request: 'countersign_request',
  review: 'countersign_review',
  'execution-authority': 'countersign_execution',
  ledger: 'countersign_ledger',
  notifier: 'countersign_notifier',
  deletion: 'countersign_deletion',
} as const;

/** The chart's surroundings: stores on this machine, Secrets, a volume; nothing installed yet. */
export interface Installation {
  readonly fleet: Fleet;
  /** Path of the values for this cluster. */
  readonly values: string;
  helm(...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

export async function prepareInstallation(cluster: Cluster): Promise<Installation> {
  const fleet = await startFleet(ROOT);
  try {
    return await prepareWith(fleet, cluster);
  } catch (error) {
    await fleet.stop();
    throw error;
  }
}

async function prepareWith(fleet: Fleet, cluster: Cluster): Promise<Installation> {
  const provider = await fleet.launch(ROOT, 'development-provider');
  await provider.serving;
  const forwards = await Promise.all(
    Object.values(fleet.ports).map((port) => forwardToLoopback(HOST, port)),
  );
  cluster.load(countersignImage(ROOT, join(cluster.folder, 'images', 'countersign'), `${IMAGE}:1`));
  await cluster.apply(namespace(), ...volume(cluster.folder));
  const urls = await makeLogins(fleet);
  const [tenant] = JSON.parse(readFileSync(join(fleet.dataDirectory, 'tenants.json'), 'utf8'));
  const owner = elsewhere(fleet.databaseUrl);
  const keys = join(fleet.dataDirectory, 'keys');
  await cluster.apply(
    secret('countersign-keys', {
      ...Object.fromEntries(
        readdirSync(keys).map((file) => [file, readFileSync(join(keys, file), 'utf8')]),
      ),
      'trust.json': readFileSync(join(fleet.dataDirectory, 'trust.json'), 'utf8'),
    }),
    secret('countersign-postgres', urls),
    secret('countersign-postgres-owner', { owner }),
    secret('countersign-test-producer', { token: tenant.producer.token }),
    secret('countersign-redis', { url: `redis://${HOST}:${fleet.ports.redis}` }),
  );
  const values = join(cluster.folder, 'values.json');
  writeFileSync(values, JSON.stringify(valuesOf(fleet, tenant.routes.review)));
  return {
    fleet,
    values,
    helm: async (...args) => {
      const place = ['--kubeconfig', cluster.kubeconfig, '--namespace', NAMESPACE];
      const { stdout } = await promisify(execFile)(obtainedTool('helm'), [...args, ...place], {
        maxBuffer: 1 << 28,
      });
      return stdout;
    },
    async stop() {
      for (const forward of forwards) forward.stop();
      await fleet.stop();
    },
  };
}

/** Installs or upgrades the chart of this checkout. */
export function deploy(
  { helm, values }: Installation,
  verb: 'install' | 'upgrade',
  ...args: string[]
): Promise<string> {
  return helm(verb, RELEASE, CHART, '-f', values, '--wait', '--timeout', '5m', ...args);
}

/** The groups before the first migration, so that pods can log in as soon as it has run. */
async function makeLogins(fleet: Fleet): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  try {
    const urls: Record<string, string> = {};
    for (const group of [...Object.values(ROLES), 'countersign_security_log', 'countersign_queues'])
      await client.query(
        `DO $$ BEGIN CREATE ROLE ${group} NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
      );
    for (const [key, group] of Object.entries(ROLES)) {
      const password = randomBytes(16).toString('hex');
      const login = `login_${group}`;
      await client.query(
        `CREATE ROLE ${login} LOGIN NOINHERIT PASSWORD '${password}' IN ROLE ${group}`,
      );
      const url = new URL(elsewhere(fleet.databaseUrl));
      url.username = login;
      url.password = password;
      urls[key] = url.href;
    }
    return urls;
  } finally {
    await client.end();
  }
}

/** An address of this machine's loopback as pods write it. */
function elsewhere(url: string): string {
  const changed = new URL(url);
  changed.hostname = HOST;
  return changed.href;
}

function secret(name: string, data: Readonly<Record<string, string>>): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: NAMESPACE },
    stringData: data,
  };
}

function namespace(): object {
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } };
}

/** A folder of this machine, which both nodes see. */
function volume(folder: string): object[] {
  const path = join(folder, 'anchors');
  mkdirSync(path);
  chmodSync(path, 0o777);
  const shared = {
    accessModes: ['ReadWriteMany'],
    storageClassName: '',
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'anchors' },
      spec: { ...shared, capacity: { storage: '1Gi' }, hostPath: { path } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'anchors', namespace: NAMESPACE },
      spec: { ...shared, volumeName: 'anchors', resources: { requests: { storage: '1Gi' } } },
    },
  ];
}

function valuesOf(fleet: Fleet, route: string): object {
  const here = [{ ipBlock: { cidr: `${HOST}/32` } }];
  const { ports } = fleet;
  const proxy =
    `require('net').createServer(a=>{const b=require('net').connect(${ports.provider},'${HOST}');` +
    `a.pipe(b).pipe(a);a.on('error',()=>b.destroy());b.on('error',()=>a.destroy())}).listen(${ports.provider},'127.0.0.1')`;
  return {
    image: { repository: IMAGE, tag: '1', pullPolicy: 'Never' },
    mode: 'development',
    origin: fleet.origin,
    sandboxOrigin: fleet.sandboxOrigin,
    keys: { existingSecret: 'countersign-keys' },
    postgres: {
      existingSecret: 'countersign-postgres',
      migration: { existingSecret: 'countersign-postgres-owner' },
    },
    nats: { url: `nats://${HOST}:${ports.nats}`, auth: 'none' },
    redis: { existingSecret: 'countersign-redis' },
    oidc: { issuer: fleet.issuer },
    anchor: { directory: '/anchor', persistentVolumeClaim: 'anchors' },
    settings: { QUOTAS: 'off', RATE_PRINCIPAL: 1_000_000, RATE_TENANT: 1_000_000 },
    test: { existingSecret: 'countersign-test-producer', route },
    defaults: {
      resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '512Mi' } },
    },
    networkPolicy: {
      postgres: { ports: [ports.postgres], peers: here },
      nats: { ports: [ports.nats], peers: here },
      redis: { ports: [ports.redis], peers: here },
      dns: here,
    },
    targets: {
      gateway: {
        // A development issuer is loopback: of this machine for browsers, and of the pod for the gateway.
        extraContainers: [
          {
            name: 'provider',
            image: `${IMAGE}:1`,
            imagePullPolicy: 'Never',
            command: ['node', '-e', proxy],
            resources: { requests: { cpu: '5m', memory: '32Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
        networkPolicy: { extraEgress: [{ ports: [{ port: ports.provider }], to: here }] },
      },
    },
  };
}
