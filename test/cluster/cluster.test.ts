import { rowOf } from '@countersign/deploy';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import { BUILD_MS } from '../support/programs/obtained.js';
import { rendered, SHAPES } from '../chart/objects.js';
import { report } from '../fault/support/report.js';
import type { Cast } from '../fault/support/fixture.js';
import { NODES, startCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { HOST, INSIDE } from './support/enclosure.js';
import { resourceDefinitions } from './support/definitions.js';
import { NAMESPACE, RELEASE, deploy, prepareInstallation } from './support/installation.js';
import type { Installation } from './support/installation.js';
import { startLoad } from './support/load.js';
import type { Load, Seen } from './support/load.js';
import { lacking } from './support/parts.js';

const AT_ONCE = 4;
const STEP_MS = 600_000;
const why = lacking();
if (why !== null)
  report(`cluster: LEFT OUT, NOT TESTED: this machine cannot run Kubernetes: ${why}`);

/** The chart on a Kubernetes of two nodes, in the order in which an operator does these things. */
(why === null ? describe : describe.skip)('the chart on a cluster', () => {
  let cluster: Cluster;
  let installation: Installation;
  let cast: Cast;
  let load: Load | undefined;

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.apply(...resourceDefinitions());
    installation = await prepareInstallation(cluster);
  }, 3 * BUILD_MS);
  afterAll(async () => {
    await load?.stop();
    await installation?.stop();
    await cluster?.stop();
  }, 120_000);

  it.each(SHAPES)(
    'is accepted by the server: %s',
    async (shape) => {
      await step(`dry run of ${shape.split('/').at(-1)}`, async () => {
        const objects = rendered(shape).map((manifest) => ({
          ...manifest,
          metadata: { ...manifest.metadata, namespace: NAMESPACE },
        }));
        await cluster.tryOut(...objects);
      });
    },
    60_000,
  );

  it(
    'installs',
    async () => {
      await step('install', () => deploy(installation, 'install'));
      expect(await restarts()).toBe(0);
    },
    STEP_MS,
  );

  it(
    'takes requests through their lifecycles',
    async () => {
      const { fleet } = installation;
      fleet.balance(await serviceAddress(), 80);
      const demo = await fleet.configure(process.cwd());
      const reviewer = await personOf(demo, fleet.dataDirectory, demo.people[1]!.id);
      cast = { demo, producer: producerOf(demo), reviewer, operator: operatorOf(demo) };
      load = startLoad(cast, AT_ONCE);
      await step('load', () => load!.more(20));
    },
    STEP_MS,
  );

  it(
    'passes its own test',
    async () => {
      await step('helm test', () => installation.helm('test', RELEASE));
    },
    STEP_MS,
  );

  it.each(['schema', 'ledger', 'worker-expiry', 'gateway'] as const)(
    'reaches what the drawing says and nothing else: %s',
    async (target) => {
      const { ports } = installation.fleet;
      const places = {
        nats: `${HOST}:${ports.nats}`,
        postgres: `${HOST}:${ports.postgres}`,
        redis: `${HOST}:${ports.redis}`,
        kubernetes: `${INSIDE}:6443`,
        gateway: `${await serviceAddress()}:80`,
        neighbour: `${await addressOfPod('notifier')}:9090`,
      };
      const { role, reaches, queues } = rowOf(target);
      const allowed = ['nats', ...(role === null ? [] : ['postgres'])];
      if (queues || reaches.includes('redis')) allowed.push('redis');
      const [pod = ''] = await podsOf(target);
      const found = await cluster.kubectl(
        ...['-n', NAMESPACE, 'exec', pod, '-c', target, '--', 'node', '-e', TRY_EACH],
        ...Object.values(places),
      );
      const reached = JSON.parse(found) as boolean[];
      expect(Object.keys(places).filter((_, place) => reached[place])).toEqual(allowed);
    },
    60_000,
  );

  it(
    'is upgraded',
    async () => {
      await step('upgrade', () =>
        deploy(installation, 'upgrade', '--set', 'defaults.podAnnotations.round=second'),
      );
      expect(await restarts()).toBe(0);
    },
    STEP_MS,
  );

  it.each(['schema', 'request', 'review', 'execution-authority', 'ledger'])(
    'replaces a deleted pod: %s',
    async (target) => {
      await step(`delete a pod of ${target}`, async () => {
        const [pod = ''] = await podsOf(target);
        await cluster.kubectl('-n', NAMESPACE, 'delete', 'pod', pod);
        await load!.more(4);
        await settled();
      });
    },
    STEP_MS,
  );

  it.each(NODES)(
    'moves away from a node that is drained: %s',
    async (node) => {
      await step(`drain ${node}`, async () => {
        await cluster.kubectl('drain', node, '--delete-emptydir-data', '--timeout=5m');
        await load!.more(4);
        await cluster.kubectl('uncordon', node);
        await settled();
      });
    },
    STEP_MS,
  );

  it(
    'goes back from an upgrade that cannot work',
    async () => {
      await step('upgrade to a missing image', async () => {
        const args = ['--set', 'image.tag=none', '--atomic', '--timeout', '30s'];
        await expect(deploy(installation, 'upgrade', ...args)).rejects.toThrow(/rolled back/);
        await settled();
      });
    },
    STEP_MS,
  );

  it(
    'is rolled back',
    async () => {
      await step('rollback', () =>
        installation.helm('rollback', RELEASE, '1', '--wait', '--timeout', '5m'),
      );
    },
    STEP_MS,
  );

  it(
    'leaves nothing when it is uninstalled',
    async () => {
      await load?.stop();
      load = undefined;
      await step('uninstall', () =>
        installation.helm('uninstall', RELEASE, '--wait', '--timeout', '5m'),
      );
      const kinds =
        'all,configmaps,secrets,serviceaccounts,networkpolicies,poddisruptionbudgets,roles,rolebindings';
      const left = await cluster.kubectl(
        ...[
          '-n',
          NAMESPACE,
          'get',
          kinds,
          '-l',
          `app.kubernetes.io/instance=${RELEASE}`,
          '-o',
          'name',
        ],
      );
      expect(left).toBe('');
    },
    STEP_MS,
  );

  // ---------------------------------------------------------------------------------------------------

  /** Does it under load; no caller may see it. */
  async function step(name: string, work: () => Promise<unknown>): Promise<void> {
    load?.since();
    const begin = performance.now();
    let seen: Seen | undefined;
    try {
      await work();
      await load?.more(2);
    } finally {
      seen = load?.since();
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      report(`cluster: ${name}: ${seconds} s${seen === undefined ? '' : `, ${toldOf(seen)}`}`);
    }
    expect(seen?.failed ?? []).toEqual([]);
  }

  async function podsOf(target: string): Promise<string[]> {
    const selector = `app.kubernetes.io/component=${target}`;
    const names = await cluster.kubectl(
      '-n',
      NAMESPACE,
      'get',
      'pods',
      '-l',
      selector,
      '-o',
      'name',
    );
    return names.split('\n').flatMap((line) => (line === '' ? [] : [line.replace('pod/', '')]));
  }

  async function addressOfPod(target: string): Promise<string> {
    const [pod = ''] = await podsOf(target);
    return cluster.kubectl('-n', NAMESPACE, 'get', 'pod', pod, '-o', 'jsonpath={.status.podIP}');
  }

  /** When every Deployment has all its pods again. */
  async function settled(): Promise<void> {
    const mine = ['-l', `app.kubernetes.io/instance=${RELEASE}`];
    await cluster.kubectl(
      ...['-n', NAMESPACE, 'rollout', 'status', 'deployment', ...mine, '--timeout=3m'],
    );
  }

  async function serviceAddress(): Promise<string> {
    return cluster.kubectl(
      '-n',
      NAMESPACE,
      'get',
      'service',
      RELEASE,
      '-o',
      'jsonpath={.spec.clusterIP}',
    );
  }

  async function restarts(): Promise<number> {
    const counts = await cluster.kubectl(
      ...[
        '-n',
        NAMESPACE,
        'get',
        'pods',
        '-o',
        'jsonpath={.items[*].status.containerStatuses[*].restartCount}',
      ],
    );
    return counts.split(' ').reduce((sum, count) => sum + Number(count), 0);
  }
});

/** Run in a pod: prints for each address whether a connection opens. */
const TRY_EACH = `Promise.all(process.argv.slice(1).map((place) => new Promise((told) => {
  const [host, port] = place.split(':');
  const socket = require('node:net').connect({ host, port, timeout: 3000 });
  const end = (open) => { socket.destroy(); told(open); };
  socket.on('connect', () => end(true)).on('error', () => end(false)).on('timeout', () => end(false));
}))).then((opened) => console.log(JSON.stringify(opened)))`;

function toldOf({ lifecycles, calls, failed, slowestMs }: Seen): string {
  return `${lifecycles} lifecycles, ${calls} calls, ${failed.length} failed, slowest ${slowestMs} ms`;
}
