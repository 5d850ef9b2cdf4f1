import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { createOwnerPool, fsckWithin } from '@countersign/database';
import { loadTrust, verifyRecord } from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { codeOf, tally } from '../../support/answers.js';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Answer, CallOptions, Client } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { reviewInput, until } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import { pass, untilGone } from '../retention/fixture.js';
import { EXTENDED, Voters } from '../../support/voting.js';

// Holds, as custodians set, lift and read them (protocol §20). Olga and Oscar operate; Carol, Dave and Eve are custodians.

const PEOPLE = ['olga', 'oscar', 'carol', 'dave', 'eve', 'max'] as const;
const [OLGA, OSCAR, CAROL, DAVE, EVE, MAX] = PEOPLE;
const DAY_MS = 86_400_000;

let instance: Instance;
let database: pg.Client;
let trust: Trust;
let voters: Voters;
let producer: Client;
let [olga, oscar, carol, dave, eve, max]: Client[] = [];

const by = (client: Client | undefined) => client as Client;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

beforeAll(async () => {
  instance = await startInstance({
    people: [OLGA, OSCAR, CAROL, DAVE, EVE, MAX],
    env: { CAPABILITIES: 'proto.approval,proto.legal-hold' },
  });
  const { demo, dataDirectory } = instance;
  database = await connectTo(instance);
  producer = producerOf(demo);
  voters = new Voters(instance, [CAROL, DAVE, EVE, MAX]);
  for (const id of [OLGA, OSCAR]) await voters.putHuman(id, { operator: true });
  for (const id of [CAROL, DAVE, EVE, MAX]) await voters.putHuman(id);
  [olga, oscar, carol, dave, eve, max] = await Promise.all(
    [OLGA, OSCAR, CAROL, DAVE, EVE, MAX].map((id) => personOf(demo, dataDirectory, id)),
  );
  trust = loadTrust((await producer.get('/.well-known/proto-trust')).body);
  for (const id of [CAROL, DAVE, EVE]) {
    for (const operator of [olga, oscar]) expect(await joinCustodians(operator, id)).toBe(200);
  }
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const membership = (by: Client | undefined, id: string, groups: readonly string[]) =>
  (by as Client).put(
    `/v2/admin/principals/${id}/membership`,
    { groups, team: null, same_person_as: null },
    EXTENDED,
  );
const joinCustodians = async (by: Client | undefined, id: string) =>
  codeOf(await membership(by, id, ['proto.custodians']));

async function newRequest(): Promise<string> {
  const answer = await producer.post('/v2/requests', reviewInput(instance.demo));
  expect(answer.status).toBe(201);
  return answer.body.request.id;
}

const holdOf = (requests: readonly string[], changes: object = {}) => ({
  ...{ requests, reference: 'case 7', until: inDays(30) },
  ...changes,
});
const set = (by: Client | undefined, id: string, body: object): Promise<Answer> =>
  (by as Client).put(`/v2/admin/holds/${id}`, body, EXTENDED);
const lift = (by: Client | undefined, id: string, options: CallOptions = {}): Promise<Answer> =>
  (by as Client).post(
    `/v2/admin/holds/${id}/lift`,
    { reason: 'settled' },
    { ...EXTENDED, ...options },
  );
const read = (by: Client | undefined, id: string, request: string): Promise<Answer> =>
  (by as Client).get(`/v2/admin/holds/${id}/export/${request}`, EXTENDED);

/** A hold of Carol's on that many new requests. */
async function held(many = 1) {
  const id = randomUUID();
  const requests = await Promise.all(Array.from({ length: many }, newRequest));
  const answer = await set(carol, id, holdOf(requests));
  expect(codeOf(answer)).toBe(200);
  return { id, requests: [...requests].sort(), answer };
}

/** What the security log says of a hold: who did it, of which request, and how. */
async function noted(kind: string, id: string, many: number) {
  const { rows } = await until(
    () =>
      database.query<{ entry: string }>(
        'SELECT entry FROM security_entry WHERE kind = $1 AND subject = $2 ORDER BY sequence',
        [kind, id],
      ),
    (found) => found.rows.length === many,
  );
  return rows.map(({ entry }) => {
    const { actor, request_id, detail } = JSON.parse(entry);
    return { by: actor.id, request_id, detail };
  });
}

describe('custodians', () => {
  it('are put into their group by two operators', async () => {
    const before = (await membership(olga, MAX, ['proto.custodians'])).body;
    expect(before).toMatchObject({ groups: [], proposed: { by: OLGA } });
    expect(codeOf(await set(max, randomUUID(), holdOf([randomUUID()])))).toBe(
      '403 custodian_required',
    );
    // Taken back.
    expect((await membership(olga, MAX, [])).body.proposed).toBeNull();
  });

  it('do not operate, and no other reserved group is there', async () => {
    expect(await joinCustodians(olga, OSCAR)).toBe('400 invalid_membership');
    const other = await membership(olga, MAX, ['proto.others']);
    expect(codeOf(other)).toBe('400 invalid_membership');
  });

  it('lose a hold’s operations when they operate, or leave the group', async () => {
    const { id, requests } = await held();
    await voters.putHuman(EVE, { operator: true });
    const { demo, dataDirectory } = instance;
    eve = await personOf(demo, dataDirectory, EVE);
    const refused = [
      await set(eve, id, holdOf(requests)),
      await lift(eve, id),
      await read(eve, id, requests[0] as string),
    ];
    expect(tally(refused)).toEqual({ '403 custodian_required': 3 });
    await voters.putHuman(EVE);
    eve = await personOf(demo, dataDirectory, EVE);
    expect(codeOf(await read(eve, id, requests[0] as string))).toBe(200);
    expect(codeOf(await membership(olga, EVE, []))).toBe(200);
    expect(codeOf(await read(eve, id, requests[0] as string))).toBe('403 custodian_required');
    for (const operator of [olga, oscar]) expect(await joinCustodians(operator, EVE)).toBe(200);
  });

  it('are what a signed membership says, and not what a table says', async () => {
    const { id, requests } = await held();
    const forge = `INSERT INTO membership (tenant, principal, person, groups, revision, record_id, record)
      SELECT tenant, $1, person, groups, revision, gen_random_uuid(), record FROM membership WHERE principal = $2`;
    await database.query(forge, [MAX, CAROL]);
    await database.query('UPDATE tenant SET directory_revision = directory_revision + 1');
    const refused = [
      await set(max, id, holdOf(requests)),
      await read(max, id, requests[0] as string),
    ];
    expect(tally(refused)).toEqual({ '503 identity_uncertain': 2 });
    await database.query('DELETE FROM membership WHERE principal = $1', [MAX]);
  });
});

describe('a hold', () => {
  it('is set, grows and is lifted by custodians alone', async () => {
    const { id, requests } = await held();
    for (const caller of [olga, max]) {
      const refused = [
        await set(caller, randomUUID(), holdOf(requests)),
        await lift(caller, id),
        await read(caller, id, requests[0] as string),
      ];
      expect(tally(refused)).toEqual({ '403 custodian_required': 3 });
    }
    for (const caller of [producer, operatorOf(instance.demo)]) {
      expect(codeOf(await set(caller, randomUUID(), holdOf(requests)))).toBe(
        '403 custodian_required',
      );
    }
  });

  it('is a signed record, in the chain and in the security log', async () => {
    const { id, requests, answer } = await held(3);
    const expected = {
      type: 'LegalHoldSet',
      audience: 'proto.custody',
      purpose: 'service',
    } as const;
    const { tenant } = instance.demo;
    expect(verifyRecord(answer.body, trust, { ...expected, tenant }).ok).toBe(true);
    const { payload } = answer.body;
    expect(payload).toMatchObject({ id, revision: 1, reference: 'case 7', set_by: CAROL });
    expect(payload.requests.map((request: { id: string }) => request.id)).toEqual(requests);
    const status = await producer.get(`/v2/requests/${requests[0]}`);
    expect(payload.requests[0].digest).toBe(status.body.request_digest);
    await until(
      async () =>
        (
          await database.query(
            `SELECT 1 FROM ledger_entry e JOIN record r ON r.id = e.record_id WHERE r.record = $1`,
            [answer.text],
          )
        ).rows,
      (rows) => rows.length === 1,
    );
    expect(await noted('hold.changed', id, 1)).toEqual([
      { by: CAROL, request_id: null, detail: { state: 'set', revision: 1, requests: 3 } },
    ]);
  });

  it('stays as it is when it is set again, and grows when another custodian adds to it', async () => {
    const { id, requests, answer } = await held();
    const { until: end } = answer.body.payload;
    const again = await set(dave, id, holdOf(requests, { until: end }));
    expect([again.status, again.text]).toEqual([200, answer.text]);
    const more = await set(
      dave,
      id,
      holdOf([...requests, await newRequest()], { until: inDays(60) }),
    );
    expect(more.body.payload).toMatchObject({ revision: 2, set_by: DAVE });
    const { rows } = await database.query(
      'SELECT count(*)::integer AS many, min(until) = max(until) AS same FROM hold_item WHERE hold_id = $1',
      [id],
    );
    expect(rows).toEqual([{ many: 2, same: true }]);
  });

  it('never shrinks', async () => {
    const { id, requests } = await held(2);
    const [first] = requests as [string, string];
    const refused = [
      await set(dave, id, holdOf([first])),
      await set(dave, id, holdOf(requests, { until: inDays(1) })),
    ];
    expect(tally(refused)).toEqual({ '400 invalid_LegalHoldInput': 2 });
  });

  it.each<[string, object]>([
    ['has no requests', { requests: [] }],
    [
      'names a request twice',
      { requests: Array.from({ length: 2 }, () => '0b0e7f0a-9d5c-4b6e-8a57-0d7a4d4f3c11') },
    ],
    ['has ended', { until: '2020-01-01T00:00:00Z' }],
    ['lasts longer than five years', { until: inDays(1828) }],
    ['has no reference', { reference: '' }],
    ['has other members', { more: 1 }],
  ])('is refused when it %s', async (_, changes) => {
    const body = holdOf([await newRequest()], changes);
    expect(codeOf(await set(carol, randomUUID(), body))).toBe('400 invalid_LegalHoldInput');
  });

  it('is of requests that are there', async () => {
    const requests = [await newRequest(), randomUUID()];
    expect(codeOf(await set(carol, randomUUID(), holdOf(requests)))).toBe('404 not_found');
    expect(codeOf(await set(carol, 'case-7', holdOf([requests[0] as string])))).toBe(
      '404 not_found',
    );
    const { rows } = await database.query('SELECT 1 FROM hold_item WHERE request_id = $1', [
      requests[0],
    ]);
    expect(rows).toEqual([]);
  });

  it('of a name is one, however many set it at once', async () => {
    const id = randomUUID();
    const requests = await Promise.all(Array.from({ length: 6 }, newRequest));
    const at = inDays(10);
    const answers = await Promise.all(
      requests.map((request, n) => set(n % 2 ? dave : carol, id, holdOf([request], { until: at }))),
    );
    // The first one is in force: each of the others would take its request out.
    expect(tally(answers)).toEqual({ 200: 1, '400 invalid_LegalHoldInput': 5 });
  });
});

describe('a lift', () => {
  it('is by another custodian than the one who set the revision in force', async () => {
    const { id, requests } = await held();
    expect(codeOf(await lift(carol, id))).toBe('403 second_person_required');
    await set(dave, id, holdOf(requests, { until: inDays(40) }));
    expect(codeOf(await lift(dave, id))).toBe('403 second_person_required');
    const lifted = await lift(carol, id);
    const expected = { type: 'LegalHoldLifted', audience: 'proto.custody', purpose: 'service' };
    const { tenant } = instance.demo;
    expect(verifyRecord(lifted.body, trust, { ...expected, tenant } as never).ok).toBe(true);
    expect(lifted.body.payload).toMatchObject({ id, lifted_by: CAROL, set_by: DAVE });
    expect((await noted('hold.changed', id, 3)).at(-1)).toEqual({
      ...{ by: CAROL, request_id: null },
      detail: { state: 'lifted', reason: 'settled', requests: 1 },
    });
    expect(lifted.text).not.toContain('settled');
  });

  it('is by another person, not by another principal of the same one', async () => {
    const { id } = await held();
    await voters.putMembership(MAX, []);
    // Dave’s principal becomes one of Carol’s: two operators say so.
    const same = (client: Client | undefined) =>
      by(client).put(
        `/v2/admin/principals/${DAVE}/membership`,
        { groups: ['proto.custodians'], team: null, same_person_as: CAROL },
        EXTENDED,
      );
    for (const operator of [olga, oscar]) expect(codeOf(await same(operator))).toBe(200);
    expect(codeOf(await lift(dave, id))).toBe('403 second_person_required');
    for (const operator of [olga, oscar]) expect(await joinCustodians(operator, DAVE)).toBe(200);
    expect(codeOf(await lift(dave, id))).toBe(200);
  });

  it('happens once, and is answered again under its key', async () => {
    const { id, requests } = await held();
    const key = randomUUID();
    const lifted = await lift(dave, id, { key });
    expect(codeOf(lifted)).toBe(200);
    const again = await lift(dave, id, { key });
    expect([again.status, again.text]).toEqual([200, lifted.text]);
    expect(codeOf(await lift(dave, id))).toBe('404 not_found');
    expect(codeOf(await set(carol, id, holdOf(requests)))).toBe('409 identity_conflict');
    expect(codeOf(await lift(dave, randomUUID()))).toBe('404 not_found');
  });

  it('is one of two that come at once', async () => {
    const { id } = await held();
    expect(tally(await Promise.all([lift(dave, id), lift(eve, id)]))).toEqual({
      200: 1,
      '404 not_found': 1,
    });
  });

  it('has a reason and a key', async () => {
    const { id } = await held();
    const bare = await by(dave).post(`/v2/admin/holds/${id}/lift`, {}, EXTENDED);
    expect(codeOf(bare)).toBe('400 invalid_LiftInput');
    expect(codeOf(await lift(dave, id, { key: null }))).toBe('400 idempotency_key_required');
  });
});

describe('an export for custodians', () => {
  it('is the export of the request, and its reading is noted', async () => {
    const { id, requests } = await held();
    const [request] = requests as [string];
    const owners = await until(
      () => producer.get(`/v2/requests/${request}/export`),
      ({ body }) => body.audit.length > 0,
    );
    const theirs = await read(dave, id, request);
    expect([theirs.status, theirs.body]).toEqual([200, owners.body]);
    expect(await noted('held_export.read', id, 1)).toMatchObject([
      { by: DAVE, request_id: request, detail: { material: true } },
    ]);
  });

  it('is of a request that this hold keeps', async () => {
    const [one, other] = [await held(), await held()];
    const [request] = one.requests as [string];
    expect(codeOf(await read(carol, other.id, request))).toBe('404 not_found');
    expect(codeOf(await read(carol, one.id, randomUUID()))).toBe('404 not_found');
    expect(codeOf(await read(carol, one.id, 'no-id'))).toBe('404 not_found');
    expect(codeOf(await read(carol, one.id, request))).toBe(200);
    await lift(dave, one.id);
    expect(codeOf(await read(carol, one.id, request))).toBe('404 not_found');
  });
});

it('custodians read a request that is out of all others’ sight, until their hold is lifted', async () => {
  const { id, requests } = await held();
  const [request] = requests as [string];
  const { payload } = reviewInput(instance.demo);
  await pass({ database }, 'private_deletion', request);
  await until(
    () => producer.get(`/v2/requests/${request}/material`),
    ({ status }) => status === 410,
  );
  expect((await read(carol, id, request)).body.material.payload).toEqual(payload);
  await pass({ database }, 'audit_deletion', request);
  await untilGone({ operator: operatorOf(instance.demo) }, request);
  const theirs = await read(carol, id, request);
  expect([theirs.status, theirs.body.material?.payload]).toEqual([200, payload]);
  for (const entry of theirs.body.audit) expect(entry.record).not.toBeNull();

  expect(codeOf(await lift(dave, id))).toBe(200);
  await until(
    () => database.query('SELECT 1 FROM request WHERE id = $1', [request]),
    ({ rows }) => rows.length === 0,
  );
  expect(codeOf(await read(carol, id, request))).toBe('404 not_found');
});

it('fsck finds no fault in holds that were set, grew and were lifted', async () => {
  const { id, requests } = await held(2);
  await set(dave, id, holdOf([...requests, await newRequest()], { until: inDays(60) }));
  await lift(carol, id);
  const stores = readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8');
  const { DATABASE_URL: url } = JSON.parse(stores).urls;
  const pool = createOwnerPool({ url, application: 'fsck test', max: 1 });
  const client = await pool.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  const { findings } = await fsckWithin(client, { trust, copies: null });
  await client.query('ROLLBACK');
  client.release();
  await pool.end();
  expect(findings.result().faults).toEqual({});
  expect(findings.result().counts.signatures).toBeGreaterThan(0);
});

it('a deployment publishes holds as a capability, and not as a profile', async () => {
  const { body: discovery } = await producer.get('/.well-known/proto');
  expect(Object.keys(discovery.profiles)).not.toContain('proto.legal-hold');
  const { body } = await producer.get('/.well-known/proto-capabilities', EXTENDED);
  expect(body.capabilities['proto.legal-hold']).toEqual({ version: '1-draft.1' });
  const profiles = { 'proto.legal-hold': '1-draft.1' };
  const asked = await producer.post('/v2/requests', reviewInput(instance.demo, { profiles }));
  expect(codeOf(asked)).toBe('422 unsupported_profile');
  const schema = '/schemas/proto.legal-hold/1-draft.1/LegalHoldSet.json';
  expect((await producer.get(schema, EXTENDED)).status).toBe(200);
});
