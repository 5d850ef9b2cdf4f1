import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { until } from '../support/requests.js';
import { findingsIn } from './support/checks.js';
import { castOf, gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import type { Feed } from './support/feed.js';
import type { Attempts } from './support/insist.js';
import { attempt, newAttempts } from './support/insist.js';
import type { Cast, Journal } from './support/lifecycles.js';
import { completeLifecycle, inParallel } from './support/lifecycles.js';
import { keepDown, untilStoreAnswers } from './support/outage.js';
import type { StoreName } from './support/processes.js';
import { amount, counted, report, seconds } from './support/report.js';

const CLIENTS = 8;
/** How long a store is held down; 0 is one kill -9, after which the launcher has it back at once. */
const OUTAGES_MS = [0, amount('FAULT_OUTAGE_MS', 2000)];
const BACK_AT_WORK_MS = 10_000;

describe('stores are killed under load, split with two replicas of each service', () => {
  const journals: Journal[] = [];
  const attempts = newAttempts();
  let instance: Instance;
  let cast: Cast;
  let feed: Feed;
  let load: Load;

  beforeAll(async () => {
    instance = await startInstance({ split: true, replicas: 2 });
    cast = await castOf(instance);
    feed = followFeed(cast.producer, attempts);
    load = startLoad(cast, attempts, journals);
    await untilCompleted(load, CLIENTS);
  }, 120_000);
  afterAll(async () => {
    await load?.stop();
    await feed?.stop();
    await instance?.stop();
  }, 90_000);

  describe.each<[StoreName, boolean]>([
    ['nats', true],
    ['redis', false],
    ['postgres', true],
  ])('%s', (store, needed) => {
    it.each(OUTAGES_MS)(
      'is back at work within 10 s of its return after an outage of %i ms',
      async (outageMs) => {
        const before = new Map(attempts.counts);
        const end = performance.now() + outageMs;
        const seen = new Map<string, number>();
        const probing = probe(cast, seen, () => performance.now() < end);
        const kills = await keepDown(instance, store, () => performance.now() < end);
        await probing;
        await untilStoreAnswers(instance, store);
        const back = performance.now();
        await untilCompleted(load, 2 * CLIENTS);
        const took = performance.now() - back;
        report(
          `stores: ${store} killed ${kills} times in ${outageMs} ms; ` +
            `${2 * CLIENTS} lifecycles were complete ${(took / 1000).toFixed(1)} s after its return; ` +
            `meanwhile ${counted(risen(before, attempts.counts))}; probes ${counted(seen)}`,
        );
        expect(took).toBeLessThan(BACK_AT_WORK_MS);
        if (!needed) expect([...risen(before, attempts.counts).keys()].join()).not.toContain('503');
      },
      60_000,
    );
  });

  it('has lost and doubled nothing', async () => {
    const begin = performance.now();
    await load.stop();
    const evidence = await gather(cast, attempts, journals, feed);
    const findings = findingsIn(evidence);
    report(
      `stores: ${journals.length} lifecycles, ${evidence.ledger.length} ledger entries checked ` +
        `in ${seconds(begin)}: ${findings.length} violations; answers ${counted(attempts.counts)}`,
    );
    expect(findings).toEqual([]);
    expect(attempts.undeclared).toEqual([]);
  }, 90_000);
});

interface Load {
  completed(): number;
  /** Lets every lifecycle that has begun come to its end. */
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

/** Waits until that many more lifecycles are complete; fails when the load has. */
async function untilCompleted(load: Load, many: number): Promise<void> {
  const enough = load.completed() + many;
  await until(
    async () => load.completed(),
    (completed) => completed >= enough,
    45_000,
  );
}

/** New calls, one after the other, that no client repeats. */
async function probe(
  { producer }: Cast,
  seen: Map<string, number>,
  lasts: () => boolean,
): Promise<void> {
  const attempts = newAttempts();
  while (lasts()) {
    await attempt(producer, attempts, '/v2/requests?state=pending', { method: 'GET' });
  }
  for (const [name, many] of attempts.counts) seen.set(name, many);
  expect(attempts.undeclared).toEqual([]);
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
