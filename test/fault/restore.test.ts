import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { SignedRecord } from '@countersign/protocol';
import type { Instance } from '../support/instance.js';
import { runCommand } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { completeLifecycle, inParallel } from './support/lifecycles.js';
import { newAttempts } from './support/insist.js';
import { whileDatabaseIsDown } from './support/outage.js';
import { report } from './support/report.js';
import type { Cast } from './support/fixture.js';
import { startFaultFixture } from './support/fixture.js';
import { newDataFolder } from '../support/folder.js';

const MANY = 20;
/** Of those made before the backup: over before the database is restored. */
const SOON_SECONDS = 15;
/** Of those made after it, which the restored database has never heard of: their jobs wait in Redis meanwhile. */
const LATER_SECONDS = 45;

const OF_A_RESTORE = ['ledger_behind_anchor', 'anchor_conflict'];

/** Requests of `ids` that the feed does not tell exactly once of that they expired. */
export function notOnceExpired(
  ids: readonly string[],
  changes: readonly { request_id: string; reason: string }[],
): string[] {
  return ids.filter((id) => {
    return changes.filter((c) => c.request_id === id && c.reason === 'expiry').length !== 1;
  });
}

/** A backup comes back under workers that run on, with jobs in Redis for rows that have changed. */
describe('the database is restored while jobs wait', () => {
  const dataDirectory = newDataFolder('restored-jobs');
  const data = join(dataDirectory, 'postgres');
  const backup = join(dataDirectory, 'backup');
  const attempts = newAttempts();
  let instance: Instance;
  let cast: Cast;
  let redis: Redis;

  beforeAll(async () => {
    ({ instance, cast } = await startFaultFixture('restore', {
      dataDirectory,
      replicas: { 'worker-expiry': 2 },
    }));
    const stores = JSON.parse(readFileSync(join(dataDirectory, 'stores.json'), 'utf8'));
    redis = new Redis(stores.urls.REDIS_URL);
  });
  afterAll(async () => {
    attempts.end();
    redis?.disconnect();
    await instance?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('the check finds a planted fault', () => {
    const told = (...reasons: string[]) => reasons.map((reason) => ({ request_id: 'a', reason }));
    expect(notOnceExpired(['a'], told('created', 'expiry'))).toEqual([]);
    expect(notOnceExpired(['a'], told('created'))).toEqual(['a']);
    expect(notOnceExpired(['a'], told('expiry', 'expiry'))).toEqual(['a']);
  });

  it('items due again have one effect, others have none, and nothing is poisoned', async () => {
    const known = await create(SOON_SECONDS);
    // Of a database that rests: chained, nothing under way.
    await untilTold(known.ids, 'created');
    await whileDatabaseIsDown(instance, () => execFileSync('cp', ['-a', data, backup]));
    const unknown = await create(LATER_SECONDS);
    await untilTold(known.ids, 'expiry');
    expect(await waiting()).toBeGreaterThanOrEqual(MANY);

    await whileDatabaseIsDown(instance, () => {
      rmSync(data, { recursive: true });
      renameSync(backup, data);
    });
    // Their expiry is not in this database; the jobs that told of it are gone.
    const again = await untilTold(known.ids, 'expiry');
    expect(notOnceExpired(known.ids, again)).toEqual([]);

    // The others' jobs become due and are done with.
    await until(waiting, (jobs) => jobs === 0, unknown.last - Date.now() + 30_000);
    for (const id of unknown.ids.slice(0, 3)) {
      expect((await cast.producer.get(`/v2/requests/${id}`)).status).toBe(404);
    }
    const { incidents } = (await cast.operator.get('/v2/admin/metrics')).body;
    const codes = incidents.map(({ code }: { code: string }) => code);
    report(
      `restore: ${MANY} deadlines due again expired once, ${MANY} jobs of requests that never were had no effect; ` +
        `incidents: ${codes.join(', ')}`,
    );
    // Entries chained since the restore may have met the anchors of the earlier ones.
    expect(codes.length).toBeGreaterThan(0);
    expect(codes.filter((code: string) => !OF_A_RESTORE.includes(code))).toEqual([]);
  });

  it('goes on after the recovery', async () => {
    const recovery = await runCommand([
      ...['recover', '--tenant', cast.demo.tenant, '--data', dataDirectory, '--apply'],
    ]);
    expect([recovery.code, recovery.stderr]).toEqual([0, '']);
    const journal = await completeLifecycle(cast, attempts);
    expect(journal.answers.map(({ step }) => step)).toContain('report');
  });

  async function create(seconds: number): Promise<{ ids: string[]; last: number }> {
    const input = reviewInput(cast.demo, { review_seconds: seconds });
    const made = await inParallel(MANY, 4, async () => {
      const answer = await cast.producer.post('/v2/requests', input);
      expect(answer.status).toBe(201);
      return answer.body.request as { id: string; review_deadline: string };
    });
    return {
      ids: made.map(({ id }) => id),
      last: Math.max(...made.map(({ review_deadline }) => Date.parse(review_deadline))),
    };
  }

  /** Jobs of the expiry worker that wait for their time. */
  const waiting = (): Promise<number> => redis.zcard('{countersign}:worker-expiry:delayed');

  type Change = { request_id: string; reason: string };

  function untilTold(ids: readonly string[], reason: string): Promise<Change[]> {
    return until(
      changes,
      (all) => ids.every((id) => all.some((c) => c.request_id === id && c.reason === reason)),
      60_000,
    );
  }

  async function changes(): Promise<Change[]> {
    const all: Change[] = [];
    for (let after = 0; ;) {
      const { status, body } = await cast.producer.get(`/v2/events?after=${after}`);
      // The database is on its way back.
      if (status === 503) return [];
      const items = body.items as SignedRecord[];
      if (items.length === 0) return all;
      all.push(...items.map(({ payload }) => payload as unknown as Change));
      after = body.next;
    }
  }
});
