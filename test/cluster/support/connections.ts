import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowOf } from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import type { Cluster } from './cluster.js';
import type { PodSeen } from './operator.js';
import { STORES } from './names.js';
import { DOOR, S3_PORT } from './surroundings.js';

export type Labels = Readonly<Record<string, string>>;
/** Addresses by what is there. */
export type Places = Readonly<Record<string, string>>;

/** Every port that a pod of the suite listens on, and two of the cluster's own. */
export async function placesOf(
  { kubectl }: Cluster,
  pods: readonly PodSeen[],
  providerPort: number,
  stores = STORES,
): Promise<Places> {
  const addressOf = (app: string): Promise<string> =>
    kubectl.ask(
      ...['--namespace', stores, 'get', 'pods', '-l', `app=${app}`],
      ...['-o', 'jsonpath={.items[0].status.podIP}'],
    );
  const storesAt = {
    ...{ nats: 4222, postgres: 5432, redis: 6379, s3: S3_PORT },
    ...{ provider: providerPort, door: DOOR.postgres },
  };
  const places: Record<string, string> = {};
  for (const [app, port] of Object.entries(storesAt))
    places[app] = `${await addressOf(app)}:${port}`;
  const api = ['get', 'service', 'kubernetes', '--namespace', 'default'];
  places['kubernetes'] = `${await kubectl.ask(...api, '-o', 'jsonpath={.spec.clusterIP}')}:443`;
  places['kubelet'] = await kubectl.ask(
    ...['get', 'nodes', '-o'],
    'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}:{.items[0].status.daemonEndpoints.kubeletEndpoint.Port}',
  );
  for (const { target, address } of pods) {
    places[`health of ${target}`] = `${address}:9090`;
    if (target === 'gateway') {
      places['interface'] = `${address}:8080`;
      places['apps'] = `${address}:8081`;
    }
  }
  return places;
}

/** The places of stores and of others that a target may open connections to, by its row in the table of targets. */
export function reachedBy(target: Target): string[] {
  const { role, reaches, queues } = rowOf(target);
  return [
    'nats',
    ...(role === null ? [] : ['postgres']),
    ...(queues || reaches.includes('redis') ? ['redis'] : []),
    ...(reaches.includes('anchor') ? ['s3'] : []),
    ...(reaches.includes('oidc') ? ['provider'] : []),
  ];
}

/** The names of the places to which a connection opens from inside a pod. */
export async function openFrom(
  { kubectl }: Cluster,
  namespace: string,
  pod: string,
  places: Places,
): Promise<string[]> {
  const printed = await kubectl.ask(
    ...['--namespace', namespace, 'exec', pod, '--', 'node', '-e', TRY_EACH],
    ...Object.values(places),
  );
  const open = JSON.parse(printed) as boolean[];
  return Object.keys(places).filter((_, place) => open[place]);
}

/** The pods with their addresses, and the rules of a cluster of our own: what a connection that should not open is explained by. */
export async function rulesOf({ kubectl, folder }: Cluster): Promise<string> {
  const pods = await kubectl.ask('get', 'pods', '--all-namespaces', '--output', 'wide');
  const rules = join(folder, 'policies.nft');
  return [pods, existsSync(rules) ? readFileSync(rules, 'utf8') : 'other rules'].join('\n');
}

/** Prints for each address whether a connection opens. */
const TRY_EACH = `Promise.all(process.argv.slice(1).map((place) => new Promise((told) => {
  const [host, port] = place.split(':');
  const socket = require('node:net').connect({ host, port, timeout: 5000 });
  const end = (open) => { socket.destroy(); told(open); };
  socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
}))).then((opened) => console.log(JSON.stringify(opened)))`;

/** A pod of somebody else, to try connections from; resolves when it runs. */
export async function startStranger(
  { kubectl, images }: Cluster,
  namespace: string,
  name: string,
  labels: Labels,
): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'stranger',
          image: images.countersign,
          command: ['node', '-e', 'setInterval(() => {}, 1e6)'],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
  await kubectl.apply(pod);
  await kubectl.ask(
    ...['--namespace', namespace, 'wait', '--for=condition=Ready', '--timeout=3m', `pod/${name}`],
  );
}
