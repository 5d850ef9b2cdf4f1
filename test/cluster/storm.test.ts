import { TARGETS, rowOf } from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import { BUILD_MS } from '../support/programs/obtained.js';
import { ROOT } from '../fault/support/previous.js';
import { pick, randomFrom, seedOfRun } from '../fault/support/random.js';
import { amount, report } from '../fault/support/report.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { prepareInstallation } from './support/installation.js';
import type { Installation, Version } from './support/installation.js';
import { startLoad } from './support/load.js';
import type { Load } from './support/load.js';
import { NAMESPACE, RELEASE, STORES } from './support/names.js';
import { operatorWith } from './support/operator.js';
import type { Operator } from './support/operator.js';
import { pairOf, restart } from './support/outages.js';
import type { Pair } from './support/outages.js';
import { stepsUnder, tableOf } from './support/steps.js';
import type { Row } from './support/steps.js';
import { standby } from './support/surroundings.js';
import { lacking } from './support/own/parts.js';

const AT_ONCE = 4;
/** Everything that may happen happens in turn for so long; 30 in the long form. */
const MINUTES = amount('CLUSTER_MINUTES', 3);
const SEED = seedOfRun();
/** The name of one kind of fault that happens alone, to find the cause of a failure. */
const ONLY = process.env['CLUSTER_ONLY'] ?? '';
/** Only to end a run that hangs. */
const ENDS_MS = (MINUTES + 60) * 60_000;
const OUTAGE = { failingMs: 10_000 };

const INSTALLED = TARGETS.filter((target) =>
  ['always', 'default'].includes(rowOf(target).installed),
);

const why =
  process.env['CLUSTER_KUBECONFIG'] === undefined
    ? lacking()
    : 'on a given cluster no process is killed';
if (why !== null) report(`cluster: the storm is LEFT OUT, NOT TESTED: ${why}`);

/** The chart under load on a cluster where everything happens that operators do and machines suffer, in an order by seed. */
(why === null ? describe : describe.skip)('the chart in a storm', () => {
  const random = randomFrom(SEED);
  const rows: Row[] = [];
  let cluster: Cluster;
  let installation: Installation;
  let operator: Operator;
  let version: Version;
  let pair: Pair;
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
    const [node = ''] = await operator.nodes();
    await cluster.kubectl.apply(standby({ images: cluster.images, node }));
    pair = await pairOf(cluster.kubectl, installation);
    await cluster.kubectl.ask('--namespace', STORES, 'scale', 'deployment/nats', '--replicas=3');
    await installation.deploy('install', version);
    load = startLoad(await installation.configure(version), AT_ONCE);
    await load.more(20);
  }, 3 * BUILD_MS);
  afterAll(async () => {
    report(`cluster: seed ${SEED}, the steps of this storm\n${tableOf(rows)}`);
    await load?.stop();
    await installation?.stop();
    await cluster?.stop();
  }, ENDS_MS);

  it(
    `loses no call in ${MINUTES} minutes but while a node or the database is lost`,
    async () => {
      const wrong: Error[] = [];
      for (const end = performance.now() + MINUTES * 60_000; performance.now() < end;) {
        for (const happen of shuffled(everything())) {
          if (performance.now() > end) break;
          await happen().catch((error: Error) => wrong.push(error));
          await operator.settled();
        }
      }
      const sum = (of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0);
      report(
        `cluster: seed ${SEED}: ${rows.length} steps, ${sum(({ calls }) => calls)} calls, ${sum(({ failed }) => failed.length)} failed, ${sum(({ lifecycles }) => lifecycles)} lifecycles`,
      );
      expect(wrong).toEqual([]);
    },
    ENDS_MS,
  );

  // ---------------------------------------------------------------------------------------------------

  function everything(): (() => Promise<void>)[] {
    const three = (happen: () => Promise<void>) => [happen, happen, happen];
    const named: Record<string, (() => Promise<void>)[]> = {
      upgrade: [replaceAll, failToUpgrade, rollBack],
      delete: three(() => deletePod(pick(INSTALLED, random))),
      kill: three(() => killProcess(pick(INSTALLED, random))),
      drain: [drain],
      loss: [loseNode],
      // One of three.
      nats: [() => restartStore('nats')],
      redis: [() => restartStore('redis')],
      failover: [() => step('failover of Postgres', (fault) => pair.failOver(fault), OUTAGE)],
      scale: [scale],
    };
    const chosen = Object.keys(named).filter((name) => ONLY === '' || name === ONLY);
    if (chosen.length === 0)
      throw new Error(`CLUSTER_ONLY is one of ${Object.keys(named).join(', ')}, not "${ONLY}"`);
    return chosen.flatMap((name) => named[name] ?? []);
  }

  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }

  function replaceAll(): Promise<void> {
    const round = `round-${rows.length}`;
    return step('rolling upgrade', () =>
      installation.deploy('upgrade', version, '--set', `defaults.podAnnotations.round=${round}`),
    );
  }

  function failToUpgrade(): Promise<void> {
    return step('upgrade to a missing image', async () => {
      const args = ['--set', 'image.tag=none', '--atomic', '--timeout', '30s'];
      await expect(installation.deploy('upgrade', version, ...args)).rejects.toThrow(/rolled back/);
    });
  }

  function rollBack(): Promise<void> {
    return step('rollback', () => installation.rollBack());
  }

  function deletePod(target: Target): Promise<void> {
    return step(`delete a pod of ${target}`, async () => {
      const pod = pick(await operator.pods(target), random);
      await cluster.kubectl.ask('--namespace', NAMESPACE, 'delete', 'pod', pod.name);
    });
  }

  /** Of a killed gateway the calls are lost that it was answering: clients learn it at once, and repeat them. */
  function killProcess(target: Target): Promise<void> {
    return step(
      `kill -9 of ${target}`,
      async (fault) => {
        const pod = pick(await operator.pods(target), random);
        fault();
        cluster.powers!.kill(pod.node, pod.container);
        await load!.more(4);
      },
      target === 'gateway' ? { failingMs: 1000 } : undefined,
    );
  }

  async function drain(): Promise<void> {
    const node = pick(await operator.nodes(), random);
    await step(`drain ${node}`, () => operator.drain(node));
    await step(`return of ${node}`, () => operator.uncordon(node));
  }

  async function loseNode(): Promise<void> {
    await operator.spread();
    // The stores are on the first.
    const [, node = ''] = await operator.nodes();
    const { lose, restore } = cluster.powers!;
    const before = await operator.pods();
    try {
      await step(
        `loss of ${node}`,
        async () => {
          lose(node);
          await load!.more(20);
        },
        OUTAGE,
      );
    } finally {
      await step(`return of ${node}`, async () => {
        await restore(node);
        await operator.returned(node, before);
      });
    }
  }

  function restartStore(store: 'nats' | 'redis'): Promise<void> {
    return step(`restart of ${store}`, async () => {
      await restart(cluster.kubectl, store);
      await load!.more(4);
    });
  }

  async function scale(): Promise<void> {
    const target = pick(['gateway', 'request', 'review', 'execution-authority'] as const, random);
    const to = (replicas: number): Promise<string> =>
      cluster.kubectl.ask(
        ...['--namespace', NAMESPACE, 'scale', `deployment/${RELEASE}-${target}`],
        `--replicas=${replicas}`,
      );
    for (const replicas of [3, 2])
      await step(`${replicas} replicas of ${target}`, async () => {
        await to(replicas);
        await operator.settled();
      });
  }
});
