import { newId } from '@countersign/platform';
import { AdminStore, FiguresStore } from '@countersign/request';
import type pg from 'pg';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

// Figures of the operators' overview, and the search of their list (decisions/0027).

let server: TestServer;
let owner: pg.Pool;
let figures: FiguresStore;
let admin: AdminStore;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = { seconds: 86_400, step: 3_600 };
const now = Date.now();

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  const pool = server.pool(url, 'request');
  figures = new FiguresStore(pool);
  admin = new AdminStore(pool);
  await owner.query(`
    INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
      SELECT t, gen_random_uuid(), gen_random_uuid(), false, now() FROM unnest(ARRAY['t', 'other']) AS t;
    INSERT INTO route (tenant, id, revision, config, updated_at)
      SELECT 't', r, 1, '{"allowed_producers": ["bot"]}'::jsonb, now() FROM unnest(ARRAY['deploys', 'payments']) AS r
      UNION SELECT 't', 'unused', 1, '{"allowed_producers": []}'::jsonb, now();
    INSERT INTO principal (tenant, id, kind, enabled, config, updated_at)
      SELECT 't', p, 'human', p <> 'gone', jsonb_build_object('name', initcap(p)), now()
      FROM unnest(ARRAY['ruth', 'ravi', 'gone']) AS p;
    INSERT INTO route_reviewer (tenant, reviewer, route) VALUES
      ('t', 'ruth', 'payments'), ('t', 'ravi', 'payments'), ('t', 'ruth', 'deploys'), ('t', 'gone', 'deploys')`);
});
afterAll(() => server.stop());
afterEach(() =>
  owner.query(
    'DELETE FROM lifecycle; DELETE FROM request; DELETE FROM record; DELETE FROM candidate',
  ),
);

interface Made {
  readonly tenant?: string;
  readonly route?: string;
  /** Milliseconds before now. */
  readonly ago?: number;
  readonly due?: number;
  readonly decision?: string;
  readonly said?: readonly [decision: string, reviewer: string];
  /** Milliseconds from acceptance to decision, and from freezing to it. */
  readonly after?: number;
  readonly read?: number | null;
  readonly execution?: string;
  readonly summary?: string;
}

async function made(of: Made = {}): Promise<string> {
  const { tenant = 't', route = 'payments', ago = HOUR, due = 2 * HOUR, decision = 'pending' } = of;
  const { after = 10 * MINUTE, read = 60_000, said, execution = 'unclaimed', summary = 'x' } = of;
  const accepted = now - ago;
  const id = newId(accepted);
  const decided = accepted + after;
  const receipt = said ? newId(decided) : null;
  const at = (time: number) => new Date(time).toISOString();
  await owner.query(
    `WITH r AS (INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical)
       VALUES ($1, $2, 'bot', $3, 'review', $4, '', '{"requester": {"subject": "olga"}}'))
     INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at, receipt_id)
     VALUES ($1, $2, 'bot', $3, $5, 'unanchored', 'none', $6, 1, 1, $7, $8, now(), now(), $9)`,
    [tenant, id, route, summary, decision, execution, at(accepted), at(accepted + due), receipt],
  );
  if (said) {
    const record = JSON.stringify({ payload: { decision: said[0], reviewer: said[1] } });
    await owner.query(
      `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
       VALUES ($1, $2, $3, 'DecisionReceipt', '', $4, $5)`,
      [tenant, receipt, id, at(decided), record],
    );
    if (read !== null) {
      await owner.query(
        `INSERT INTO candidate (tenant, request_id, reviewer, revision, id, digest, candidate, live, created_at)
         VALUES ($1, $2, $3, 1, gen_random_uuid(), '', '', false, $4)`,
        [tenant, id, said[1], at(decided - read)],
      );
    }
  }
  if (decision === 'cancelled') {
    const record = JSON.stringify({ payload: { state: { decision } } });
    await owner.query(
      `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
       VALUES ($1, $2, $3, 'RequestChangedEvent', '', $4, $5)`,
      [tenant, newId(decided), id, at(decided), record],
    );
  }
  return id;
}

it('counts arrivals, ends and what waited, period by period', async () => {
  await made({ ago: 5.5 * HOUR });
  await made({ ago: 5.5 * HOUR, due: 24 * HOUR });
  await made({ ago: 3.5 * HOUR, decision: 'confirmed', said: ['authorise', 'ruth'], after: HOUR });
  await made({ ago: 3.5 * HOUR, decision: 'confirmed', said: ['refuse', 'ravi'], after: 2 * HOUR });
  await made({ ago: 2.5 * HOUR, decision: 'cancelled', after: HOUR });
  // Before the range, and decided within it.
  await made({
    ago: 30 * HOUR,
    due: 24 * HOUR,
    decision: 'confirmed',
    said: ['approve', 'ruth'],
    after: 23.5 * HOUR,
  });
  await made({ tenant: 'other', ago: HOUR });
  const { buckets, routes, complete_from } = await figures.read('t', DAY);
  expect([buckets.length, complete_from]).toEqual([24, null]);
  const last = buckets
    .slice(-7)
    .map((bucket) => [
      bucket.arrivals,
      bucket.decided,
      bucket.approved,
      bucket.refused,
      bucket.expired,
      bucket.withdrawn,
      bucket.waiting,
    ]);
  expect(last).toEqual([
    [0, 1, 1, 0, 0, 0, 0],
    [2, 0, 0, 0, 0, 0, 2],
    [0, 0, 0, 0, 0, 0, 2],
    [2, 0, 0, 0, 1, 0, 3],
    [1, 1, 1, 0, 0, 0, 3],
    [0, 1, 0, 1, 0, 1, 1],
    [0, 0, 0, 0, 0, 0, 1],
  ]);
  expect(buckets.at(-3)).toMatchObject({ p50: 3_600, p90: 3_600 });
  expect(routes).toEqual([
    expect.objectContaining({
      id: 'payments',
      arrivals: 5,
      decided: 3,
      approved: 2,
      refused: 1,
      expired: 1,
      withdrawn: 1,
      waiting: 1,
      p50: 7_200,
      reviewers: 2,
    }),
  ]);
});

it('tells of each person how long answers were frozen, and how many approvals were quick', async () => {
  const approve = ['approve', 'ruth'] as const;
  await made({ decision: 'confirmed', said: approve, read: 2_000 });
  await made({ decision: 'confirmed', said: approve, read: 4_000 });
  await made({ decision: 'confirmed', said: ['reject', 'ruth'], read: 3_000 });
  await made({ decision: 'confirmed', said: approve, read: 90_000 });
  // Its private material is deleted.
  await made({ decision: 'confirmed', said: approve, read: null });
  await made({ decision: 'confirmed', said: ['answer', 'ravi'], read: 60_000 });
  const { people } = await figures.read('t', DAY);
  expect(people).toEqual([
    {
      id: 'ravi',
      name: 'Ravi',
      decided: 1,
      approved: 1,
      refused: 0,
      timed: 1,
      read_p50: 60,
      quick: 0,
    },
    {
      id: 'ruth',
      name: 'Ruth',
      decided: 5,
      approved: 4,
      refused: 1,
      timed: 4,
      read_p50: 3.5,
      quick: 2,
    },
  ]);
});

it('names requests that are due and not assigned, and routes with one reviewer', async () => {
  const soon = await made({ ago: 10 * MINUTE, due: 20 * MINUTE });
  await made({ ago: 10 * MINUTE, due: 20 * MINUTE });
  await made({ ago: 10 * MINUTE, due: 55 * MINUTE });
  await made({ ago: 10 * MINUTE, due: 5 * HOUR });
  await made({ ago: 10 * MINUTE, due: 5 * MINUTE });
  await owner.query(
    `INSERT INTO assignment (tenant, request_id, id, reviewer, expires_at) VALUES ('t', $1, gen_random_uuid(), 'ruth', now() + interval '1 minute')`,
    [soon],
  );
  expect(await figures.concerns('t')).toEqual({ due_15m: 1, due_60m: 2, thin_routes: ['deploys'] });
});

it('finds requests by words and by each state, and says where to go on', async () => {
  const filter = {
    state: '',
    route: null,
    producer: null,
    since: null,
    before: null,
    behind: null,
  };
  const search = { words: [], audit: null, grant: null, execution: null };
  const first = await made({ summary: 'Pay Nordwind', execution: 'uncertain' });
  const second = await made({ summary: 'Deploy api', route: 'deploys', decision: 'cancelled' });
  const found = async (...[of, by]: [Partial<typeof search>, Partial<typeof filter>?]) =>
    (await admin.found('t', { ...filter, ...by }, { ...search, ...of } as never)).found.map(
      ({ id }) => id,
    );
  expect(await found({ words: ['nordwind NORDWIND'] as never })).toEqual([first]);
  expect(await found({ execution: 'uncertain' as never })).toEqual([first]);
  expect(await found({ execution: 'unclaimed' as never })).toEqual([second]);
  expect(await found({ audit: 'anchored' as never })).toEqual([]);
  expect(await found({ grant: 'none' as never }, { state: 'cancelled' })).toEqual([second]);
  expect(await found({ words: ['olga OLGA'] as never }, { route: 'deploys' as never })).toEqual([
    second,
  ]);
  const { looked_at, last } = await admin.found('t', filter, search);
  expect([looked_at, [first, second].includes(last?.id ?? '')]).toEqual([2, true]);
});

it('is bounded over 100,000 requests', async () => {
  await owner.query(`
    INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at)
    SELECT 't', gen_random_uuid(), 'bot', 'payments', CASE WHEN n % 2 = 0 THEN 'expired' ELSE 'pending' END, 'unanchored',
      'none', 'unclaimed', 1, 1, now() - n * interval '20 seconds', now() - n * interval '20 seconds' + interval '1 hour',
      now(), now() FROM generate_series(1, 100000) n`);
  await owner.query('ANALYZE lifecycle');
  const before = process.hrtime.bigint();
  const { complete_from, buckets } = await figures.read('t', {
    seconds: 30 * 86_400,
    step: 86_400,
  });
  const took = Number(process.hrtime.bigint() - before) / 1e6;
  console.info(`figures of 30 days over 100,000 requests: ${Math.round(took)} ms`);
  expect(complete_from).not.toBeNull();
  expect(buckets).toHaveLength(30);
});
