import type { Instance } from '../support/instance.js';
import { executionInput, until } from '../support/requests.js';
import { BACK_AT_WORK_MS, notDone } from './support/at-work.js';
import { findingsIn } from './support/checks.js';
import { gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import type { Feed } from './support/feed.js';
import { fsckOf } from './support/fsck.js';
import type { Attempts } from './support/insist.js';
import { attempt, newAttempts } from './support/insist.js';
import type { Journal } from './support/lifecycles.js';
import { completeLifecycle, inParallel } from './support/lifecycles.js';
import { keepDown, untilStoreAnswers } from './support/outage.js';
import type { StoreName } from './support/processes.js';
import { amount, counted, report, seconds } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';

const CLIENTS = 8;
/** How long a store is held down; 0 is one kill -9, after which the launcher has it back at once. */
const OUTAGES_MS = [0, amount('FAULT_OUTAGE_MS', 2000)];
const KILLS = amount('FAULT_KILLS', 5);
/** For two lifecycles of each client that nothing disturbs, on a machine with time for them. */
const UNDISTURBED_MS = 2_000;

describe('stores are killed under load, split with two replicas of each service', () => {
  const journals: Journal[] = [];
  const attempts = newAttempts();
  let instance: Instance;
  let cast: Cast;
  let feed: Feed;
  let load: Load;
  /** How many times as long this machine takes. */
  let slowness: number;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('stores'));
    feed = followFeed(cast.producer, attempts);
    load = startLoad(cast, attempts, journals);
    await untilCompleted(load, CLIENTS);
    const begin = performance.now();
    await untilCompleted(load, 2 * CLIENTS);
    slowness = Math.max(1, (performance.now() - begin) / UNDISTURBED_MS);
  });
  afterAll(async () => {
    attempts.end();
    await load?.stop().catch(() => {});
    await feed?.stop();
    await instance?.stop();
  });

  describe.each<[StoreName]>([['nats'], ['redis'], ['postgres']])('%s', (store) => {
    it.each(OUTAGES_MS)(
      'an outage of %i ms is answered as declared, and work goes on within 10 s of its end',
      async (outageMs) => {
        const before = new Map(attempts.counts);
        const end = performance.now() + outageMs;
        const lasts = (): boolean => performance.now() < end;
        const [kills, probes] = await Promise.all([
          keepDown(instance, store, lasts),
          probe(cast, lasts),
        ]);
        await untilStoreAnswers(instance, store);
        const back = performance.now();
        await untilCompleted(load, 2 * CLIENTS);
        const took = performance.now() - back;
        const meanwhile = risen(before, attempts.counts);
        report(
          `stores: ${store} killed ${kills} times in ${outageMs} ms; ` +
            `${2 * CLIENTS} lifecycles complete ${(took / 1000).toFixed(1)} s after its return; ` +
            `new calls: ${counted(probes.counts)}; repeated calls: ${counted(meanwhile)}`,
        );
        expect(kills).toBeGreaterThan(0);
        expect(took).toBeLessThan(slowness * BACK_AT_WORK_MS);
        if (outageMs > 0) expect(await notDone(cast, slowness)).toEqual([]);
        expect(probes.undeclared).toEqual([]);
        const refused = probes.counts.get('503 service_unavailable') ?? 0;
        // A call waits for NATS for four seconds.
        if (outageMs > 0 && store === 'postgres') expect(refused).toBeGreaterThan(0);
        // Nothing waits for Redis.
        if (store === 'redis')
          expect([...meanwhile.keys()].join()).not.toMatch(/service_unavailable|lost|hung/);
      },
    );
  });

  it('postgres is killed again and again under eight writers, and each time they go on (invariant I6)', async () => {
    const begin = performance.now();
    for (let kill = 0; kill < KILLS; kill += 1) {
      await keepDown(instance, 'postgres', () => false);
      await untilStoreAnswers(instance, 'postgres');
      await untilCompleted(load, CLIENTS / 2);
    }
    report(`stores: postgres killed ${KILLS} times in ${seconds(begin)} under ${CLIENTS} writers`);
  });

  it('nothing is lost and nothing doubled', async () => {
    const begin = performance.now();
    await load.stop();
    const evidence = await gather(cast, attempts, journals, feed);
    const findings = findingsIn(evidence);
    report(
      `stores: ${journals.length} lifecycles, ${evidence.ledger.length} ledger entries checked ` +
        `in ${seconds(begin)}: ${findings.length} violations; answers: ${counted(attempts.counts)}`,
    );
    expect(findings).toEqual([]);
    expect(attempts.undeclared).toEqual([]);
    expect(await fsckOf('stores', instance)).toBe('');
  });
});

describe('Redis counts the rates of two gateways', () => {
  let instance: Instance;
  let cast: Cast;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('rates', { quotas: true }));
  });
  afterAll(async () => {
    await instance?.stop();
  });

  it('and while it is dead, calls are counted and answered all the same', async () => {
    const attempts = newAttempts();
    const end = performance.now() + 2000;
    const lasts = (): boolean => performance.now() < end;
    const [kills, journals] = await Promise.all([
      keepDown(instance, 'redis', lasts),
      inParallel(3, 3, () => completeLifecycle(cast, attempts)),
    ]);
    await untilStoreAnswers(instance, 'redis');
    journals.push(await completeLifecycle(cast, attempts));
    report(`stores: redis killed ${kills} times under quotas: ${counted(attempts.counts)}`);
    expect(journals).toHaveLength(4);
    expect([...attempts.counts.keys()].join()).not.toMatch(/service_unavailable|lost|hung|429/);
    expect(attempts.undeclared).toEqual([]);
  });
});

interface Load {
  completed(): number;
  /** Lets every lifecycle that has begun come to its end; rejects with the fault. */
  stop(): Promise<void>;
}

/** One lifecycle after the other by each of the clients, until told to stop. */
function startLoad(cast: Cast, attempts: Attempts, journals: Journal[]): Load {
  let stopped = false;
  const running = inParallel(CLIENTS, CLIENTS, async () => {
    while (!stopped) journals.push(await completeLifecycle(cast, attempts));
  });
  running.catch(() => {});
  return {
    completed: () => journals.length,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** Waits until that many more lifecycles are complete. */
async function untilCompleted(load: Load, many: number): Promise<void> {
  const enough = load.completed() + many;
  await until(
    async () => load.completed(),
    (completed) => completed >= enough,
    100_000,
  );
}

/** New calls, one after the other, without retries: a reading and a creation by turns. */
async function probe(cast: Cast, lasts: () => boolean): Promise<Attempts> {
  const attempts = newAttempts();
  while (lasts()) {
    await attempt(cast.producer, attempts, '/v2/requests?state=pending', { method: 'GET' });
    await attempt(cast.producer, attempts, '/v2/requests', { body: executionInput(cast.demo) });
  }
  return attempts;
}

function risen(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map(
    [...after]
      .map(([name, many]): [string, number] => [name, many - (before.get(name) ?? 0)])
      .filter(([, many]) => many > 0),
  );
}
