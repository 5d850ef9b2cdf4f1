import { newId } from '@countersign/platform';
import { InboxStore } from '@countersign/request';
import type pg from 'pg';
import { startTestServer } from './server.js';
import type { TestServer } from './server.js';

let server: TestServer;
let owner: pg.Pool;
let store: InboxStore;
let made = Date.now() - 1_000_000;

const ruth = { tenant: 't', id: 'ruth', kind: 'human', credential: null } as const;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const LATEST = 253_402_300_799_999;
const FILTER = { route: null, producer: null, words: [], limit: 250 };
const PAST = { ...FILTER, decision: null, by: null };

beforeAll(async () => {
  server = await startTestServer();
  const url = await server.migratedDatabase();
  owner = server.pool(url);
  store = new InboxStore(server.pool(url, 'request'));
  await owner.query(`
    INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
      SELECT t, gen_random_uuid(), gen_random_uuid(), false, now() FROM unnest(ARRAY['t', 'other']) AS t;
    INSERT INTO route (tenant, id, revision, config, updated_at, configured_by)
      SELECT t, r, 1, jsonb_build_object('separation_of_duties', r <> 'open'), now(),
        CASE WHEN r = 'configured' THEN '{"reviewers": "ruth"}'::jsonb ELSE '{}' END
      FROM unnest(ARRAY['t', 'other']) AS t, unnest(ARRAY['payments', 'deploys', 'open', 'configured', 'foreign']) AS r;
    INSERT INTO route_reviewer (tenant, reviewer, route)
      SELECT 't', 'ruth', r FROM unnest(ARRAY['payments', 'deploys', 'open', 'configured']) AS r
      UNION SELECT 'other', 'ruth', 'foreign';
    INSERT INTO principal (tenant, id, kind, enabled, config, updated_at, configured_by)
      SELECT 't', p.id, p.kind, true, p.config::jsonb, now(), '{}' FROM (VALUES
        ('bot', 'producer', '{"name": "Treasury bot", "owner": "olga"}'), ('ci', 'producer', '{"owner": "olga"}'),
        ('own', 'producer', '{"owner": "ruth"}'), ('olga', 'human', '{"name": "Olga Owner"}'),
        ('ravi', 'human', '{"name": "Ravi Reviewer"}')) AS p (id, kind, config)`);
});
afterAll(() => server.stop());

interface Made {
  readonly tenant?: string;
  readonly by?: string;
  readonly route?: string;
  readonly decision?: string;
  /** Seconds from now. */
  readonly due?: number;
  readonly receipt?: { readonly decision: string; readonly reviewer: string };
}

async function request(summary: string, of: Made = {}): Promise<string> {
  const { tenant = 't', by = 'bot', route = 'payments', decision = 'pending', due = 600 } = of;
  const id = newId((made += 1));
  const receipt = of.receipt ? newId((made += 1)) : null;
  const canonical = JSON.stringify({ requester: { source: 'x', subject: 'olga' }, summary });
  await owner.query(
    `WITH r AS (INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical)
       VALUES ($1, $2, $3, $4, 'review', $5, '', $6))
     INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
       accepted_at, review_deadline, private_delete_at, audit_delete_at)
     VALUES ($1, $2, $3, $4, 'pending', 'unanchored', 'none', 'unclaimed', 1, 1, to_timestamp($7::float8 / 1000),
       clock_timestamp() + make_interval(secs => $8), now(), now())`,
    [tenant, id, by, route, summary, canonical, made, due],
  );
  await owner.query('UPDATE lifecycle SET decision = $2, receipt_id = $3 WHERE request_id = $1', [
    id,
    decision,
    receipt,
  ]);
  if (of.receipt) {
    const record = { payload: { ...of.receipt, confirmed_at: '2026-11-24T00:00:00.000Z' } };
    await owner.query(
      `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
       VALUES ($1, $2, $3, 'DecisionReceipt', '', now(), $4)`,
      [tenant, receipt, id, JSON.stringify(record)],
    );
  }
  return id;
}

const summaries = ({ items }: { items: readonly { summary: string }[] }) =>
  items.map(({ summary }) => summary);
const waiting = (changes: object = {}) =>
  store.waiting(ruth, { ...FILTER, mine: false, sort: 'deadline', ...changes });

beforeEach(async () => {
  for (const table of ['lifecycle', 'request', 'record', 'assignment']) {
    await owner.query(`DELETE FROM ${table}`);
  }
});

it('lists what a reviewer may decide, with the names of the directory, and nothing else', async () => {
  await request('later', { due: 900 });
  await request('sooner', { due: 60, by: 'ci', route: 'deploys' });
  await request('over', { due: -1 });
  await request('withdrawn', { decision: 'cancelled' });
  await request('of a route of others', { route: 'foreign' });
  await request('of another tenant', { tenant: 'other', route: 'foreign' });
  await request('of the reader’s own producer', { by: 'own' });
  await request('on a route that the reader configured', { route: 'configured' });
  await request('of the reader’s own producer, duties not separated', {
    by: 'own',
    route: 'open',
    due: 1_000,
  });
  const page = await waiting();
  expect(summaries(page)).toEqual([
    'sooner',
    'later',
    'of the reader’s own producer, duties not separated',
  ]);
  expect(page).toMatchObject({ waiting: 3, matching: 3, mine: 0, reviews: true });
  expect(page.items[1]).toMatchObject({
    route: 'payments',
    producer: { id: 'bot', name: 'Treasury bot' },
    requester: { id: 'olga', name: 'Olga Owner' },
  });
  expect(page.routes).toEqual([
    { id: 'deploys', name: null, count: 1 },
    { id: 'open', name: null, count: 1 },
    { id: 'payments', name: null, count: 1 },
  ]);
  const stranger = await store.waiting(
    { ...ruth, id: 'nobody' },
    { ...FILTER, mine: false, sort: 'deadline' },
  );
  expect(stranger).toMatchObject({ items: [], reviews: false, waiting: 0 });
});

it('sorts, filters, searches and counts', async () => {
  await request('Pay Nordwind', { due: 300 });
  await request('Deploy 4.2', { due: 100, by: 'ci', route: 'deploys' });
  const taken = await request('Pay Brun', { due: 200 });
  await owner.query(
    `INSERT INTO assignment VALUES ('t', $1, gen_random_uuid(), 'ruth', clock_timestamp() + interval '1 minute')`,
    [taken],
  );
  expect(summaries(await waiting({ sort: 'newest' }))).toEqual([
    'Pay Brun',
    'Deploy 4.2',
    'Pay Nordwind',
  ]);
  expect(summaries(await waiting({ sort: 'oldest' }))).toEqual([
    'Pay Nordwind',
    'Deploy 4.2',
    'Pay Brun',
  ]);
  expect(summaries(await waiting({ sort: 'producer' }))).toEqual([
    'Deploy 4.2',
    'Pay Brun',
    'Pay Nordwind',
  ]);
  expect(summaries(await waiting({ sort: 'route', limit: 2 }))).toEqual(['Deploy 4.2', 'Pay Brun']);
  expect(summaries(await waiting({ mine: true }))).toEqual(['Pay Brun']);
  for (const [words, found] of [
    [['pay', 'nord'], ['Pay Nordwind']],
    [['treasury'], ['Pay Brun', 'Pay Nordwind']],
    [['olga', 'deploys'], ['Deploy 4.2']],
    [['owner', '4.2'], ['Deploy 4.2']],
    [[taken], ['Pay Brun']],
    [['%'], []],
  ] as const) {
    expect(summaries(await waiting({ words }))).toEqual(found);
  }
  const filtered = await waiting({ route: 'payments', limit: 1 });
  expect(filtered).toMatchObject({ waiting: 3, matching: 2, mine: 1 });
  expect(filtered.routes.map(({ count }) => count)).toEqual([1, 2]);
  expect(summaries(await waiting({ producer: 'ci' }))).toEqual(['Deploy 4.2']);
});

it('lists decisions by their time, with decider and outcome, and ends apart', async () => {
  await request('first', {
    decision: 'confirmed',
    receipt: { decision: 'approve', reviewer: 'ravi' },
  });
  await request('second', {
    decision: 'confirmed',
    receipt: { decision: 'refuse', reviewer: 'ruth' },
  });
  await request('withdrawn', { decision: 'cancelled' });
  await request('expired', { decision: 'expired' });
  const all = await store.decided(ruth, PAST, LAST_ID);
  expect(summaries(all)).toEqual(['second', 'first']);
  expect(all.items[1]?.outcome).toEqual({
    decision: 'approve',
    reviewer: { id: 'ravi', name: 'Ravi Reviewer' },
    confirmed_at: '2026-11-24T00:00:00.000Z',
  });
  expect(summaries(await store.decided(ruth, { ...PAST, by: 'me' }, LAST_ID))).toEqual(['second']);
  expect(summaries(await store.decided(ruth, { ...PAST, by: 'others' }, LAST_ID))).toEqual([
    'first',
  ]);
  expect(summaries(await store.decided(ruth, { ...PAST, decision: 'refuse' }, LAST_ID))).toEqual([
    'second',
  ]);
  const newest = await store.decided(ruth, { ...PAST, limit: 1 }, LAST_ID);
  const older = await store.decided(ruth, { ...PAST, limit: 1 }, newest.last_shown as string);
  expect([summaries(newest), summaries(older)]).toEqual([['second'], ['first']]);
  const ended = await store.ended(ruth, { ...PAST, limit: 1 }, { at: LATEST, id: FIRST_ID });
  expect(summaries(ended)).toEqual(['expired']);
  const [at = '', id = ''] = (ended.last_shown as string).split('/');
  expect(summaries(await store.ended(ruth, PAST, { at: Number(at), id }))).toEqual(['withdrawn']);
});

it('looks at a bounded part of 20,000 requests', async () => {
  // Half of them on another route; a reader of the first has more waiting than are looked at.
  await owner.query(`
    INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical)
      SELECT 't', gen_random_uuid(), 'bot', CASE WHEN n % 2 = 0 THEN 'payments' ELSE 'foreign' END, 'review', 'number ' || n, '',
        '{"requester":{"source":"x","subject":"olga"}}' FROM generate_series(1, 20000) AS n;
    INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
        accepted_at, review_deadline, private_delete_at, audit_delete_at)
      SELECT tenant, id, owner, route, 'pending', 'unanchored', 'none', 'unclaimed', 1, 1, now(), now() + interval '1 hour', now(), now()
      FROM request`);
  const begun = performance.now();
  const page = await waiting();
  const searched = await waiting({ words: ['number'] });
  const ms = Math.round(performance.now() - begun);
  process.stdout.write(`inbox: a page and a search of 5,000 among 20,000 waiting in ${ms} ms\n`);
  expect([page.items.length, page.looked_at, searched.items.length]).toEqual([250, 5_001, 250]);
});
