import { randomUUID } from 'node:crypto';
import type { UUID } from 'node:crypto';
import type pg from 'pg';
import { DEFAULT_QUOTAS } from '@countersign/protocol';
import { codeOf, tally } from '../../support/answers.js';
import { Client, operatorOf } from '../../support/client.js';
import type { Answer } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { startInstance, workersOnly } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { newToken } from '../../support/people.js';
import { reviewInput } from '../../support/requests.js';
import { Tampering } from '../../support/tampering.js';
import { connectTo } from '../../support/truths.js';

// Quotas of protocol §9.2 and rates of R34, counted together by two replicas of gateway and request (R20): exact under parallel
// calls, unchanged by refused or repeated calls.

const PLACES = 25;
const CALLS = 40;

/** Per minute; others than the defaults, so that few calls show it. */
const RATES = { principal: 300, page: 15, health: 20, address: 300 };
/** More calls at once than the tests make: those limits are of each gateway alone. */
const ROOM = { CALLS_PER_PRINCIPAL: '100', CALLS_PER_TENANT: '200' };

let instance: Instance;
let demo: Demo;
let database: pg.Client;
let tampering: Tampering;
let operator: Client;

beforeAll(async () => {
  instance = await startInstance({
    quotas: true,
    split: true,
    replicas: { ...workersOnly('anchor', 'expiry'), gateway: 2, request: 2 },
    env: {
      ...Object.fromEntries(
        Object.entries(RATES).map(([name, rate]) => [`RATE_${name.toUpperCase()}`, String(rate)]),
      ),
      ...ROOM,
    },
  });
  demo = instance.demo;
  database = await connectTo(instance);
  tampering = new Tampering(database, demo.tenant);
  operator = operatorOf(demo);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

beforeEach(() => tampering.run('DELETE FROM quota_bucket WHERE tenant = $1'));

/** The setting of a bucket that holds so many and never fills up again. */
const bucket = (who: string, burst: number) => ({
  [`${who}_burst`]: burst,
  [`${who}_per_minute`]: 0,
});
/** No limit of the tenant hides the limits of principals under test. */
const ROOMY = {
  daily_tenant: 1_000_000,
  outstanding_tenant: 1_000_000,
  ...bucket('tenant', 1_000_000),
  ...bucket('owner', 1_000_000),
};

const ownRoute = (limits = {}) => newRoute(demo, operator, [demo.people[1]!.id], limits);
const create = (own: OwnRoute, changes: Record<string, unknown> = {}, key = randomUUID()) =>
  own.producer.post('/v2/requests', reviewInput(own.demo, changes), { key });
const atOnce = (call: () => Promise<Answer>) =>
  Promise.all(Array.from({ length: CALLS }, () => call()));

const HTML = 'x'.repeat(100);
const BUNDLE = { html: HTML, compatibility: { agent_ui: '2' }, author: 'A', licence: 'MIT' };
async function newPublisher(): Promise<{ id: string; client: Client }> {
  const [id, token] = [`publisher-${randomUUID()}`, newToken()];
  const config = { enabled: true };
  await operator.put(`/v2/admin/principals/${id}`, { id, kind: 'publisher', token, config });
  return { id, client: new Client(demo.origin, { token }) };
}

async function numberOf(sql: string): Promise<number> {
  const { rows } = await tampering.run(sql);
  return Number(rows[0]?.n ?? 0);
}
const today = `(clock_timestamp() AT TIME ZONE 'UTC')::date`;

describe(`of ${CALLS} creations at once with ${PLACES} places left exactly ${PLACES} are made, by`, () => {
  it.each<[string, string, () => Promise<Record<string, number>>]>([
    ['the day of the producer', 'daily_quota', async () => ({ daily_owner: PLACES })],
    ['the day of the route', 'daily_quota', async () => ({ daily_route: PLACES })],
    [
      'the day of the tenant',
      'daily_quota',
      async () => ({
        daily_tenant:
          PLACES +
          (await numberOf(
            `SELECT used AS n FROM quota_day WHERE tenant = $1 AND scope = 'tenant' AND day = ${today}`,
          )),
      }),
    ],
    [
      'what is open of the producer',
      'outstanding_quota',
      async () => ({ outstanding_owner: PLACES }),
    ],
    [
      'what is open of the tenant',
      'outstanding_quota',
      async () => ({
        outstanding_tenant:
          PLACES +
          (await numberOf(
            `SELECT count(*) AS n FROM lifecycle WHERE tenant = $1 AND decision = 'pending'`,
          )),
      }),
    ],
    ['the bucket of the producer', 'creation_rate', async () => bucket('owner', PLACES)],
    ['the bucket of the tenant', 'creation_rate', async () => bucket('tenant', PLACES)],
  ])('%s', async (_scope, code, amounts) => {
    const own = await ownRoute();
    await tampering.quotas({ ...ROOMY, ...(await amounts()) });
    const answers = await atOnce(() => create(own));
    expect(tally(answers)).toEqual({ 201: PLACES, [`429 ${code}`]: CALLS - PLACES });
    expect(codeOf(await create(own))).toBe(`429 ${code}`);
  });

  it('the space that the route leaves to its producer', async () => {
    await tampering.quotas(ROOMY);
    const limits = (places: number, bytes: number) => ({
      response_bytes: 1000,
      retained_bytes: places * bytes,
    });
    // Requests of routes that differ in digits alone have one size.
    const probe = await ownRoute(limits(PLACES, 20_000));
    const { body } = await create(probe);
    const { rows } = await tampering.run(
      'SELECT bytes FROM material WHERE tenant = $1 AND request_id = $2',
      body.request.id,
    );
    const bytes = Number(rows[0].bytes);
    const own = await ownRoute(limits(PLACES, bytes));
    const answers = await atOnce(() => create(own));
    expect(tally(answers)).toEqual({ 201: PLACES, '429 retained_quota': CALLS - PLACES });
    // A byte less is too little; discarding makes room. The limit is a digit shorter, and so is the request.
    const shorter = bytes - 1;
    const tight = await ownRoute({ response_bytes: 1000, retained_bytes: 2 * shorter - 1 });
    const first = await create(tight);
    expect([codeOf(first), codeOf(await create(tight))]).toEqual([201, '429 retained_quota']);
    await tight.producer.post(`/v2/requests/${first.body.request.id}/discard`);
    expect(codeOf(await create(tight))).toBe(201);
  });
});

describe(`of ${CALLS} bundles at once with ${PLACES} places left exactly ${PLACES} are registered, by`, () => {
  const roomy = { ...bucket('bundle_tenant', 1000), ...bucket('bundle_publisher', 1000) };
  const daily = { bundle_daily_tenant: 1000, bundle_daily_publisher: 1000 };
  const used = (scope: string) =>
    numberOf(
      `SELECT sum(used) AS n FROM quota_day WHERE tenant = $1 AND scope = '${scope}' AND day = ${today}`,
    );

  it.each<[string, string, () => Promise<Record<string, number>>]>([
    [
      'the day of the publisher',
      'bundle_daily_quota',
      async () => ({ bundle_daily_publisher: PLACES }),
    ],
    [
      'the day of the tenant',
      'bundle_daily_quota',
      async () => ({ bundle_daily_tenant: PLACES + (await used('bundle_tenant')) }),
    ],
    ['the bucket of the publisher', 'bundle_rate', async () => bucket('bundle_publisher', PLACES)],
    ['the bucket of the tenant', 'bundle_rate', async () => bucket('bundle_tenant', PLACES)],
    [
      'the space of the tenant',
      'retained_quota',
      async () => ({
        bundle_retained:
          PLACES * HTML.length +
          (await numberOf(
            `SELECT sum(bytes) AS n FROM retained WHERE tenant = $1 AND scope = 'publisher'`,
          )),
      }),
    ],
  ])('%s', async (_scope, code, amounts) => {
    const { client } = await newPublisher();
    await tampering.quotas({ ...daily, ...roomy, ...(await amounts()) });
    const answers = await atOnce(() => client.post('/v2/bundles', BUNDLE));
    expect(tally(answers)).toEqual({ 201: PLACES, [`429 ${code}`]: CALLS - PLACES });
  });

  it('nothing more where the requests of a producer of the publisher fill the space', async () => {
    const { id, client } = await newPublisher();
    await tampering.quotas({ ...ROOMY, ...daily, ...roomy });
    const own = await ownRoute();
    await own.putProducer({ publisher: id });
    expect(codeOf(await create(own))).toBe(201);
    const bundles = await numberOf(
      `SELECT sum(bytes) AS n FROM retained WHERE tenant = $1 AND scope = 'publisher'`,
    );
    const { rows } = await tampering.run(
      `SELECT sum(bytes) AS n FROM retained WHERE tenant = $1 AND scope = 'owner' AND subject = $2`,
      own.producerId,
    );
    // Enough for the bundles of all publishers, but not for this one with its largest producer (protocol §9.2).
    const bundle_retained = Math.max(bundles + HTML.length, Number(rows[0].n));
    await tampering.quotas({ ...ROOMY, ...daily, ...roomy, bundle_retained });
    expect(codeOf(await client.post('/v2/bundles', BUNDLE))).toBe('429 retained_quota');
  });
});

describe('a quota', () => {
  it('is used by creations, and by no refused or repeated call', async () => {
    const own = await ownRoute();
    await tampering.quotas({ ...ROOMY, daily_owner: 2 });
    const key = randomUUID();
    const first = await create(own, {}, key);
    for (let again = 0; again < 3; again += 1) {
      expect((await create(own, {}, key)).text).toBe(first.text);
      expect(codeOf(await create(own, { summary: '' }))).toBe('400 invalid_RequestInput');
      expect(codeOf(await create(own, { summary: 'Other' }, key))).toBe('409 idempotency_conflict');
    }
    expect(codeOf(await create(own))).toBe(201);
    expect(codeOf(await create(own))).toBe('429 daily_quota');
    // Known keys have their answer for ever (R28), and so has their conflict.
    expect((await create(own, {}, key)).text).toBe(first.text);
    expect(codeOf(await create(own, { summary: 'Other' }, key))).toBe('409 idempotency_conflict');
  });

  // A client calls again after a lost connection, and the gateway after a silent replica.
  it.each<[string, Record<string, number>, () => Promise<(key: UUID) => Promise<Answer>>]>([
    [
      'creation',
      { daily_owner: 1 },
      async () => {
        const own = await ownRoute();
        return (key) => create(own, {}, key);
      },
    ],
    [
      'bundle',
      { bundle_daily_publisher: 1, bundle_daily_tenant: 1000, ...bucket('bundle_tenant', 1000) },
      async () => {
        const { client } = await newPublisher();
        return (key) => client.post('/v2/bundles', BUNDLE, { key });
      },
    ],
  ])('refuses no try of the %s that takes its last place', async (_name, amounts, caller) => {
    await tampering.quotas({ ...ROOMY, ...amounts });
    for (let round = 0; round < 5; round += 1) {
      const [call, key] = [await caller(), randomUUID()];
      const answers = await atOnce(() => call(key));
      expect(tally(answers)).toEqual({ 201: CALLS });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  });

  it('of a day is used by replacements too, and given back by nothing', async () => {
    const own = await ownRoute();
    await tampering.quotas({ ...ROOMY, daily_owner: 2, outstanding_owner: 2 });
    const { body } = await create(own);
    const replaced = await own.producer.post(
      `/v2/requests/${body.request.id}/supersede`,
      reviewInput(own.demo),
    );
    expect(codeOf(replaced)).toBe(201);
    await own.producer.post(`/v2/requests/${replaced.body.request.id}/cancel`);
    expect(codeOf(await create(own))).toBe('429 daily_quota');
  });

  it('of open requests has room again once one is decided or over', async () => {
    const own = await ownRoute();
    await tampering.quotas({ ...ROOMY, outstanding_owner: 1 });
    const { body } = await create(own);
    expect(codeOf(await create(own))).toBe('429 outstanding_quota');
    await own.producer.post(`/v2/requests/${body.request.id}/cancel`);
    const second = await create(own);
    expect(codeOf(second)).toBe(201);
    // Its time is over though nothing has said so yet.
    await tampering.set('lifecycle', second.body.request.id, { review_deadline: new Date() });
    expect(codeOf(await create(own))).toBe(201);
  });

  it('is by default the protocol’s', async () => {
    await tampering.quotas({});
    const own = await ownRoute();
    const { burst } = DEFAULT_QUOTAS.creationRate.producer;
    const answers = await Promise.all(Array.from({ length: burst }, () => create(own)));
    expect(tally(answers)).toEqual({ 201: 20 });
    expect(codeOf(await create(own))).toBe('429 creation_rate');
    await tampering.quotas(ROOMY);
    await tampering.run(
      `UPDATE quota_day SET used = used - used + CASE subject WHEN $2 THEN 200 ELSE 0 END WHERE tenant = $1`,
      own.producerId,
    );
    expect(codeOf(await create(own))).toBe('429 daily_quota');
  });
});

describe('calls a minute are counted together', () => {
  const atOnce = (call: () => Promise<Answer>) => Promise.all(Array.from({ length: 50 }, call));

  /**
   * Calls until the bucket is empty. Its window begins with a call and lasts a minute (protocol R34), so calls of a shorter time
   * fall into two windows at most.
   */
  async function exhaust(
    bucketName: keyof typeof RATES,
    call: () => Promise<Answer>,
  ): Promise<{ accepted: number; most: number; as: string[] }> {
    const size = RATES[bucketName];
    const answers: Answer[] = [];
    const began = performance.now();
    while (tally(answers)['429 rate_limited'] === undefined) answers.push(...(await atOnce(call)));
    const windows = 2 + Math.floor((performance.now() - began) / 60_000);
    const { '429 rate_limited': refused = 0, ...accepted } = tally(answers);
    return {
      accepted: answers.length - refused,
      most: size * windows,
      as: Object.keys(accepted),
    };
  }

  /** Of a bucket that is as good as empty: calls until one more is refused, which says so as it should. */
  async function expectRefusal(
    bucketName: keyof typeof RATES,
    call: () => Promise<Answer>,
  ): Promise<void> {
    let refused: Answer | undefined;
    while (refused === undefined)
      refused = (await atOnce(call)).find((answer) => answer.status === 429);
    expectRefused(refused, bucketName);
  }

  function expectRefused(answer: Answer, bucketName: keyof typeof RATES): void {
    expect(codeOf(answer)).toBe('429 rate_limited');
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(answer.headers.get('ratelimit-policy')).toBe(
      `"${bucketName}";q=${RATES[bucketName]};w=60`,
    );
    expect(answer.headers.get('ratelimit')).toBe(`"${bucketName}";r=0;t=${seconds}`);
  }

  it('for each principal, for no other, and before faults of the call', async () => {
    const [own, other] = [await ownRoute(), await ownRoute()];
    const { accepted, most, as } = await exhaust('principal', () =>
      own.producer.get('/v2/nothing'),
    );
    expect(as).toEqual(['404 not_found']);
    expect(accepted).toBeGreaterThanOrEqual(RATES.principal);
    expect(accepted).toBeLessThanOrEqual(most);
    await expectRefusal('principal', () => create(own));
    expect((await other.producer.get('/v2/requests')).status).toBe(200);
    // Who is not known, or cannot prove to mean it, has no bucket to empty.
    const anybody = new Client(demo.origin, { token: 'x'.repeat(43) });
    expect(codeOf(await anybody.get('/v2/requests'))).toBe('401 unauthenticated');
  });

  it('for the state of the service', async () => {
    const health = () => new Client(demo.origin, null).get('/health');
    const { accepted, most, as } = await exhaust('health', health);
    expect(as).toEqual(['200']);
    expect(accepted).toBeGreaterThanOrEqual(RATES.health);
    expect(accepted).toBeLessThanOrEqual(most);
    await expectRefusal('health', health);
  });

  it('for the address of unauthenticated callers, and for no other caller', async () => {
    const anybody = new Client(demo.origin, null);
    const { accepted, most, as } = await exhaust('address', () => anybody.get('/v2/requests'));
    expect(as).toEqual(['401 unauthenticated']);
    expect(accepted).toBeLessThanOrEqual(most);
    await expectRefusal('address', () => anybody.get('/v2/requests'));
    expect((await anybody.get('/.well-known/proto')).status).toBe(200);
    const own = await ownRoute();
    for (const known of [operator, own.producer]) {
      expect((await known.get('/v2/requests')).status).toBe(200);
    }
  });
});
