import { randomUUID } from 'node:crypto';
import type { LedgerEntry, SignedRecord } from '@countersign/protocol';
import { personOf } from '../../support/client.js';
import { hold, lift } from '../../support/held.js';
import {
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
  untilAvailable,
} from '../../support/requests.js';
import {
  chainedTypes,
  count,
  deadlinesOf,
  eventsOf,
  executedRequest,
  feedOf,
  incidentsOf,
  newRequest,
  ownExecution,
  pass,
  reasonsOf,
  rowsOf,
  startFixture,
  untilChained,
  untilDone,
  untilGone,
  verifiedLedger,
} from '../retention/fixture.js';
import type { Fixture } from '../retention/fixture.js';

// What a legal hold changes for everybody but custodians (protocol §20.7), with two replicas of the worker. The holds are written by
// the owner of the database.

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture({ split: true });
});
afterAll(() => fixture?.stop());

const held = (...requests: string[]) => hold(fixture.database, fixture.demo.tenant, requests);

/** Until its deletion rests without a failure; gives the end of the rest. */
async function untilResting(id: string, kind: string): Promise<Date> {
  const { rows } = await until(
    () =>
      fixture.database.query<{ attempts: number; rests_until: Date | null }>(
        'SELECT attempts, rests_until FROM deadline WHERE request_id = $1 AND kind = $2',
        [id, kind],
      ),
    (found) => found.rows[0]?.rests_until !== null,
  );
  expect(rows[0]?.attempts).toBe(0);
  return rows[0]!.rests_until!;
}

const KEPT = ['material', 'candidate', 'request', 'lifecycle'] as const;

/** How much is there of what a hold keeps. */
async function kept(id: string): Promise<Record<string, number>> {
  const rows = await rowsOf(fixture, id);
  const texts = await count(fixture, 'record WHERE request_id = $1 AND record IS NOT NULL', [id]);
  return { ...Object.fromEntries(KEPT.map((table) => [table, rows[table] ?? 0])), texts };
}

const codeOf = ({ status, body }: { status: number; body: { error?: string } }) =>
  body.error === undefined ? String(status) : `${status} ${body.error}`;

// The description of the interface stays as it is, without that refusal.
const discard = (id: string, key: string = randomUUID()) =>
  fixture.producer.post(`/v2/requests/${id}/discard`, {}, { key, undescribed: true });

describe('a held request before its time', () => {
  it('is as it was, and cannot be discarded', async () => {
    const { producer, operator, reviewer, demo } = fixture;
    const id = await newRequest(fixture, reviewInput(demo));
    const before = [
      (await producer.get(`/v2/requests/${id}`)).text,
      (await producer.get(`/v2/requests/${id}/material`)).text,
    ];
    await held(id);
    expect([
      (await producer.get(`/v2/requests/${id}`)).text,
      (await producer.get(`/v2/requests/${id}/material`)).text,
    ]).toEqual(before);
    expect(codeOf(await discard(id))).toBe('409 legal_hold');
    const byOperator = operator.post(`/v2/requests/${id}/discard`, {}, { undescribed: true });
    expect(codeOf(await byOperator)).toBe('409 legal_hold');
    expect(codeOf(await reviewer.post(`/v2/requests/${id}/discard`))).toBe('403 forbidden');
    const exported = await producer.get(`/v2/requests/${id}/export`);
    expect([exported.status, exported.body.material?.payload]).toEqual([
      200,
      reviewInput(demo).payload,
    ]);
    expect(await chainedTypes(fixture, id)).toEqual(['RequestChangedEvent']);
    expect((await producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
    expect(await reasonsOf(fixture, id)).toEqual(['created', 'cancelled']);
  });

  it('is discarded under a key once its hold is lifted', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    const holdId = await held(id);
    const key = randomUUID();
    expect(codeOf(await discard(id, key))).toBe('409 legal_hold');
    await lift(fixture.database, holdId);
    expect(codeOf(await discard(id, key))).toBe('200');
    expect(codeOf(await fixture.producer.get(`/v2/requests/${id}/material`))).toBe(
      '410 material_deleted',
    );
  });

  it('can be cancelled when its material had gone before', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    expect((await discard(id)).status).toBe(200);
    await held(id);
    expect((await discard(id)).status).toBe(200);
    expect((await fixture.producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
  });
});

describe('a held request after the time of its material', () => {
  it('shows no material and keeps all of it, and expires', async () => {
    const { producer, reviewer, demo } = fixture;
    const id = await newRequest(fixture, reviewInput(demo));
    const key = randomUUID();
    const candidates = `/v2/requests/${id}/candidates`;
    const proposal = { response: { note: 'seen' }, decision: 'answer' };
    expect((await reviewer.post(candidates, proposal, { key })).status).toBe(201);
    const holdId = await held(id);
    await pass(fixture, 'review', id);
    await pass(fixture, 'private_deletion', id);
    const restsUntil = await untilResting(id, 'private_deletion');
    const { rows } = await fixture.database.query('SELECT until FROM hold WHERE id = $1', [holdId]);
    expect(restsUntil).toEqual(rows[0].until);

    expect(await kept(id)).toMatchObject({ material: 1, candidate: 1, request: 1, lifecycle: 1 });
    expect(await eventsOf(fixture, id)).toMatchObject([
      { reason: 'created' },
      { reason: 'expiry', state: { decision: 'expired' } },
    ]);
    expect((await producer.get(`/v2/requests/${id}`)).body.decision_state).toBe('expired');
    expect(codeOf(await producer.get(`/v2/requests/${id}/material`))).toBe('410 material_deleted');
    expect(codeOf(await reviewer.get(`/v2/requests/${id}/material`))).toBe('410 material_deleted');
    expect(codeOf(await reviewer.get(`/v2/requests/${id}/app`))).toBe('410 material_deleted');
    const exported = await producer.get(`/v2/requests/${id}/export`);
    expect([exported.status, exported.body.material]).toEqual([200, null]);
    expect(codeOf(await reviewer.post(candidates, proposal, { key }))).toBe(
      '410 idempotent_result_expired',
    );
    expect(codeOf(await discard(id))).toBe('409 legal_hold');
    expect(await incidentsOf(fixture, id)).toEqual([]);

    await lift(fixture.database, holdId);
    await untilDone(fixture, id, 'private_deletion');
    expect(await kept(id)).toMatchObject({ material: 0, candidate: 0, request: 1, lifecycle: 1 });
    expect(await chainedTypes(fixture, id)).toEqual([
      'RequestChangedEvent',
      'RequestChangedEvent',
      'MaterialDiscarded',
      'RequestChangedEvent',
    ]);
    expect(await reasonsOf(fixture, id)).toEqual(['created', 'expiry', 'material_deleted']);
  });

  it('shows no answer of a review that was decided', async () => {
    const { producer, reviewer, demo } = fixture;
    const id = await newRequest(fixture, reviewInput(demo));
    expect((await decide(reviewer, id, 'answer')).status).toBe(200);
    await held(id);
    await pass(fixture, 'private_deletion', id);
    await untilResting(id, 'private_deletion');
    const polled = await producer.get(`/v2/hitl/${id}/poll`);
    expect(polled.body.result.data).toMatchObject({ response: null, material_available: false });
    expect(await kept(id)).toMatchObject({ material: 1, candidate: 1 });
  });

  it('gives no authority', async () => {
    const { producer, reviewer, demo } = fixture;
    const id = await newRequest(fixture, executionInput(demo));
    expect((await decide(reviewer, id, 'authorise')).status).toBe(200);
    const status = await untilAvailable(producer, id);
    await held(id);
    await pass(fixture, 'private_deletion', id);
    await untilResting(id, 'private_deletion');
    expect(codeOf(await producer.post(`/v2/requests/${id}/claims`, claimInput(status)))).toBe(
      '409 authority_revoked',
    );
  });

  it('is deleted once its hold ran out', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    await hold(fixture.database, fixture.demo.tenant, [id], '8 seconds');
    await pass(fixture, 'private_deletion', id);
    await untilResting(id, 'private_deletion');
    expect(await kept(id)).toMatchObject({ material: 1 });
    await untilDone(fixture, id, 'private_deletion');
    expect(await kept(id)).toMatchObject({ material: 0 });
  });

  it('stays while another hold is in force', async () => {
    const id = await newRequest(fixture, reviewInput(fixture.demo));
    const first = await held(id);
    await pass(fixture, 'private_deletion', id);
    await untilResting(id, 'private_deletion');
    const second = await hold(fixture.database, fixture.demo.tenant, [id], '2 years');
    await lift(fixture.database, first);
    const { rows } = await fixture.database.query('SELECT until FROM hold WHERE id = $1', [second]);
    const end = (rows[0].until as Date).getTime();
    await until(
      () => untilResting(id, 'private_deletion'),
      (rest) => rest.getTime() === end,
    );
    expect(await kept(id)).toMatchObject({ material: 1 });
    await lift(fixture.database, second);
    await untilDone(fixture, id, 'private_deletion');
  });
});

describe('a held request after its audit', () => {
  it('is as one that was deleted, and keeps all of its bytes until the hold is lifted', async () => {
    const { producer, operator, reviewer } = fixture;
    const createKey = randomUUID();
    const cancelKey = randomUUID();
    const action = `pay/${randomUUID()}`;
    const input = ownExecution(fixture, { action_occurrence_id: action });
    const { id } = await executedRequest(fixture, { input, key: createKey });
    const path = `/v2/requests/${id}`;
    expect((await producer.post(`${path}/cancel`, {}, { key: cancelKey })).status).toBe(200);
    const holdId = await held(id);
    await untilChained(fixture, id);
    const entries = await entriesOf(id);
    const before = await kept(id);
    expect(before).toMatchObject({ material: 1, candidate: 1, request: 1, lifecycle: 1 });
    await pass(fixture, 'private_deletion', id);
    await pass(fixture, 'audit_deletion', id);
    await untilGone(fixture, id);
    await untilResting(id, 'audit_deletion');

    expect(await kept(id)).toEqual(before);
    expect((await deadlinesOf(fixture, id)).map(({ kind, done }) => [kind, done])).toEqual([
      ['audit_deletion', false],
      ['private_deletion', false],
    ]);
    for (const part of ['', '/material', '/export', '/approvals']) {
      expect([part, codeOf(await operator.get(`${path}${part}`))]).toEqual([part, '404 not_found']);
    }
    expect(codeOf(await reviewer.get(`${path}/app`))).toBe('404 not_found');
    expect(codeOf(await producer.get(`${path}/evidence`))).toBe('404 not_found');
    const { body: remains } = await until(
      () => operator.get(`${path}/evidence`),
      ({ status }) => status === 200,
    );
    expect([remains.export, remains.remains.map(({ record }: LedgerEntry) => record)]).toEqual([
      null,
      entries.map(() => null),
    ]);
    for (const part of ['', '/poll']) {
      expect(codeOf(await producer.get(`/v2/hitl/${id}${part}`))).toBe('404 not_found');
    }
    for (const operation of ['cancel', 'revoke', 'discard', 'remind']) {
      expect([operation, codeOf(await producer.post(`${path}/${operation}`))]).toEqual([
        operation,
        '404 not_found',
      ]);
    }
    expect(codeOf(await reviewer.post(`${path}/assignment`))).toBe('404 not_found');
    expect(codeOf(await producer.post(`${path}/cancel`, {}, { key: cancelKey }))).toBe(
      '404 not_found',
    );
    expect(codeOf(await producer.post('/v2/requests', input, { key: createKey }))).toBe(
      '410 idempotent_result_expired',
    );
    for (const client of [producer, operator, reviewer]) {
      expect((await client.get('/v2/requests')).text).not.toContain(id);
    }
    const occurrence = encodeURIComponent(action);
    expect((await producer.get(`/v2/requests?occurrence=${occurrence}`)).body.items).toEqual([]);
    expect((await feedOf(fixture)).map(aboutRequest)).not.toContain(id);
    // The ledger keeps its entries and shows no text.
    expect(await entriesOf(id)).toEqual(entries.map((entry) => ({ ...entry, record: null })));

    await lift(fixture.database, holdId);
    await until(
      () => rowsOf(fixture, id),
      (rows) => rows['lifecycle'] === undefined,
    );
    expect(await rowsOf(fixture, id)).toEqual({
      execution_identity: 1,
      // Two more: the material is gone, and the event of that.
      ledger_entry: entries.length + 2,
      occurrence: 1,
      record: entries.length + 2,
      idempotency: 1,
      hold_item: 1,
    });
    const { rows } = await fixture.database.query(
      'SELECT type FROM ledger_entry WHERE request_id = $1 ORDER BY sequence DESC LIMIT 2',
      [id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['RequestChangedEvent', 'MaterialDiscarded']);
    expect(await incidentsOf(fixture, id)).toEqual([]);
  });

  it('is in no list, search, figure or history', async () => {
    const { producer, operator, reviewer, demo, instance } = fixture;
    const otto = await personOf(demo, instance.dataDirectory, 'otto');
    const word = `quill${randomUUID().slice(0, 8)}`;
    const input = reviewInput(demo, { summary: `About ${word}` });
    const [decided, cancelled, replaced] = [
      await newRequest(fixture, input),
      await newRequest(fixture, input),
      await newRequest(fixture, input),
    ] as const;
    expect((await decide(reviewer, decided, 'answer')).status).toBe(200);
    expect((await producer.post(`/v2/requests/${cancelled}/cancel`)).status).toBe(200);
    const next = await producer.post(`/v2/requests/${replaced}/supersede`, reviewInput(demo));
    expect(next.status).toBe(201);
    const ids = [decided, cancelled, replaced];
    const lists = async () => {
      const texts = await Promise.all([
        producer.get('/v2/requests'),
        operator.get('/v2/requests'),
        reviewer.get('/v2/requests'),
        otto.get('/operator/data/requests'),
        otto.get(`/operator/data/requests?words=${word}`),
        reviewer.get('/inbox/data?tab=decided'),
        reviewer.get('/inbox/data?tab=ended'),
        reviewer.get(`/inbox/history?id=${next.body.request.id}`),
      ]);
      return texts.map(({ text }) => ids.filter((id) => text.includes(id)).length);
    };
    const arrivals = async () => {
      const { body } = await otto.get('/operator/data/figures?range=24h');
      return (body.buckets as { arrivals: number }[]).reduce((sum, each) => sum + each.arrivals, 0);
    };
    // The history of a request names the one that it replaced, also where that is gone: its text does.
    expect(await lists()).toEqual([3, 3, 3, 3, 3, 1, 2, 1]);
    const before = await arrivals();
    const { body: history } = await reviewer.get(`/inbox/history?id=${next.body.request.id}`);
    expect(history.replaces.id).toBe(replaced);

    await untilChained(fixture, ...ids);
    await held(...ids);
    await pass(fixture, 'private_deletion', ...ids);
    await pass(fixture, 'audit_deletion', ...ids);
    for (const id of ids) await untilResting(id, 'audit_deletion');
    expect((await lists()).slice(0, -1)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await arrivals()).toBe(before - ids.length);
    const { body: after } = await reviewer.get(`/inbox/history?id=${next.body.request.id}`);
    expect(after.replaces).toBeNull();
    expect((await reviewer.get(`/inbox/history?id=${decided}`)).status).toBe(404);
  });

  const aboutRequest = ({ payload }: SignedRecord) =>
    (payload as { request_id?: string }).request_id;
  const entriesOf = async (id: string) =>
    (await verifiedLedger(fixture)).filter(({ request_id }) => request_id === id);
});

describe('at once', () => {
  it('a hold and a deletion: what is held is there, and what is gone was recorded', async () => {
    const { demo, database } = fixture;
    const ids: string[] = [];
    for (let many = 0; many < 60; many += 1) ids.push(await newRequest(fixture, reviewInput(demo)));
    await pass(fixture, 'private_deletion', ...ids);
    await until(
      () => count(fixture, 'material WHERE request_id = ANY ($1)', [ids]),
      (left) => left < ids.length,
    );
    for (const id of ids.toReversed()) await held(id);
    for (const id of ids) {
      await until(
        () =>
          count(
            fixture,
            `deadline WHERE request_id = $1 AND kind = 'private_deletion' AND (done_at IS NOT NULL OR rests_until IS NOT NULL)`,
            [id],
          ),
        (met) => met === 1,
      );
      const { rows } = await database.query<{ gone: boolean; told: boolean }>(
        `SELECT NOT EXISTS (SELECT FROM material WHERE request_id = $1) AS gone,
           EXISTS (SELECT FROM record WHERE request_id = $1 AND type = 'MaterialDiscarded') AS told`,
        [id],
      );
      expect([id, rows[0]!.told]).toEqual([id, rows[0]!.gone]);
      expect(await incidentsOf(fixture, id)).toEqual([]);
    }
  });

  it('a lift and a deadline: everything is deleted', async () => {
    const { demo, database } = fixture;
    const ids: string[] = [];
    const holds: string[] = [];
    for (let many = 0; many < 40; many += 1) {
      const id = await newRequest(fixture, reviewInput(demo));
      ids.push(id);
      holds.push(await held(id));
    }
    await pass(fixture, 'private_deletion', ...ids);
    await until(
      () =>
        count(fixture, 'deadline WHERE request_id = ANY ($1) AND rests_until IS NOT NULL', [ids]),
      (resting) => resting > 0,
    );
    for (const holdId of holds) await lift(database, holdId);
    for (const id of ids) await untilDone(fixture, id, 'private_deletion');
    expect(await count(fixture, 'material WHERE request_id = ANY ($1)', [ids])).toBe(0);
  });
});
