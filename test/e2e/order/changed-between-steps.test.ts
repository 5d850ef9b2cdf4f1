import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { valueDigest } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { authorisedRequest, claimInput, executionInput } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import type { Fixture } from './fixture.js';
import { startFixture } from './fixture.js';

// A step follows closely on the step before it, mostly in the same process. Every change in between, made in any way,
// decides the answer: no process answers from the state after its last step.

let instance: Instance;
let database: pg.Client;
let fixture: Fixture;

beforeAll(async () => {
  instance = await startInstance({
    quotas: false,
    people: ['anna', 'bert', 'cleo', 'dora', 'emil'],
  });
  database = await connectTo(instance);
  fixture = await startFixture(instance, database);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});
afterEach(async () => {
  await fixture.tampering.fence(null);
  await fixture.tampering.revive('anna');
});

const newNonce = () => randomBytes(24).toString('base64url');
const reused = newNonce();

interface Claimed {
  readonly own: OwnRoute;
  readonly id: string;
  readonly admission: (nonce?: string) => Promise<string>;
  readonly outcome: () => Promise<string>;
}

async function claimed(): Promise<Claimed> {
  const own = await fixture.newRoute('anna');
  const status = await authorisedRequest(own.demo, own.producer, fixture.reviewers.anna);
  const id = status.body.request.id as string;
  const input = claimInput(status);
  const claim = await own.producer.post(`/v2/requests/${id}/claims`, input);
  const execution_identity = input.execution_identity;
  const send = async (path: string, body: object) =>
    said(own.producer, `/v2/requests/${id}/${path}`, { ...body, execution_identity });
  return {
    own,
    id,
    admission: (nonce = newNonce()) =>
      send('admission', { claim_id: claim.body.payload.id, nonce }),
    outcome: () => send('outcomes', { status: 'completed', details: {} }),
  };
}

/** Status and, of a refusal, its code. */
async function said(client: Client, path: string, body: object): Promise<string> {
  const answer = await client.post(path, body);
  return answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.body.error}`;
}

const set = (columns: object) => (id: string) =>
  fixture.tampering.set('lifecycle', id, { ...columns });

describe('an admission after a claim', () => {
  it.each<[string, (id: string, own: OwnRoute) => Promise<unknown>]>([
    [
      '409 material_integrity_mismatch',
      (id) => fixture.tampering.damageRequest(id, ['summary'], '?'),
    ],
    [
      '409 material_integrity_mismatch',
      (id) => fixture.tampering.set('material', id, { payload: '{}' }),
    ],
    ['409 authority_revoked', set({ invalidated: 'revoked' })],
    ['409 grant_expired', (id) => set({ grant_deadline: new Date(Date.now() - 1) })(id)],
    ['503 admission_fenced', () => fixture.tampering.fence('ledger_behind_anchor')],
    [
      '409 reviewer_ineligible',
      () => fixture.tampering.principal('anna', { columns: { enabled: false } }),
    ],
    [
      '401 unauthenticated',
      (_, own) => fixture.tampering.principal(own.producerId, { columns: { enabled: false } }),
    ],
  ])('is refused with %s', async (refusal, change) => {
    const { own, id, admission } = await claimed();
    await change(id, own);
    expect(await admission()).toBe(refusal);
  });

  it('is given as often as it is asked for, and every nonce serves once', async () => {
    const { id, admission } = await claimed();
    expect(await admission()).toBe('200');
    expect(await admission()).toBe('200');
    expect(await admission(reused)).toBe('200');
    expect(await admission(reused)).toBe('409 nonce_reused');
    const { rows } = await database.query(
      'SELECT admissions FROM lifecycle WHERE request_id = $1',
      [id],
    );
    expect(rows).toEqual([{ admissions: 3 }]);
  });
});

it('an outcome after an admission is refused when the request was damaged', async () => {
  const { id, admission, outcome } = await claimed();
  expect(await admission()).toBe('200');
  await fixture.tampering.damageRequest(id, ['summary'], 'Another');
  expect(await outcome()).toBe('409 material_integrity_mismatch');
});

describe('a confirmation after a proposal', () => {
  async function proposed() {
    const own = await fixture.newRoute('anna');
    const created = await own.producer.post('/v2/requests', executionInput(own.demo));
    const id = created.body.request.id as string;
    const path = `/v2/requests/${id}`;
    const candidate = await fixture.reviewers.anna.post(`${path}/candidates`, {
      response: { note: 'seen' },
      decision: 'authorise',
    });
    const confirmation = {
      candidate_id: candidate.body.id,
      candidate_digest: valueDigest(candidate.body),
    };
    return { id, confirm: () => said(fixture.reviewers.anna, `${path}/confirm`, confirmation) };
  }

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['409 request_not_pending', set({ review_deadline: new Date(0) })],
    [
      '409 material_integrity_mismatch',
      (id) => fixture.tampering.damageRequest(id, ['route'], 'x'),
    ],
    [
      '409 candidate_changed',
      (id) =>
        fixture.tampering.run(
          'UPDATE candidate SET live = false WHERE tenant = $1 AND request_id = $2',
          id,
        ),
    ],
    [
      '409 candidate_changed',
      // The same reviewer, elsewhere.
      (id) =>
        fixture.tampering.run(
          `INSERT INTO candidate SELECT tenant, request_id, reviewer, revision + 1, gen_random_uuid(), 'another', candidate, live,
             created_at FROM candidate WHERE tenant = $1 AND request_id = $2`,
          id,
        ),
    ],
    [
      '401 unauthenticated',
      () => fixture.tampering.principal('anna', { columns: { enabled: false } }),
    ],
  ])('is refused with %s', async (refusal, change) => {
    const { id, confirm } = await proposed();
    await change(id);
    expect(await confirm()).toBe(refusal);
  });

  it('is given once', async () => {
    const { confirm } = await proposed();
    expect(await confirm()).toBe('200');
    expect(await confirm()).toBe('409 request_not_pending');
  });
});
