import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalText, verifyRecord } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import {
  authorisedRequest,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../../support/requests.js';
import type { Received } from './support/receiver.js';
import { startDeliveryFixture } from './support/fixture.js';
import type { DeliveryStatus, DeliveryFixture } from './support/fixture.js';

const SECRET_BYTES = Buffer.from('a secret of thirty-two bytes, or so');
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`;

interface Told {
  readonly delivery: SignedRecord;
  readonly event: SignedRecord;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly reason: string;
}

/** Webhooks as a receiver of them sees it, over both stores that queues can have (protocol §11.4, §11.5). */
describe.each([
  { name: 'queues in PostgreSQL, one process', split: false },
  { name: 'queues in Redis, two replicas of its worker', split: true },
])('$name', ({ split }) => {
  let fixture: DeliveryFixture;
  let reviewer: Client;

  beforeAll(async () => {
    fixture = await startDeliveryFixture({ split });
    reviewer = await fixture.person(fixture.demo.people[1]!.id);
  });
  afterAll(() => fixture?.close());

  /** A path of its own for each test, so that none gets the events of another one's requests. */
  let path: string;
  beforeEach(() => {
    path = `/hook/${randomUUID()}`;
  });

  const listen = (config: { webhook_secret?: string } = {}) =>
    fixture.configureProducer({ webhook: fixture.receiver.url(path), ...config });

  async function newRequest(input: Record<string, unknown> = reviewInput(fixture.demo)) {
    const created = await fixture.producer.post('/v2/requests', input);
    expect(created.status).toBe(201);
    return created.body.request.id as string;
  }

  async function one(requestId: string): Promise<DeliveryStatus> {
    const [only, ...more] = await fixture.deliveriesOf(requestId, 'webhook');
    expect(more).toEqual([]);
    return only as DeliveryStatus;
  }

  const got = () => fixture.receiver.at(path);
  const untilGot = (many: number, withinMs = 20_000) =>
    until(
      async () => got(),
      (all) => all.length >= many,
      withinMs,
    );

  /** Acts as a careful receiver (protocol §11.5) and returns the content. */
  function verified({ body, at }: Received): Told {
    const { trust, demo } = fixture;
    const text = body.toString('utf8');
    const delivery = JSON.parse(text) as SignedRecord;
    expect(canonicalText(delivery)).toBe(text);
    const common = { audience: demo.producer.id, tenant: demo.tenant };
    const outer = { ...common, type: 'WebhookDelivery', purpose: 'service', profiles: {} } as const;
    expect(verifyRecord(delivery, trust, { ...outer, now: at })).toMatchObject({ ok: true });
    const payload = delivery.payload as {
      delivery_id: string;
      event_id: string;
      timestamp: string;
      event: SignedRecord;
    };
    expect(Object.keys(payload).sort()).toEqual(['delivery_id', 'event', 'event_id', 'timestamp']);
    expect(payload.timestamp).toBe(delivery.protected.issued_at);
    expect(Math.abs(at - Date.parse(payload.timestamp))).toBeLessThan(15_000);
    const { event } = payload;
    const inner = { ...common, type: 'RequestChangedEvent' } as const;
    expect(verifyRecord(event, trust, inner)).toMatchObject({ ok: true });
    const changed = event.payload as { event_id: string; reason: string };
    expect(changed.event_id).toBe(payload.event_id);
    return {
      delivery,
      event,
      deliveryId: payload.delivery_id,
      eventId: payload.event_id,
      reason: changed.reason,
    };
  }

  it('sends each event once, in the bytes of the protocol', async () => {
    await listen();
    const status = await authorisedRequest(fixture.demo, fixture.producer, reviewer);
    const id = status.body.request.id as string;
    const told = await fixture.untilDelivered(id, 'webhook', 3);
    expect(told.map(({ state, attempts, error }) => [state, attempts, error])).toEqual(
      Array.from({ length: 3 }, () => ['accepted', 1, null]),
    );
    const requests = got();
    const all = requests.map(verified);
    expect(all.map(({ reason }) => reason).sort()).toEqual([
      'anchor_accepted',
      'created',
      'decision',
    ]);
    expect(new Set(all.map(({ deliveryId }) => deliveryId)).size).toBe(3);
    const feed = (await fixture.producer.get('/v2/events')).text;
    for (const { event } of all) expect(feed).toContain(canonicalText(event));
    for (const { method, rawHeaders, body } of requests) {
      expect(method).toBe('POST');
      expect(rawHeaders).toEqual([
        ...['Host', `localhost:${fixture.receiver.port}`],
        ...['Content-Type', 'application/json'],
        ...['Content-Length', String(body.length)],
        ...['Connection', 'close'],
      ]);
    }
  });

  it('signs in the form of Standard Webhooks for a producer with a secret', async () => {
    await listen({ webhook_secret: SECRET });
    const id = await newRequest();
    await untilGot(1);
    const [request] = got();
    const { headers, body } = request!;
    const stamped = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.toString()}`;
    const expected = createHmac('sha256', SECRET_BYTES).update(stamped).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${expected}`);
    const { delivery } = verified(request!);
    const issued = Date.parse(delivery.protected.issued_at);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(issued / 1000)));
    expect(headers['webhook-id']).toBe((await one(id)).id);
  });

  it('never shows the secret', async () => {
    await listen({ webhook_secret: SECRET });
    const id = await newRequest();
    await fixture.untilDelivered(id, 'webhook', 1);
    const { rows: tables } = await fixture.database.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c WHERE c.relkind = 'r'
         AND c.relnamespace IN ('public'::regnamespace, 'bullmq'::regnamespace)`,
    );
    const places: string[] = [];
    for (const { name } of tables) {
      const { rowCount } = await fixture.database.query(
        `SELECT 1 FROM ${name} x WHERE position($1 IN x::text) > 0 LIMIT 1`,
        [SECRET.slice('whsec_'.length)],
      );
      if (rowCount !== 0) places.push(name);
    }
    expect(places).toEqual(['webhook_secret']);
    const logs = join(fixture.instance.dataDirectory, 'logs');
    for (const name of readdirSync(logs)) {
      const log = readFileSync(join(logs, name), 'utf8');
      // Nor where it goes: a path may be a secret too.
      expect([name, log.includes(SECRET), log.includes(path)]).toEqual([name, false, false]);
    }
    // A configuration replaces the one before (protocol §7 request.configure-principal).
    await listen();
    await newRequest();
    await untilGot(2);
    expect(got()[1]?.headers).not.toHaveProperty('webhook-signature');
  });

  it('tries again, with an id of its own for each attempt and one for all of them', async () => {
    await listen({ webhook_secret: SECRET });
    fixture.receiver.answer(path, (response) => {
      response.writeHead(got().length < 3 ? 500 : 200).end('whatever');
    });
    const id = await newRequest();
    await untilGot(1);
    await until(
      () => one(id),
      ({ error }) => error !== null,
    );
    expect(await one(id)).toMatchObject({ state: 'pending', error: 'delivery_failed' });
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'accepted', attempts: 3, error: null });
    const all = got();
    expect(all).toHaveLength(3);
    const told = all.map(verified);
    expect(new Set(told.map(({ deliveryId }) => deliveryId)).size).toBe(3);
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(1);
    expect(new Set(all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([status!.id]));
    // After 2 s and 4 s, and the delay of a sweep.
    const pauses = [all[1]!.at - all[0]!.at, all[2]!.at - all[1]!.at];
    expect(pauses[0]).toBeGreaterThanOrEqual(1900);
    expect(pauses[1]).toBeGreaterThanOrEqual(3900);
  });

  it('takes a redirect for a failure and does not follow it', async () => {
    await listen();
    const elsewhere = `/elsewhere/${randomUUID()}`;
    fixture.receiver.answer(path, (response) => {
      response.writeHead(307, { location: fixture.receiver.url(elsewhere) }).end();
    });
    const id = await newRequest();
    await until(
      () => one(id),
      (delivery) => delivery?.error === 'delivery_failed',
    );
    expect(fixture.receiver.at(elsewhere)).toEqual([]);
    fixture.receiver.answer(path, (response) => void response.writeHead(204).end());
    await fixture.untilDelivered(id, 'webhook', 1);
  });

  it('takes a 2xx after ten seconds for a failure, and waits no longer', async () => {
    await listen();
    let gaveUp = (_ms: number): void => {};
    const late = new Promise<number>((resolve) => (gaveUp = resolve));
    fixture.receiver.answer(path, (response) => {
      if (got().length > 1) return void response.writeHead(204).end();
      const start = performance.now();
      response.once('close', () => {
        gaveUp(performance.now() - start);
        response.writeHead(200).end();
      });
    });
    const id = await newRequest();
    await until(
      () => one(id),
      (delivery) => delivery?.error === 'delivery_failed',
      20_000,
    );
    // The end of the connection may be seen after the failure that it led to.
    expect(await late).toBeGreaterThan(8_000);
    expect(await late).toBeLessThan(12_000);
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'accepted', attempts: 2 });
  });

  describe('when the destination changes while something is sent', () => {
    it.each([
      [200, { state: 'accepted', error: null }],
      [500, { state: 'failed', error: 'destination_changed' }],
    ])('and the answer is %i', async (answer, expected) => {
      await listen();
      let release: () => void = () => {};
      fixture.receiver.answer(path, async (response) => {
        await new Promise<void>((resume) => (release = resume));
        response.writeHead(answer).end();
      });
      const id = await newRequest();
      await untilGot(1);
      await fixture.configureProducer({ webhook: fixture.receiver.url('/other') });
      release();
      const [status] = await fixture.untilDelivered(id, 'webhook', 1);
      expect(status).toMatchObject({ ...expected, attempts: 1 });
      expect(fixture.receiver.at('/other').filter((r) => r.body.includes(id))).toEqual([]);
    });

    it('fails unsent once the producer has no webhook any more', async () => {
      await listen();
      fixture.receiver.answer(path, (response) => void response.writeHead(500).end());
      const id = await newRequest();
      await until(
        () => one(id),
        (delivery) => delivery?.error === 'delivery_failed',
      );
      const before = got().length;
      await fixture.configureProducer({});
      const [status] = await fixture.untilDelivered(id, 'webhook', 1);
      expect(status).toMatchObject({ state: 'failed', error: 'destination_changed' });
      expect(got()).toHaveLength(before);
    });
  });

  it('fails a delivery unsent after a day', async () => {
    await listen();
    fixture.receiver.answer(path, (response) => void response.writeHead(500).end());
    const id = await newRequest();
    await until(
      () => one(id),
      (delivery) => delivery?.error === 'delivery_failed',
    );
    await fixture.database.query(
      `UPDATE delivery SET created_at = created_at - interval '1 day', next_at = clock_timestamp()
       WHERE request_id = $1 AND claim_id IS NULL`,
      [id],
    );
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'failed', error: 'delivery_window_expired' });
    expect(status!.attempts).toBe(got().length);
  });

  it('is sent once however often its job comes, also while it is sent', async () => {
    await listen();
    let release: () => void = () => {};
    // The first is held until it is released; later ones are answered at once.
    fixture.receiver.answer(path, async (response) => {
      if (got().length === 1) await new Promise<void>((resume) => (release = resume));
      response.writeHead(204).end();
    });
    const id = await newRequest();
    await untilGot(1);
    const { id: deliveryId } = await one(id);
    const { rows } = await fixture.database.query<{ lease: number }>(
      `SELECT extract(epoch FROM next_at - clock_timestamp())::float8 AS lease FROM delivery WHERE id = $1`,
      [deliveryId],
    );
    // Its sender holds the claim for 300 s.
    expect(rows[0]!.lease).toBeGreaterThan(250);
    const double = (what: string) => flood(what, id, deliveryId);
    await double('during');
    release();
    await fixture.untilDelivered(id, 'webhook', 1);
    await double('after');
    expect(about(id)).toHaveLength(1);
    expect(await one(id)).toMatchObject({ state: 'accepted', attempts: 1 });
  });

  it('makes nothing of a job that names nothing', async () => {
    await listen();
    await flood('unknown', randomUUID(), randomUUID());
    const { rows } = await fixture.database.query(
      'SELECT 1 FROM delivery WHERE request_id IS NULL',
    );
    expect(rows).toEqual([]);
  });

  const about = (id: string) => got().filter(({ body }) => body.includes(`"request_id":"${id}"`));

  /** Twenty jobs of one delivery; resolves when the jobs queued after them are done. */
  async function flood(what: string, requestId: string, deliveryId: string): Promise<void> {
    const kind = `webhook.${deliveryId}`;
    const data = { tenant: fixture.demo.tenant, requestId, kind, due: Date.now() };
    const many = Array.from({ length: 20 }, (_, index) => `${what}-${deliveryId}-${index}`);
    await fixture.jobs.enqueueAll(
      'worker-delivery',
      many.map((jobId) => ({ jobId, data, delayMs: 0 })),
    );
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await fixture.untilDelivered(await newRequest(), 'webhook', 1);
    }
  }

  it('is sent though its job is lost', async () => {
    await listen();
    fixture.receiver.answer(path, (response) => {
      response.writeHead(got().length === 1 ? 500 : 204).end();
    });
    const id = await newRequest();
    await until(
      () => one(id),
      (delivery) => delivery?.error === 'delivery_failed',
    );
    if (fixture.redis === null) {
      await fixture.database.query(`DELETE FROM bullmq.job WHERE queue LIKE '%worker-delivery'`);
    } else {
      await fixture.redis.flushall();
    }
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'accepted', attempts: 2 });
  });

  it('is for the events after the webhook was configured, and until it is removed', async () => {
    await fixture.configureProducer({});
    const id = await newRequest();
    expect(await fixture.deliveriesOf(id, 'webhook')).toEqual([]);
    await fixture.untilFollowed();
    await listen();
    expect((await decide(reviewer, id, 'answer')).status).toBe(200);
    await fixture.untilDelivered(id, 'webhook', 2);
    await fixture.configureProducer({});
    expect((await fixture.producer.post(`/v2/requests/${id}/cancel`)).status).toBe(200);
    await fixture.untilFollowed();
    expect(
      got()
        .map(verified)
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(['anchor_accepted', 'decision']);
  });

  it('keeps one tenant and one owner from another', async () => {
    await listen();
    const id = await newRequest(executionInput(fixture.demo));
    await fixture.untilDelivered(id, 'webhook', 1);
    for (const request of got()) {
      const { delivery, event } = verified(request);
      const own = { tenant: fixture.demo.tenant, audience: fixture.demo.producer.id };
      expect(delivery.protected).toMatchObject(own);
      expect(event.protected).toMatchObject(own);
    }
  });
});
