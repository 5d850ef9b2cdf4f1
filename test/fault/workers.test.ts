import { setTimeout as delay } from 'node:timers/promises';
import type { SignedRecord } from '@countersign/protocol';
import { workersOnly } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { inParallel } from './support/lifecycles.js';
import { kill9, replicasOf, storeOf, untilServing } from './support/processes.js';
import type { Child, Replica, StoreName } from './support/processes.js';
import { report } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';

/** Shorter than a stopped worker stays away: another one takes its jobs meanwhile. */
const LOCK_SECONDS = 2;
const AWAY_MS = 5_000;
const REQUESTS = 200;
/** R31: in the default configuration no worker is later; this one sweeps as often. */
const LATEST_MS = 15_000;
/** A worker's own grace: jobs 10 s, then stores one second each. */
const GONE_WITHIN_MS = 15_000;

interface Change {
  readonly request_id: string;
  readonly reason: string;
}

/** A fault of the feed: events of a request other than `created` and one `expiry`. */
export function wronglyTold(ids: readonly string[], changes: readonly Change[]): string[] {
  return ids.filter((id) => {
    const reasons = changes.flatMap((change) => (change.request_id === id ? [change.reason] : []));
    return reasons.join() !== 'created,expiry';
  });
}

describe('workers stop, stall and die', () => {
  let instance: Instance;
  let cast: Cast;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('workers', {
      replicas: { ...workersOnly('anchor'), 'worker-expiry': 2 },
      env: { WORKER_LOCK_SECONDS: String(LOCK_SECONDS) },
    }));
  });
  afterAll(async () => {
    await instance?.stop();
  });

  it('the check finds a planted fault', () => {
    const told = (...reasons: string[]) => reasons.map((reason) => ({ request_id: 'a', reason }));
    expect(wronglyTold(['a'], told('created', 'expiry'))).toEqual([]);
    for (const planted of [told('created'), told('created', 'expiry', 'expiry'), told('expiry')]) {
      expect(wronglyTold(['a'], planted)).toEqual(['a']);
    }
  });

  it('a deadline has one effect, in time, while a worker stands still past its lock and another dies', async () => {
    const input = reviewInput(cast.demo, { review_seconds: 4 });
    const created = await inParallel(REQUESTS, 4, async () => {
      const answer = await cast.producer.post('/v2/requests', input);
      expect(answer.status).toBe(201);
      return answer;
    });
    const ids = created.map((answer) => answer.body.request.id as string);
    const latest = Math.max(
      ...created.map((answer) => Date.parse(answer.body.request.review_deadline)),
    );
    const [standing, dying] = await pairOf(instance);
    await delay(Math.max(0, latest - Date.now() - 500));
    process.kill(standing.pid, 'SIGSTOP');
    const goesOn = delay(AWAY_MS).then(() => process.kill(standing.pid, 'SIGCONT'));
    await delay(600);
    expect(kill9(dying)).toBe(true);

    const changes = await until(
      () => changesOf(cast),
      (all) => all.filter(({ reason }) => reason === 'expiry').length >= REQUESTS,
      LATEST_MS + 10_000,
    );
    const late = Date.now() - latest;
    await goesOn;
    // The stopped worker has tried all its jobs by now: another round of its sweep has passed.
    await delay(LOCK_SECONDS * 1000 + 1000);
    const all = await changesOf(cast);
    report(
      `workers: ${REQUESTS} deadlines, one worker stopped ${AWAY_MS} ms and one killed: ` +
        `all told ${late} ms after the last was due, ${wronglyTold(ids, all).length} violations`,
    );
    expect(changes.length).toBeGreaterThanOrEqual(2 * REQUESTS);
    expect(wronglyTold(ids, all)).toEqual([]);
    expect(late).toBeLessThan(LATEST_MS);
  });

  it.each<[StoreName]>([['redis'], ['nats'], ['postgres']])(
    'is gone in time after SIGTERM while %s hangs',
    async (name) => {
      const [worker] = await pairOf(instance);
      const store = storeOf(instance, name) as Child;
      process.kill(store.pid, 'SIGSTOP');
      try {
        const began = performance.now();
        process.kill(worker.pid, 'SIGTERM');
        await until(
          async () => replicasOf(instance, 'worker-expiry').some(({ pid }) => pid === worker.pid),
          (there) => !there,
          GONE_WITHIN_MS + 5_000,
        );
        const took = performance.now() - began;
        report(`workers: gone ${took.toFixed(0)} ms after SIGTERM while ${name} hangs`);
        expect(took).toBeLessThan(GONE_WITHIN_MS);
      } finally {
        process.kill(store.pid, 'SIGCONT');
      }
    },
  );
});

async function pairOf(instance: Instance): Promise<[Replica, Replica]> {
  return (await untilServing(instance, 'worker-expiry', 2)) as [Replica, Replica];
}

async function changesOf(cast: Cast): Promise<Change[]> {
  const changes: Change[] = [];
  for (let after = 0; ;) {
    const { body } = await cast.producer.get(`/v2/events?after=${after}`);
    const items = body.items as SignedRecord[];
    if (items.length === 0) return changes;
    changes.push(...items.map(({ payload }) => payload as unknown as Change));
    after = body.next;
  }
}
