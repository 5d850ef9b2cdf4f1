import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { codeOf, tally } from '../../support/answers.js';
import { Client, operatorOf, personOf } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { inParallel } from '../../support/parallel.js';
import { authorisedRequest, claimInput, reviewInput, until } from '../../support/requests.js';
import { Tampering } from '../../support/tampering.js';
import { connectTo } from '../../support/truths.js';

// How long pages and leases are, and how often the same may be done (protocol §9.2, §9.5).

let instance: Instance;
let demo: Demo;
let database: pg.Client;
let tampering: Tampering;
let operator: Client;
let reviewer: Client;
let second: Client;

beforeAll(async () => {
  instance = await startInstance();
  demo = instance.demo;
  database = await connectTo(instance);
  tampering = new Tampering(database, demo.tenant);
  operator = operatorOf(demo);
  [reviewer, second] = (await Promise.all(
    [demo.people[1], demo.people[2]].map((person) =>
      personOf(demo, instance.dataDirectory, person!.id),
    ),
  )) as [Client, Client];
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const ownRoute = () => newRoute(demo, operator, [demo.people[1]!.id, demo.people[2]!.id]);

async function newRequest(own: OwnRoute, changes: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await own.producer.post('/v2/requests', reviewInput(own.demo, changes));
  expect(status).toBe(201);
  return body.request.id;
}

describe('a page', () => {
  it('of events has 100, and says where the next one starts', async () => {
    const own = await ownRoute();
    await inParallel(Array(55).fill(null), 5, async () => {
      const id = await newRequest(own);
      expect((await own.producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
    });
    const page = (after: number | string) => own.producer.get(`/v2/events?after=${after}`);
    await until(
      () => page(109),
      ({ body }) => body.items.length === 1,
    );
    const first = await own.producer.get('/v2/events');
    expect([first.body.items.length, first.body.next]).toEqual([100, 100]);
    const last = await page(100);
    expect([last.body.items.length, last.body.next]).toEqual([10, 110]);
    const ids = [...first.body.items, ...last.body.items].map(({ payload }) => payload.event_id);
    expect(new Set(ids).size).toBe(110);
    expect((await page(110)).body).toEqual({ items: [], next: 110 });
    expect((await page(99_999_999)).body).toEqual({ items: [], next: 99_999_999 });
    expect((await page('00000100')).body.next).toBe(110);
    for (const after of ['100000000', '-1', '1.0', '1e1', '%201', '', '0x1', '１']) {
      expect([after, codeOf(await page(after))]).toEqual([after, '400 invalid_offset']);
    }
  });

  it('of the ledger has 100 entries without a gap', async () => {
    const page = (after: number) => operator.get(`/v2/admin/ledger?after=${after}`);
    await until(
      () => page(100),
      ({ body }) => body.length > 0,
    );
    const { body } = await page(0);
    const sequences = body.map(({ sequence }: { sequence: string }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 100 }, (_, n) => String(n + 1)));
    expect((await page(100)).body[0]).toMatchObject({
      sequence: '101',
      previous_head: body[99].head,
    });
    expect((await page(99_999_999)).body).toEqual([]);
  });

  it('of requests starts at 100000 at most, though there are more', async () => {
    const { other } = demo;
    await database.query(
      `WITH n AS (SELECT gen_random_uuid() AS id, now() - x * interval '1 s' AS at FROM generate_series(1, 100100) x), r AS (
         INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical)
         SELECT $1, id, $2, 'review', 'review', 'One of many', '', '{}' FROM n)
       INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
         accepted_at, review_deadline, private_delete_at, audit_delete_at)
       SELECT $1, id, $2, 'review', 'cancelled', 'unanchored', 'not_applicable', 'not_applicable', 2, 2, at, at, at, at FROM n`,
      [other.tenant, other.producer.id],
    );
    const producer = new Client(demo.origin, { token: other.producer.token });
    const page = async (offset: number) => {
      const { body } = await producer.get(`/v2/requests?offset=${offset}`);
      return [body.items.length, body.next_offset];
    };
    expect(await page(99_949)).toEqual([50, 99_999]);
    expect(await page(99_950)).toEqual([50, 100_000]);
    expect(await page(99_951)).toEqual([50, null]);
    expect(await page(100_000)).toEqual([50, null]);
    expect(codeOf(await producer.get('/v2/requests?offset=100001'))).toBe('400 invalid_offset');
  });

  it('of deliveries in a status has 30, of incidents 50, the newest first', async () => {
    const id = await newRequest(await ownRoute());
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
    for (let n = 1; n <= 51; n += 1) {
      if (n <= 31) {
        await tampering.run(
          `INSERT INTO delivery (tenant, id, request_id, kind, state, attempts, created_at)
           VALUES ($1, $2, $3, 'webhook', 'accepted', $4, $5)`,
          randomUUID(),
          id,
          n,
          at(n),
        );
      }
      await tampering.run(
        'INSERT INTO incident (tenant, id, code, created_at) VALUES ($1, $2, $3, $4)',
        randomUUID(),
        'delivery_failed',
        at(n),
      );
    }
    const { delivery } = (await operator.get(`/v2/requests/${id}`)).body;
    const attempts = delivery.map((one: { attempts: number }) => one.attempts);
    expect(attempts).toEqual(Array.from({ length: 30 }, (_, n) => 31 - n));
    const { incidents } = (await operator.get('/v2/admin/metrics')).body;
    const times = incidents.map((one: { created_at: string }) => one.created_at);
    expect(times).toEqual(Array.from({ length: 50 }, (_, n) => at(51 - n)));
  });
});

describe('a lease', () => {
  it('lasts 300 s, from each renewal on, under the same id', async () => {
    const id = await newRequest(await ownRoute());
    const lease = async () => {
      const { rows } = await database.query('SELECT clock_timestamp() AS now');
      const { body } = await reviewer.post(`/v2/requests/${id}/assignment`);
      return { id: body.id, lasts: Date.parse(body.expires_at) - rows[0].now.getTime() };
    };
    const [first, renewed] = [await lease(), await lease()];
    expect(renewed.id).toBe(first.id);
    for (const { lasts } of [first, renewed]) {
      expect(lasts).toBeGreaterThanOrEqual(300_000);
      expect(lasts).toBeLessThan(305_000);
    }
    const taken = await second.post(`/v2/requests/${id}/assignment`);
    expect(codeOf(taken)).toBe('409 review_assigned');
    await tampering.run('UPDATE assignment SET expires_at = now() WHERE tenant = $1');
    const next = await second.post(`/v2/requests/${id}/assignment`);
    expect([next.status, next.body.id === first.id]).toEqual([200, false]);
  });

  it('ends with the review at the latest', async () => {
    const own = await ownRoute();
    const id = await newRequest(own, { review_seconds: 60 });
    const { body } = await reviewer.post(`/v2/requests/${id}/assignment`);
    const { request } = (await own.producer.get(`/v2/requests/${id}`)).body;
    expect(body.expires_at).toBe(request.review_deadline);
  });
});

describe('the same', () => {
  it('request has 32 candidates of each reviewer (R9)', async () => {
    const id = await newRequest(await ownRoute());
    const propose = (by: Client, n: number) =>
      by.post(`/v2/requests/${id}/candidates`, { response: { note: `${n}` }, decision: 'answer' });
    for (let n = 1; n <= 32; n += 1) {
      const { status, body } = await propose(reviewer, n);
      expect([status, body.revision]).toEqual([201, n]);
    }
    expect(codeOf(await propose(reviewer, 33))).toBe('429 proposal_revision_limit');
    const { status, body } = await propose(second, 1);
    expect([status, body.revision]).toEqual([201, 1]);
  });

  it('claim has 64 admissions, however many ask at once', async () => {
    const own = await ownRoute();
    const granted = await authorisedRequest(own.demo, own.producer, reviewer);
    const path = `/v2/requests/${granted.body.request.id}`;
    const input = claimInput(granted);
    const claim = await own.producer.post(`${path}/claims`, input);
    const admit = (nonce: string) =>
      own.producer.post(
        `${path}/admission`,
        { claim_id: claim.body.payload.id, nonce, execution_identity: input.execution_identity },
        { key: null },
      );
    const nonces = Array.from({ length: 60 }, (_, n) => `nonce-of-16-bytes-${n}`);
    // Each has to see the one before, so that they are made again when they meet; not too many at once.
    const first = await inParallel(nonces, 2, admit);
    expect(new Set(first.map(codeOf))).toEqual(new Set([200]));
    const rest = await Promise.all(
      Array.from({ length: 6 }, (_, n) => admit(`nonce-of-another-${n}`)),
    );
    expect(rest.map(codeOf).sort()).toEqual([
      ...Array(4).fill(200),
      ...Array(2).fill('429 admission_check_limit'),
    ]);
    // A nonce that was used is no more news than any other.
    expect(codeOf(await admit(nonces[0]!))).toBe('429 admission_check_limit');
  });

  it('request is reminded of once in 86400 s, by any caller and with any replacement', async () => {
    const own = await ownRoute();
    const id = await newRequest(own);
    const remind = (of: string, by = own.producer) => by.post(`/v2/requests/${of}/remind`);
    const reminded = (secondsAgo: number, of: string) =>
      tampering.run(
        `UPDATE lifecycle SET reminded_at = clock_timestamp() - $3 * interval '1 s' WHERE tenant = $1 AND request_id = $2`,
        of,
        secondsAgo,
      );
    expect(codeOf(await remind(id))).toBe(200);
    for (const by of [own.producer, operator]) {
      expect(codeOf(await remind(id, by))).toBe('429 reminder_limit');
    }
    const next = await own.producer.post(`/v2/requests/${id}/supersede`, reviewInput(own.demo));
    const nextId = next.body.request.id;
    expect(codeOf(await remind(nextId))).toBe('429 reminder_limit');
    await reminded(86_390, nextId);
    const refused = await remind(nextId);
    expect(codeOf(refused)).toBe('429 reminder_limit');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(5);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
    await reminded(86_400, nextId);
    expect(codeOf(await remind(nextId))).toBe(200);
  });

  it('request is cancelled for all simultaneous callers', async () => {
    const own = await ownRoute();
    const id = await newRequest(own);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => own.producer.post(`/v2/requests/${id}/cancel`)),
    );
    expect(tally(answers)).toEqual({ 200: 30 });
  });

  it('request is reminded of once when many ask at once', async () => {
    const own = await ownRoute();
    const id = await newRequest(own);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => own.producer.post(`/v2/requests/${id}/remind`)),
    );
    expect(answers.map(codeOf).sort()).toEqual([200, ...Array(7).fill('429 reminder_limit')]);
  });
});
