import { TARGETS, rowOf } from '@countersign/deploy';
import { BUILD_MS } from '../support/programs/obtained.js';
import { rendered, SHAPES } from '../chart/objects.js';
import { ROOT, previousRoot } from '../fault/support/previous.js';
import { report, seconds } from '../fault/support/report.js';
import type { Cast } from '../fault/support/fixture.js';
import { until } from '../support/requests.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { openFrom, placesOf, reachedBy, rulesOf, startStranger } from './support/connections.js';
import type { Labels, Places } from './support/connections.js';
import { resourceDefinitions } from './support/definitions.js';
import { prepareInstallation } from './support/installation.js';
import type { Installation, Version } from './support/installation.js';
import { startLoad } from './support/load.js';
import type { Load } from './support/load.js';
import { operatorWith } from './support/operator.js';
import type { Operator } from './support/operator.js';
import { bringBack, takeAway } from './support/outages.js';
import { stepsUnder, tableOf } from './support/steps.js';
import type { Row } from './support/steps.js';
import { lacking } from './support/own/parts.js';
import { NAMESPACE, RELEASE, STORES } from './support/names.js';

const AT_ONCE = 4;
/** Only to end a step that hangs. */
const STEP_MS = 20 * 60_000;

const OURS = {
  'app.kubernetes.io/instance': RELEASE,
  'app.kubernetes.io/name': 'countersign',
};
/** Made between the installation and the end, by the operator. */
const OF_THE_SUITE = ['secret/countersign-test-producer'];

/** Targets of an installation with the chart's own values. */
const INSTALLED = TARGETS.filter((target) =>
  ['always', 'default'].includes(rowOf(target).installed),
);

const why = process.env['CLUSTER_KUBECONFIG'] === undefined ? lacking() : null;
if (why !== null)
  report(`cluster: LEFT OUT, NOT TESTED: this machine cannot run Kubernetes: ${why}`);

const CHECKS = ['probe', 'fsck'] as const;
/** Their CronJobs, at a time that no test sees. */
const CHECKED = CHECKS.flatMap((name) => [
  ...['--set', `checks.${name}.enabled=true`],
  ...['--set', `checks.${name}.schedule=0 0 1 1 *`],
]);

/** The chart on a Kubernetes of two nodes, in the order in which an operator does these things. */
(why === null ? describe : describe.skip)('the chart on a cluster', () => {
  let cluster: Cluster;
  let installation: Installation;
  let operator: Operator;
  let version: Version;
  let before: readonly string[];
  let cast: Cast;
  let load: Load | undefined;
  /** Addresses to connect to, of pods that stay until they are replaced. */
  let places: Places;
  const rows: Row[] = [];
  const step = stepsUnder(
    () => load,
    rows,
    () => operator.logs(null),
  );

  beforeAll(async () => {
    cluster = await openCluster();
    await cluster.kubectl.apply(...resourceDefinitions());
    version = { root: ROOT, image: cluster.images.countersign };
    operator = operatorWith(cluster.kubectl);
    installation = await prepareInstallation(cluster, version);
  }, 3 * BUILD_MS);
  afterAll(async () => {
    report(`cluster: the steps of this run\n${tableOf(rows)}`);
    await load?.stop();
    await installation?.stop();
    await cluster?.stop();
  }, STEP_MS);

  it.each(SHAPES)(
    'is accepted by the server: %s',
    async (shape) => {
      const objects = rendered(shape).map((manifest) => ({
        ...manifest,
        metadata: { ...manifest.metadata, namespace: NAMESPACE },
      }));
      await cluster.kubectl.tryOut(...objects);
    },
    STEP_MS,
  );

  it(
    'installs',
    async () => {
      before = await operator.objects();
      await step('install', () => installation.deploy('install', version, ...CHECKED));
      const pods = await operator.pods();
      expect(pods.filter(({ ready, restarts }) => !ready || restarts > 0)).toEqual([]);
      expect(new Set(pods.map(({ target }) => target))).toEqual(new Set(INSTALLED));
    },
    STEP_MS,
  );

  it(
    'listens where the network policies say',
    async () => {
      places = await placesOf(cluster, await operator.pods(), installation.providerPort);
      expect(Object.keys(places)).toHaveLength(INSTALLED.length + 10);
    },
    STEP_MS,
  );

  it.each(INSTALLED)(
    'connects to the places of the drawing and to no others: %s',
    async (target) => {
      const [pod] = await operator.pods(target);
      const open = await openFrom(cluster, NAMESPACE, pod!.name, places);
      const allowed = reachedBy(target);
      if (open.some((place) => !allowed.includes(place)))
        report(`cluster: ${target} reached ${open.join(', ')}\n${await rulesOf(cluster)}`);
      expect(open.sort()).toEqual(allowed.sort());
    },
    STEP_MS,
  );

  it(
    'answers connections of Prometheus and of the gateway’s callers, and no others',
    async () => {
      const all = Object.keys(places);
      const ours = all.filter((place) => /^(health|interface|apps)/.test(place));
      const health = ours.filter((place) => place.startsWith('health'));
      const others = all.filter((place) => !ours.includes(place));
      const open = async (namespace: string, name: string, labels: Labels): Promise<string[]> => {
        await startStranger(cluster, namespace, name, labels);
        const reached = await openFrom(cluster, namespace, name, places);
        await cluster.kubectl.ask('--namespace', namespace, 'delete', 'pod', name);
        return reached.sort();
      };
      const prometheus = { app: 'prometheus' };
      expect(await open(STORES, 'prometheus', prometheus)).toEqual([...others, ...health].sort());
      expect(await open(STORES, 'caller', { app: 'door' })).toEqual(
        [...others, 'apps', 'interface'].sort(),
      );
      expect(await open(STORES, 'stranger', {})).toEqual(others.sort());
      expect(await open(NAMESPACE, 'stranger', prometheus)).toEqual(others.sort());
      expect(await open(NAMESPACE, 'impostor', OURS)).toEqual([]);
    },
    STEP_MS,
  );

  it(
    'takes requests through their lifecycles',
    async () => {
      cast = await installation.configure(version);
      load = startLoad(cast, AT_ONCE);
      await step('lifecycles', () => load!.more(20));
    },
    STEP_MS,
  );

  it(
    'passes its own test',
    async () => {
      await step('helm test', () => installation.helm('test', RELEASE, '--timeout', '10m'));
    },
    STEP_MS,
  );

  it.each(CHECKS)(
    'passes a check that it makes of itself: %s',
    async (name) => {
      await step(`check ${name}`, () => operator.check(name));
    },
    STEP_MS,
  );

  it(
    'replaces all pods without a failed call',
    async () => {
      await step('rolling upgrade', () =>
        installation.deploy('upgrade', version, '--set', 'defaults.podAnnotations.round=second'),
      );
    },
    STEP_MS,
  );

  it.each(INSTALLED)(
    'replaces a deleted pod without a failed call: %s',
    async (target) => {
      await step(`delete a pod of ${target}`, async () => {
        const [pod] = await operator.pods(target);
        await cluster.kubectl.ask('--namespace', NAMESPACE, 'delete', 'pod', pod!.name);
        await load!.more(4);
        await operator.settled();
      });
    },
    STEP_MS,
  );

  it.each(['request', 'review', 'execution-authority', 'ledger', 'schema'])(
    'restarts a killed process without a failed call: %s',
    async (target) => {
      if (cluster.powers === null) return leftOut('on a given cluster no process is killed');
      const { kill } = cluster.powers;
      await step(`kill -9 of ${target}`, async () => {
        const [pod] = await operator.pods(target);
        kill(pod!.node, pod!.container);
        await load!.more(4);
        await operator.settled();
      });
    },
    STEP_MS,
  );

  it(
    'moves away from each node that is drained, without a failed call',
    async () => {
      for (const node of await operator.nodes()) {
        await step(`drain ${node}`, async () => {
          await operator.drain(node);
          expect((await operator.pods()).filter((pod) => pod.node === node)).toEqual([]);
          await load!.more(4);
          await operator.uncordon(node);
          await operator.settled();
        });
      }
    },
    STEP_MS,
  );

  it(
    'answers again within ten seconds when a node is lost',
    async () => {
      if (cluster.powers === null) return leftOut('on a given cluster no node is lost');
      const { lose, restore } = cluster.powers;
      await operator.spread();
      // The stores are on the first.
      const [, node = ''] = await operator.nodes();
      const before = await operator.pods();
      await step(
        `loss of ${node}`,
        async () => {
          lose(node);
          await load!.more(20);
        },
        { failingMs: 10_000 },
      );
      await step(`return of ${node}`, async () => {
        await restore(node);
        await operator.returned(node, before);
      });
    },
    STEP_MS,
  );

  it.each(['nats', 'redis', 'postgres'] as const)(
    'answers as docs/operations.md says while a store is away, and by itself when it is back: %s',
    async (store) => {
      const { kubectl } = cluster;
      const restarts = (await operator.pods()).map(({ name, restarts: many }) => [name, many]);
      await load!.stop();
      const begin = performance.now();
      await takeAway(kubectl, store);
      if (store === 'redis') {
        await kubectl.ask(
          ...['--namespace', STORES, 'wait', '--for=condition=Available', 'deployment/redis'],
        );
      } else {
        const { producer } = cast;
        await until(
          () => producer.get('/v2/requests'),
          ({ status }) => status === 503,
          STEP_MS,
        );
      }
      // Pages come from the gateways, which stay in their Service.
      if (store !== 'postgres') expect((await cast.producer.get('/docs')).status).toBe(200);
      if (store === 'redis') {
        load = startLoad(cast, AT_ONCE);
        await step('Redis away', () => load!.more(10));
      }
      await bringBack(kubectl, store);
      const back = performance.now();
      if (store !== 'redis') {
        await until(
          () => cast.producer.get('/v2/requests'),
          ({ status }) => status === 200,
          STEP_MS,
        );
        report(`cluster: ${store} back: served after ${seconds(back)}, away ${seconds(begin)}`);
        load = startLoad(cast, AT_ONCE);
      }
      await operator.settled();
      await step(`${store} back`, () => load!.more(10));
      expect((await operator.pods()).map(({ name, restarts: many }) => [name, many])).toEqual(
        restarts,
      );
    },
    STEP_MS,
  );

  it(
    'goes back from an upgrade that cannot work, without a failed call',
    async () => {
      await step('upgrade to a missing image', async () => {
        const args = ['--set', 'image.tag=none', '--atomic', '--timeout', '30s'];
        await expect(installation.deploy('upgrade', version, ...args)).rejects.toThrow(
          /rolled back/,
        );
        await operator.settled();
      });
    },
    STEP_MS,
  );

  it(
    'is rolled back without a failed call',
    async () => {
      await step('rollback', () => installation.rollBack());
    },
    STEP_MS,
  );

  it(
    'leaves nothing when it is uninstalled',
    async () => {
      await load?.stop();
      load = undefined;
      await step('uninstall', () =>
        installation.helm('uninstall', RELEASE, '--wait', '--timeout', '10m'),
      );
      // helm waits for Deployments, whose pods finish their calls after them.
      await until(
        () => operator.objects(),
        (names) => !names.some((name) => name.startsWith('pod/')),
        STEP_MS,
      );
      expect(await operator.objects()).toEqual([...before, ...OF_THE_SUITE].sort());
    },
    STEP_MS,
  );

  it(
    'is upgraded from the release before without a refused call',
    async () => {
      const { previous } = cluster.images;
      if (previous === null) return leftOut('no image of the release before is named');
      const old: Version = { root: previousRoot(), image: previous };
      await installation.stop();
      installation = await prepareInstallation(cluster, old);
      // One limit for all callers, which this version does not have.
      const unlimited = ['--set', 'settings.RATE_AUTHENTICATED=1000000'];
      await step('install of the release before', () =>
        installation.deploy('install', old, ...unlimited),
      );
      load = startLoad(await installation.configure(old), AT_ONCE);
      await step('lifecycles of the release before', () => load!.more(20));
      // helm/countersign/UPGRADING.md: new keys first, and both versions' messages until the old one is gone.
      await installation.makeKeys(version);
      const both = ['--set', 'settings.CALLER_TOKENS=compatible'];
      // Gateways of that release close connections when they end, whether a call comes on them or not.
      await step('upgrade', () => installation.deploy('upgrade', version, ...both), {
        lostConnections: true,
      });
    },
    2 * STEP_MS,
  );
});

function leftOut(why: string): void {
  report(`cluster: LEFT OUT, NOT TESTED: ${why}`);
}
