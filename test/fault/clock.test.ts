import { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SignedRecord } from '@countersign/protocol';
import type { Instance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { findingsIn } from './support/checks.js';
import { gather } from './support/evidence.js';
import { followFeed } from './support/feed.js';
import { newAttempts } from './support/insist.js';
import type { Journal } from './support/lifecycles.js';
import { completeLifecycle, inParallel } from './support/lifecycles.js';
import { counted, report } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';

const ROOT = resolve(__dirname, '../..');
/** The error of the second replica's clock, one after the other. A whole machine at no time differs by more. */
const OFF_MS = [300_000, 0, -300_000];
/** Of lifecycles and of deadlines, each time. */
const MANY = 20;
/** R31, with room for a machine that does other work too. */
const LATEST_MS = 25_000;
/** How far the times of one answer may lie from the right clock; the wrong ones are five minutes off. */
const NEAR_MS = 120_000;

interface Expired {
  readonly requestId: string;
  readonly deadline: number;
  readonly told: number;
}

/** A deadline that was told of before it had come, or by a clock that was wrong. */
export function wronglyTimed(expired: readonly Expired[]): string[] {
  return expired
    .filter(({ deadline, told }) => told < deadline || told > deadline + NEAR_MS)
    .map(({ requestId }) => requestId);
}

/** Milliseconds between the first and the last time that any target wrote into its log. */
function spreadOfLogs(dataDirectory: string): number {
  const logs = join(dataDirectory, 'logs');
  const times = readdirSync(logs).flatMap((name) =>
    [...readFileSync(join(logs, name), 'utf8').matchAll(/"time":"?([^",]+)/g)].map(([, time]) => {
      return Number.isNaN(Number(time)) ? Date.parse(time as string) : Number(time);
    }),
  );
  return Math.max(...times) - Math.min(...times);
}

/** Invariant I3: only the database's clock decides. */
describe('one of two replicas is five minutes ahead, is set right, and then five minutes behind', () => {
  const clocks = mkdtempSync(join(tmpdir(), 'countersign-clocks-'));
  const attempts = newAttempts();
  const journals: Journal[] = [];
  let instance: Instance;
  let cast: Cast;

  const setClock = (off: number) => {
    // Whole at every moment for its readers.
    writeFileSync(join(clocks, 'next'), String(off));
    renameSync(join(clocks, 'next'), join(clocks, 'off'));
  };

  beforeAll(async () => {
    setClock(OFF_MS[0] as number);
    const hook = join(ROOT, 'test/fault/support/wrong-clock.mjs');
    ({ instance, cast } = await startFaultFixture('clock', {
      replicas: 2,
      env: { NODE_OPTIONS: `--import ${hook}`, WRONG_CLOCKS: clocks },
    }));
  });
  afterAll(async () => {
    attempts.end();
    await instance?.stop();
    rmSync(clocks, { recursive: true, force: true });
  });

  it('the check finds a planted fault', () => {
    const of = (told: number) => wronglyTimed([{ requestId: 'a', deadline: 1_000_000, told }]);
    expect(of(1_000_100)).toEqual([]);
    expect(of(999_999)).toEqual(['a']);
    expect(of(1_300_100)).toEqual(['a']);
  });

  it('lifecycles complete and deadlines come when they are due, once', async () => {
    const feed = followFeed(cast.producer, attempts);
    const runs = [];
    for (const off of OFF_MS) {
      setClock(off);
      runs.push(await run());
    }

    // The planted fault is there: the logs are of clocks that lie five minutes apart.
    expect(spreadOfLogs(instance.dataDirectory)).toBeGreaterThan(290_000);
    const evidence = await gather(cast, attempts, journals, feed);
    await feed.stop();
    const findings = findingsIn(evidence);
    const expired = runs.flatMap((each) => each.expired);
    const late = Math.max(...runs.map(({ lateMs }) => lateMs));
    report(
      `clock: ${journals.length} lifecycles, ${expired.length} deadlines, the last told ${late} ms late: ` +
        `${findings.length + wronglyTimed(expired).length} violations; answers: ${counted(attempts.counts)}`,
    );
    expect(findings).toEqual([]);
    expect(wronglyTimed(expired)).toEqual([]);
    expect(expired.map(({ requestId }) => requestId).sort()).toEqual(
      runs.flatMap(({ ids }) => ids).sort(),
    );
    expect(attempts.undeclared).toEqual([]);
  });

  async function run() {
    const input = reviewInput(cast.demo, { review_seconds: 3 });
    const created = await inParallel(MANY, 4, async () => {
      const answer = await cast.producer.post('/v2/requests', input);
      expect(answer.status).toBe(201);
      return answer.body.request as { id: string; review_deadline: string };
    });
    journals.push(...(await inParallel(MANY, 8, () => completeLifecycle(cast, attempts))));
    const deadlines = new Map(
      created.map(({ id, review_deadline }) => [id, Date.parse(review_deadline)]),
    );
    const expired = await until(
      () => expiredOf(deadlines),
      (all) => all.length === MANY,
      LATEST_MS + 3_000,
    );
    const lateMs = Math.max(...expired.map(({ deadline, told }) => told - deadline));
    expect(lateMs).toBeLessThan(LATEST_MS);
    return { ids: [...deadlines.keys()], expired, lateMs };
  }

  /** The expiries of these in the producer's feed. */
  async function expiredOf(deadlines: ReadonlyMap<string, number>): Promise<Expired[]> {
    const expired: Expired[] = [];
    for (let after = 0; ;) {
      const { body } = await cast.producer.get(`/v2/events?after=${after}`);
      const items = body.items as SignedRecord[];
      if (items.length === 0) return expired;
      for (const {
        payload,
        protected: { issued_at },
      } of items) {
        const { request_id, reason } = payload as unknown as Record<string, string>;
        const deadline = deadlines.get(request_id as string);
        if (reason !== 'expiry' || deadline === undefined) continue;
        expired.push({
          requestId: request_id as string,
          deadline,
          told: Date.parse(issued_at),
        });
      }
      after = body.next;
    }
  }
});
