import type pg from 'pg';
import { loadTrust, verifyRecord } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { operatorOf, personOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import { Voters, newExecution, newReview, policyWith, stagesOf } from '../../support/voting.js';
import { Holder, newDevice } from './support.js';

// Keys of people: enrolment, countersignature and end (protocol §19.4, §19.6). Olga and Oscar operate.

const [OLGA, OSCAR] = ['olga', 'oscar'] as const;
const MEMBERS = Array.from({ length: 25 }, (_, at) => `member-${at}`);

let instance: Instance;
let database: pg.Client;
let bearer: Holder;
let olga: Holder;
let oscar: Holder;
let voters: Voters;
let taken = 0;

const holderOf = async (id: string, client?: Client): Promise<Holder> => {
  const { demo, dataDirectory } = instance;
  const by = client ?? (await personOf(demo, dataDirectory, id));
  return new Holder(id, by, demo.origin, demo.tenant);
};
const newMember = () => holderOf(MEMBERS[taken++] as string);

beforeAll(async () => {
  instance = await startInstance({
    people: [OLGA, OSCAR, ...MEMBERS],
    env: { CAPABILITIES: 'proto.approval,proto.human-key' },
  });
  database = await connectTo(instance);
  voters = new Voters(instance, MEMBERS);
  for (const id of MEMBERS) await voters.putHuman(id);
  for (const id of [OLGA, OSCAR]) await voters.putHuman(id, { operator: true });
  bearer = await holderOf('operator', operatorOf(instance.demo));
  olga = await holderOf(OLGA);
  oscar = await holderOf(OSCAR);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** A member with a key that counts. */
async function keyHolder(device = newDevice()) {
  const holder = await newMember();
  const { id, person } = await holder.enrol(device);
  expect((await olga.countersign(id)).status).toBe(200);
  return { holder, device, id, person };
}

const incidents = async (code: string): Promise<number> => {
  const { rows } = await database.query('SELECT 1 FROM incident WHERE code = $1', [code]);
  return rows.length;
};

it('a bearer token vouches for the first key of a tenant, and for no other', async () => {
  const [first, second] = [await newMember(), await newMember()];
  const { id } = await first.enrol(newDevice('EdDSA'));
  const { id: other } = await second.enrol(newDevice());
  expect(await first.stateOf(id)).toBe('waiting');
  const answer = await bearer.countersign(id);
  expect([answer.status, answer.body.payload?.countersigned_by]).toEqual([
    200,
    { kind: 'operator_token', subject: expect.any(String), credential: null, signature: null },
  ]);
  expect(await first.stateOf(id)).toBe('active');
  expect(codeOf(await bearer.countersign(other))).toBe('403 second_person_required');
  expect(await second.stateOf(other)).toBe('waiting');
});

it('another person vouches, and the record of it verifies and is chained', async () => {
  const holder = await newMember();
  const { answer, id, person } = await holder.enrol(newDevice());
  expect([answer.status, answer.body]).toMatchObject([
    201,
    { credential: id, state: 'waiting', label: 'Laptop', algorithm: 'ES256', bound: null },
  ]);
  const bound = await olga.countersign(id);
  const { body: trust } = await olga.client.get('/.well-known/proto-trust');
  const { ok } = verifyRecord(bound.body, loadTrust(trust), {
    ...{ type: 'CredentialBound', audience: 'proto.directory', purpose: 'service' },
    tenant: instance.demo.tenant,
  });
  expect([ok, bound.body.payload.person]).toEqual([true, person]);
  await until(
    async () =>
      (
        await database.query(
          `SELECT 1 FROM ledger_entry e JOIN record r ON r.tenant = e.tenant AND r.id = e.record_id
           WHERE e.type = 'CredentialBound' AND r.record = $1`,
          [bound.text],
        )
      ).rows.length,
    (count) => count === 1,
  );
});

it('a person has five keys that wait, and five that count', async () => {
  const holder = await newMember();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) ids.push((await holder.enrol(newDevice())).id);
  expect(codeOf((await holder.enrol(newDevice())).answer)).toBe('409 credential_unavailable');
  for (const id of ids) expect((await olga.countersign(id)).status).toBe(200);
  const { id: sixth } = await holder.enrol(newDevice());
  expect(codeOf(await olga.countersign(sixth))).toBe('409 credential_unavailable');
  expect((await holder.end(ids[0] as string)).status).toBe(200);
  expect((await olga.countersign(sixth)).status).toBe(200);
});

describe('an enrolment is refused', () => {
  const other = 'https://other.example';
  it.each([
    ['made on another site', { making: { origin: other } }],
    ['in a frame of another site', { making: { members: { crossOrigin: true } } }],
    ['for another challenge', { making: { challenge: 'AAAA' } }],
    ['without a verified user', { making: { flags: 0x41 } }],
    ['whose key signs on another site', { signing: { origin: other } }],
    ['whose key signs in a frame', { signing: { members: { crossOrigin: true } } }],
    ['whose key signs without its user', { signing: { flags: 0x01 } }],
    ['whose key signs as another principal', { statement: { principal: 'somebody' } }],
    ['whose key signs for another tenant', { statement: { tenant: 'elsewhere' } }],
    ['whose key signs with another nonce', { statement: { nonce: 'AAAAAAAAAAAAAAAAAAAAAA' } }],
  ])('%s', async (_, wrong) => {
    const { answer, id } = await olga.enrol(newDevice(), wrong);
    expect(codeOf(answer)).toBe('400 invalid_assertion');
    expect(await olga.stateOf(id)).toBeNull();
  });

  it('for an offer that is used, unknown, of another person or too old', async () => {
    const [holder, thief] = [await newMember(), await newMember()];
    const device = newDevice();
    const { body: offer } = await holder.offer();
    expect(codeOf(await thief.send(thief.enrolment(offer, device)))).toBe('409 offer_expired');
    const body = holder.enrolment(offer, device);
    expect((await holder.send(body)).status).toBe(201);
    expect(codeOf(await holder.send(body))).toBe('409 offer_expired');
    const { body: late } = await holder.offer();
    await database.query(
      `UPDATE enrolment_offer SET issued_at = issued_at - interval '301 seconds' WHERE credential = $1`,
      [late.credential],
    );
    expect(codeOf(await holder.send(holder.enrolment(late, newDevice())))).toBe(
      '409 offer_expired',
    );
  });

  it('whose body does not fit its schema', async () => {
    expect(codeOf(await olga.send({ label: '' }))).toBe('400 invalid_EnrolmentInput');
    const { id } = await olga.enrol(newDevice());
    expect(codeOf(await olga.countersign(id, { more: 1 }))).toBe('400 invalid_CountersignInput');
    expect((await olga.end(id)).status).toBe(200);
  });

  it('without a login of the last minutes', async () => {
    const { demo, dataDirectory } = instance;
    const id = MEMBERS[taken++] as string;
    const holder = await holderOf(id, await personOf(demo, dataDirectory, id));
    await database.query(
      `UPDATE session SET proved_at = proved_at - interval '301 seconds' WHERE principal = $1`,
      [id],
    );
    expect(codeOf(await holder.offer())).toBe('401 fresh_login_required');
    expect(await holder.keys()).toEqual([]);
  });
});

describe('a key is of one person', () => {
  it('and enrols once, whatever its state', async () => {
    const { device, holder, id } = await keyHolder();
    const stranger = await newMember();
    expect(codeOf((await stranger.enrol(device)).answer)).toBe('409 identity_conflict');
    expect(codeOf((await holder.enrol(device)).answer)).toBe('409 identity_conflict');
    expect((await holder.end(id)).status).toBe(200);
    expect(codeOf((await holder.enrol(device)).answer)).toBe('409 identity_conflict');
  });

  it('also where two enrol it at the same time', async () => {
    const device = newDevice();
    const both = [await holderOf('member-0'), await holderOf('member-1')];
    const answers = await Promise.all(both.map((each) => each.enrol(device)));
    expect(answers.map(({ answer }) => answer.status).sort()).toEqual([201, 409]);
  });

  it('and its person vouches for no key of that person as an operator', async () => {
    const { id } = await olga.enrol(newDevice());
    expect(codeOf(await olga.countersign(id))).toBe('403 second_person_required');
    expect((await olga.end(id)).body).toEqual({ ended: null });
    expect(await olga.stateOf(id)).toBeNull();
  });
});

describe('a spare key', () => {
  it('counts at once where another key of the same person vouches for it', async () => {
    const { holder, device, id: own, person } = await keyHolder();
    const { body: offer } = await holder.offer();
    const spare = newDevice('EdDSA');
    const enrolment = holder.statementOf(offer, spare);
    const by_own = holder.vouches(device, own, person, { enrolment });
    const { status, body } = await holder.send(
      holder.enrolment(offer, spare, { body: { by_own } }),
    );
    expect([status, body.state, body.bound?.payload?.countersigned_by?.kind]).toEqual([
      201,
      'active',
      'own_credential',
    ]);
  });

  it('does not where the key is of another person', async () => {
    const { device, id: theirs, person } = await keyHolder();
    const { body: offer } = await olga.offer();
    const spare = newDevice();
    const enrolment = olga.statementOf(offer, spare);
    const by_own = olga.vouches(device, theirs, person, { enrolment });
    const answer = await olga.send(olga.enrolment(offer, spare, { body: { by_own } }));
    expect(codeOf(answer)).toBe('403 human_key_required');
    expect(await olga.stateOf(offer.credential)).toBeNull();
  });
});

it('an operator with a key signs, and a counter that steps back suspends that key', async () => {
  const device = newDevice();
  const { id: own, person } = await oscar.enrol(device, { signing: { counter: 5 } });
  expect((await olga.countersign(own)).status).toBe(200);
  const holder = await newMember();
  const { id, enrolment } = await holder.enrol(newDevice());
  expect(codeOf(await oscar.countersign(id))).toBe('403 human_key_required');
  const signed = (counter: number, of = enrolment) =>
    oscar.vouches(device, own, person, { enrolment: of }, { counter });
  const elsewhere = { ...enrolment, nonce: 'AAAAAAAAAAAAAAAAAAAAAA' };
  expect(codeOf(await oscar.countersign(id, { assertion: signed(6, elsewhere) }))).toBe(
    '400 invalid_assertion',
  );
  const before = await incidents('credential_cloned');
  expect(codeOf(await oscar.countersign(id, { assertion: signed(5) }))).toBe(
    '400 invalid_assertion',
  );
  expect(await oscar.stateOf(own)).toBe('suspended');
  expect(await incidents('credential_cloned')).toBe(before + 1);
  expect(codeOf(await oscar.countersign(id, { assertion: signed(7) }))).toBe(
    '403 human_key_required',
  );
  // Another person vouches for it anew, and it signs again.
  const again = await olga.countersign(own);
  expect([again.status, await oscar.stateOf(own)]).toEqual([200, 'active']);
  const bound = await oscar.countersign(id, { assertion: signed(7) });
  expect([bound.status, bound.body.payload.countersigned_by.credential]).toEqual([200, own]);
  expect((await oscar.end(own)).status).toBe(200);
});

it('what a command does to a key in each state is that of the protocol', async () => {
  const { holder, id } = await keyHolder();
  expect(codeOf(await olga.countersign(id))).toBe('409 credential_unavailable');
  const stranger = await newMember();
  expect(codeOf(await stranger.end(id))).toBe('404 not_found');
  const future = { reason: 'compromised', compromised_since: '2999-01-01T00:00:00.000Z' };
  expect(codeOf(await holder.end(id, future))).toBe('400 invalid_EndCredential');
  const ended = await olga.end(id, { reason: 'left' });
  expect([ended.status, ended.body.ended.payload]).toMatchObject([
    200,
    { credential: id, reason: 'left', ended_by: { kind: 'human', subject: OLGA } },
  ]);
  expect(await holder.stateOf(id)).toBe('ended');
  expect(codeOf(await holder.end(id))).toBe('409 credential_unavailable');
  expect(codeOf(await olga.countersign(id))).toBe('409 credential_unavailable');
  const nothing = '0b9a4c1e-7d2f-4a36-9a51-6f0d2c8e4b17';
  expect(codeOf(await olga.countersign(nothing))).toBe('404 not_found');
  expect(codeOf(await olga.end(nothing))).toBe('404 not_found');
});

it('a key waits for 24 hours, and goes with a principal that is disabled', async () => {
  const device = newDevice();
  const holder = await holderOf('member-2');
  const { id } = await holder.enrol(device);
  await database.query(
    `UPDATE credential_bound SET enrolled_at = enrolled_at - interval '24 hours' WHERE id = $1`,
    [id],
  );
  expect(codeOf(await olga.countersign(id))).toBe('404 not_found');
  expect(await holder.stateOf(id)).toBeNull();
  const again = await holder.enrol(device);
  expect(again.answer.status).toBe(201);
  await voters.putHuman('member-2', { enabled: false });
  await voters.putHuman('member-2');
  expect(codeOf(await olga.countersign(again.id))).toBe('404 not_found');
});

it('an enrolment under the same key gives the same answer', async () => {
  const holder = await holderOf('member-3');
  const { body: offer } = await holder.offer();
  const body = holder.enrolment(offer, newDevice());
  const first = await holder.send(body, { key: 'once' });
  const second = await holder.send(body, { key: 'once' });
  expect([first.status, second.status, second.text]).toEqual([201, 201, first.text]);
});

describe('a key that was lost or is in other hands', () => {
  const group = 'finance';
  // Votes name no key before requests can ask for one: their rows are given one here.
  const signedBy = (request: string, reviewer: string, credential: string) =>
    database.query('UPDATE approval SET credential = $3 WHERE request_id = $1 AND reviewer = $2', [
      ...[request, reviewer, credential],
    ]);

  it.each([
    ['lost', 'ended'],
    ['compromised', 'ended'],
    ['replaced', 'live'],
    ['left', 'live'],
  ])('%s: a live vote by it is %s afterwards', async (reason, state) => {
    const { holder, id } = await keyHolder();
    for (const member of [holder.id, 'member-5']) await voters.putMembership(member, [group]);
    const own = await voters.routeWith(policyWith({ stages: stagesOf({ [group]: 2 }) }));
    const request = await newReview(own);
    expect(
      (await voters.vote(holder.id, request, await voters.freeze(holder.id, request))).status,
    ).toBe(201);
    await signedBy(request, holder.id, id);
    expect((await olga.end(id, { reason })).status).toBe(200);
    const { rows } = await database.query(
      'SELECT state, ended_reason FROM approval WHERE request_id = $1',
      [request],
    );
    const ended_reason = state === 'ended' ? 'credential_ended' : null;
    expect(rows).toEqual([{ state, ended_reason }]);
  });

  it('takes unused authority that rests on a vote by it', async () => {
    const { holder, id } = await keyHolder();
    await voters.putMembership(holder.id, ['alone']);
    const two = await holderOf('member-4');
    await voters.putMembership(two.id, ['alone']);
    const own = await voters.routeWith(
      policyWith({ stages: stagesOf({ alone: 2 }), distinct_by: 'person' }),
    );
    const request = await newExecution(own);
    const candidate = await voters.freeze(holder.id, request, 'authorise');
    expect((await voters.vote(holder.id, request, candidate)).status).toBe(201);
    expect((await voters.vote(two.id, request, candidate)).status).toBe(201);
    await signedBy(request, holder.id, id);
    expect((await olga.end(id, { reason: 'lost' })).status).toBe(200);
    const { rows } = await database.query(
      'SELECT invalidated, grant_state FROM lifecycle WHERE request_id = $1',
      [request],
    );
    expect(rows).toEqual([{ invalidated: 'reviewer_removed', grant_state: 'revoked' }]);
  });
});
