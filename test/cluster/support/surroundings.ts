import {
  CELL_USERS,
  NATS_USERS,
  NATS_VALUES,
  natsConfigOf,
  natsConfigOfCells,
} from '../../chart/nats-users.js';
import { S3_ACCESS } from '../../support/servers/s3.js';
import type { Images } from './cluster.js';
import type { Kubectl } from './kubectl.js';
import { RELEASE, STORES } from './names.js';
import type { Place } from './names.js';

export const BUCKET = 'checkpoints';
export const S3_PORT = 7070;
export const STANDBY = 'postgres-standby';
/** Folder of Postgres's disk. */
export const POSTGRES_DISK = '/data';
/** Ports of the pod `door`, through which the tests reach what is in the cluster. */
export const DOOR = { gateway: 9001, sandbox: 9002, postgres: 9003, s3: 9004 } as const;

export interface SurroundingsOptions {
  readonly place: Place;
  readonly images: Images;
  /** Node that all of them run on. */
  readonly node: string;
  /** The address that the development provider is reached at, by people as by the gateway. */
  readonly providerPort: number;
  readonly origin: string;
}

/** Those of the launcher's demonstration who log in. */
const PEOPLE = [
  { subject: 'olivia', name: 'Olivia Owner' },
  { subject: 'ruth', name: 'Ruth Reviewer' },
];

const { ping_interval, ping_max } = NATS_VALUES.config.merge;
/**
 * Several servers find each other when there are. Their Service has no address of its own: a server that came to itself by it would
 * stay alone.
 */
const NATS_SETTINGS = `max_payload: 1MB
ping_interval: "${ping_interval}"
ping_max: ${ping_max}
cluster { name: test, port: 6222, routes: ["nats://nats-routes:6222"] }`;

function usersOf({ cell }: Place): string {
  return cell === null ? natsConfigOf(NATS_USERS) : natsConfigOfCells(CELL_USERS);
}

/** Of an empty database; where the Service has one already, of a standby that follows it. */
const POSTGRES_SCRIPT = `
export LANG=C
if [ ! -e ${POSTGRES_DISK}/pg/PG_VERSION ]; then
  if pg_isready -q -h postgres
  then pg_basebackup -h postgres -U postgres -D ${POSTGRES_DISK}/pg --waldir=/wal/pg --write-recovery-conf --checkpoint=fast
  else initdb -D ${POSTGRES_DISK}/pg --waldir=/wal/pg -U postgres --auth=trust -E UTF8 --locale=C
  fi
fi
printf 'host %s all all trust\\n' all replication > ${POSTGRES_DISK}/pg/pg_hba.conf
exec postgres -D ${POSTGRES_DISK}/pg -c listen_addresses='*' -c unix_socket_directories=/tmp \\
  -c max_connections=400 -c log_error_verbosity=terse -c fsync=off`;

/** Stores, the identity provider, and the door of the tests, each a Deployment with a Service of its name. */
export function surroundings(options: SurroundingsOptions): object[] {
  const { place, images, node, providerPort } = options;
  const deploy = (name: string, port: number, container: object, spec: object = {}): object[] =>
    deployment({ name, port, node, container, spec, namespace: place.stores });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place.stores } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'nats', namespace: place.stores },
      data: { 'nats.conf': `${NATS_SETTINGS}\n${usersOf(place)}` },
    },
    ...deploy(
      'nats',
      4222,
      {
        image: images.nats,
        command: ['nats-server', '-c', '/etc/nats/nats.conf'],
        volumeMounts: [{ name: 'settings', mountPath: '/etc/nats' }],
      },
      { volumes: [{ name: 'settings', configMap: { name: 'nats' } }] },
    ),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'nats-routes', namespace: place.stores },
      spec: {
        clusterIP: 'None',
        selector: { app: 'nats' },
        ports: [{ port: 6222 }],
        publishNotReadyAddresses: true,
      },
    },
    ...deploy('redis', 6379, {
      image: images.redis,
      command: ['redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no'],
      args: ['--save', '', '--maxmemory-policy', 'noeviction', '--dir', '/tmp'],
    }),
    ...deploy('postgres', 5432, postgres(images), POSTGRES_PODS),
    ...deploy('s3', S3_PORT, s3(images), {
      // The program makes none of its folders.
      initContainers: [{ ...s3(images), ...FOLDERS, name: 'folders', image: images.countersign }],
      volumes: [{ name: 'data', emptyDir: {} }],
    }),
    ...deploy('provider', providerPort, provider(options)),
    ...deploy('door', DOOR.gateway, {
      image: images.countersign,
      command: ['node', '-e', doorScript(place)],
    }),
  ];
}

/** A second Postgres, which follows the one that the Service leads to. */
export function standby({ images, node }: Pick<SurroundingsOptions, 'images' | 'node'>): object {
  const container = postgres(images);
  const [alone] = deployment({
    ...{ namespace: STORES, name: STANDBY, port: 5432, node, container, spec: POSTGRES_PODS },
  });
  return alone!;
}

function postgres(images: Images): object {
  return {
    image: images.postgres,
    command: ['sh', '-ec', POSTGRES_SCRIPT],
    volumeMounts: [
      { name: 'data', mountPath: POSTGRES_DISK },
      { name: 'wal', mountPath: '/wal' },
      { name: 'memory', mountPath: '/dev/shm' },
    ],
  };
}

const POSTGRES_PODS = {
  securityContext: { runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
  volumes: [
    // Of a size that a test can fill.
    { name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '3Gi' } },
    { name: 'wal', emptyDir: {} },
    { name: 'memory', emptyDir: { medium: 'Memory' } },
  ],
};

const FOLDERS = {
  command: ['node', '-e'],
  args: [
    "for (const name of ['files', 'versions', 'sidecar']) require('fs').mkdirSync('/data/' + name)",
  ],
};

function s3(images: Images): object {
  const { accessKeyId, secretAccessKey } = S3_ACCESS;
  return {
    image: images.s3,
    command: ['versitygw', '--port', `:${S3_PORT}`, '--quiet'],
    args: [
      ...['--access', accessKeyId, '--secret', secretAccessKey],
      ...[
        'posix',
        '--sidecar',
        '/data/sidecar',
        '--versioning-dir',
        '/data/versions',
        '/data/files',
      ],
    ],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
}

/**
 * As load balancers do, it connects to another pod when one refuses or is silent, and gives up connections to a machine that is
 * gone. It logs connections that ended without an answer to what was sent last.
 */
const doorScript = ({ namespace }: Place): string => `
const net = require('node:net');
const ways = [
  [${DOOR.gateway}, '${RELEASE}.${namespace}', 80], [${DOOR.sandbox}, '${RELEASE}.${namespace}', 81],
  [${DOOR.postgres}, 'postgres', 5432], [${DOOR.s3}, 's3', ${S3_PORT}],
];
for (const [from, host, port] of ways)
  net.createServer((a) => {
    a.on('error', () => {});
    const open = () => {
      if (a.destroyed) return;
      let [connected, openedAt, endedAt] = [false, 0, 0];
      const b = net.connect({ port, host, timeout: 1000 });
      b.on('timeout', () => connected || b.destroy()).on('end', () => (endedAt = Date.now()));
      b.on('connect', () => {
        [connected, openedAt] = [true, Date.now()];
        if (a.destroyed) return void b.destroy();
        b.setTimeout(0).setKeepAlive(true, 1000);
        a.pipe(b).pipe(a);
        let [sentAt, answeredAt, fault] = [0, 0, null];
        a.on('data', () => (sentAt = Date.now())).on('close', () => b.destroySoon());
        b.on('data', () => (answeredAt = Date.now())).on('error', (error) => (fault = error.code));
        b.on('close', () => {
          if (sentAt <= answeredAt || a.destroyed) return;
          const times = { time: new Date().toISOString(), openedAt, answeredAt, sentAt, endedAt, fault };
          console.log(JSON.stringify({ level: 'warn', message: 'not answered', port, ...times }));
        });
      });
      // What has come is passed on first.
      b.on('error', () => {}).on('close', () => connected ? a.destroySoon() : setTimeout(open, 100));
    };
    open();
  }).listen(from);`;

/** What the door has logged. */
export function doorLog(kubectl: Kubectl): Promise<string> {
  return kubectl.ask('--namespace', STORES, 'logs', 'deployment/door', '--tail=-1');
}

function provider({ images, origin, providerPort }: SurroundingsOptions): object {
  const variables = {
    MODE: 'development',
    HOST: '0.0.0.0',
    ORIGIN: origin,
    OIDC_ISSUER: `http://localhost:${providerPort}`,
    DEVELOPMENT_PROVIDER_PORT: String(providerPort),
    DEVELOPMENT_PEOPLE: JSON.stringify(PEOPLE),
    HEALTH_PORT: '9090',
  };
  return {
    image: images.countersign,
    command: ['node', '/app/deploy/dist/main.js', '--target=development-provider'],
    env: Object.entries(variables).map(([name, value]) => ({ name, value })),
  };
}

interface DeploymentOptions {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly node: string;
  readonly container: object;
  readonly spec: object;
}

function deployment(options: DeploymentOptions): object[] {
  const { namespace, name, port, node, container, spec } = options;
  const metadata = { name, namespace };
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': node },
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name,
          imagePullPolicy: 'IfNotPresent',
          resources: { requests: { cpu: '10m', memory: '64Mi' } },
          readinessProbe: { tcpSocket: { port }, periodSeconds: 1, timeoutSeconds: 5 },
          ...container,
        },
      ],
      ...spec,
    },
  };
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { strategy: { type: 'Recreate' }, selector: { matchLabels: labels }, template },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port }] },
    },
  ];
}
