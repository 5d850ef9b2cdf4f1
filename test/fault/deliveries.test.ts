import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SignedRecord } from '@countersign/protocol';
import { startDeliveryFixture } from '../e2e/deliveries/support/fixture.js';
import type { DeliveryFixture } from '../e2e/deliveries/support/fixture.js';
import type { Received } from '../e2e/deliveries/support/receiver.js';
import { reviewInput, until } from '../support/requests.js';
import { insist, newAttempts } from './support/insist.js';
import { inParallel } from './support/lifecycles.js';
import { keepDown, untilStoreAnswers } from './support/outage.js';
import { kill9, replicasOf, untilServing } from './support/processes.js';
import type { Replica } from './support/processes.js';
import { report } from './support/report.js';

/** Shorter than a stopped worker stays away: another one takes its jobs meanwhile. */
const LOCK_SECONDS = 2;
const AWAY_MS = 5_000;
const REQUESTS = 60;
const DOWN_MS = 2_000;
/** A worker's own grace, and that of the launcher. */
const GONE_WITHIN_MS = 15_000;

/** Events that should have been delivered and were not, by their ids. */
export function untold(due: readonly string[], received: readonly string[]): string[] {
  const known = new Set(received);
  return due.filter((id) => !known.has(id));
}

/** Invariant I9 and I11 for webhooks: delivered at least once after any loss, and once without one. */
describe('deliveries while stores and workers come and go', () => {
  let fixture: DeliveryFixture;
  let path: string;

  beforeAll(async () => {
    fixture = await startDeliveryFixture({
      split: true,
      env: { WORKER_LOCK_SECONDS: String(LOCK_SECONDS) },
    });
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    path = `/hook/${randomUUID()}`;
    await fixture.configureProducer({ webhook: fixture.receiver.url(path) });
  });

  const got = () => fixture.receiver.at(path);
  const workers = () => untilServing(fixture.instance, 'worker-delivery', 2);

  async function newRequest(): Promise<string> {
    const created = await fixture.producer.post('/v2/requests', reviewInput(fixture.demo));
    expect(created.status).toBe(201);
    return created.body.request.id as string;
  }

  /** Ids of the events of these requests, as the feed has them. */
  async function eventsOf(requestIds: readonly string[]): Promise<string[]> {
    const events: string[] = [];
    for (let after = 0; ;) {
      const page = (await fixture.producer.get(`/v2/events?after=${after}`)).body as {
        items: SignedRecord[];
        next: number;
      };
      if (page.items.length === 0) return events;
      const payloads = page.items.map(({ payload }) => payload as Record<string, string>);
      events.push(
        ...payloads
          .filter(({ request_id: id }) => requestIds.includes(id as string))
          .map(({ event_id: id }) => id as string),
      );
      after = page.next;
    }
  }

  it('the check finds a planted fault', () => {
    expect(untold(['a', 'b'], ['b', 'a', 'a'])).toEqual([]);
    expect(untold(['a', 'b'], ['b', 'b'])).toEqual(['a']);
  });

  it('every event is delivered though NATS and Redis lose all their data, and the receiver fails', async () => {
    let answers = 0;
    fixture.receiver.answer(path, (response) => {
      answers += 1;
      response.writeHead(answers % 4 === 0 ? 500 : 204).end();
    });
    const attempts = newAttempts();
    const end = performance.now() + DOWN_MS;
    const lasts = () => performance.now() < end;
    const [ids] = await Promise.all([
      inParallel(REQUESTS, 4, async () => {
        const body = reviewInput(fixture.demo);
        const created = await insist(fixture.producer, attempts, '/v2/requests', { body });
        expect(created.status).toBe(201);
        await delay(30);
        return created.body.request.id as string;
      }),
      delay(200).then(() => keepDown(fixture.instance, 'nats', lasts)),
      delay(200).then(() => keepDown(fixture.instance, 'redis', lasts)),
    ]);
    await untilStoreAnswers(fixture.instance, 'redis');
    const due = await until(
      () => eventsOf(ids),
      (events) => events.length >= REQUESTS,
    );
    const told = () => got().map(eventIdOf);
    await until(
      async () => untold(due, told()),
      (missing) => missing.length === 0,
      60_000,
    );
    const statuses = await until(
      async () => (await Promise.all(ids.map((id) => fixture.deliveriesOf(id, 'webhook')))).flat(),
      (all) => all.every(({ state }) => state === 'accepted'),
      60_000,
    );
    expect(statuses).toHaveLength(due.length);
    report(
      `deliveries: ${due.length} events, NATS and Redis emptied for ${DOWN_MS} ms, a quarter of the answers 500: ` +
        `${got().length} requests, ${untold(due, told()).length} events untold`,
    );
  });

  it('a worker that stands still past its lock sends nothing twice, nor does its replacement', async () => {
    const releases: (() => void)[] = [];
    fixture.receiver.answer(path, async (response) => {
      await new Promise<void>((resume) => releases.push(resume));
      response.writeHead(204).end();
    });
    const many = 8;
    const ids = await inParallel(many, 4, newRequest);
    await until(
      async () => got().length,
      (count) => count === many,
    );
    const standing = await workers();
    for (const { pid } of standing.slice(0, 1)) process.kill(pid, 'SIGSTOP');
    await delay(AWAY_MS);
    for (const release of releases) release();
    for (const { pid } of standing.slice(0, 1)) process.kill(pid, 'SIGCONT');
    const all = (
      await Promise.all(ids.map((id) => fixture.untilDelivered(id, 'webhook', 1)))
    ).flat();
    // Jobs that were taken from the one that stood still have been done by the other: nothing came of them.
    await delay(LOCK_SECONDS * 1000 + 1000);
    expect(all.map(({ state, attempts }) => [state, attempts])).toEqual(
      Array.from({ length: many }, () => ['accepted', 1]),
    );
    expect(got()).toHaveLength(many);
  });

  it('deliveries of a killed worker are sent again once its claim has ended', async () => {
    let first = true;
    fixture.receiver.answer(path, async (response) => {
      if (first) {
        first = false;
        return void (await new Promise((resume) => response.once('close', resume)));
      }
      response.writeHead(204).end();
    });
    const id = await newRequest();
    await until(
      async () => got().length,
      (count) => count === 1,
    );
    for (const worker of await workers()) kill9(worker);
    await workers();
    const [held] = await fixture.deliveriesOf(id, 'webhook');
    expect(held).toMatchObject({ state: 'pending', attempts: 1 });
    expect(got()).toHaveLength(1);
    // As if 300 s had passed.
    await fixture.database.query(
      `UPDATE delivery SET next_at = clock_timestamp() WHERE request_id = $1 AND claim_id IS NOT NULL`,
      [id],
    );
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'accepted', attempts: 2 });
  });

  it('a digest under way in a killed worker is not sent a second time', async () => {
    const { database, mail, demo } = fixture;
    const [, ruth, ravi] = demo.people.map(({ id }) => id) as [string, string, string];
    for (const id of [ruth, ravi]) {
      await fixture.configurePerson(id, { email: `${id}@example.org`, email_verified: true });
      const choice = {
        ...{ mails: 'digest', quiet: null, time_zone: 'UTC', language: 'en' },
        // Half a day from now.
        digest_hours: [(new Date().getUTCHours() + 12) % 24],
      };
      const person = await fixture.person(id);
      expect((await person.post('/auth/notifications', choice)).status).toBe(200);
    }
    await newRequest();
    const comes = async (id: string) => {
      await until(
        async () =>
          (await database.query('SELECT planned FROM mail_preference WHERE principal = $1', [id]))
            .rows[0]?.planned,
        (planned) => planned === true,
        30_000,
      );
      await database.query(
        'UPDATE mail_preference SET next_at = clock_timestamp() WHERE principal = $1',
        [id],
      );
    };
    mail.take('silent');
    await comes(ruth);
    await until(
      async () => mail.offered(),
      (many) => many === 1,
      30_000,
    );
    for (const worker of await workers()) kill9(worker);
    await workers();
    mail.take('accept');
    // A digest that is due later comes after any that would be repeated.
    await comes(ravi);
    await until(
      async () => mail.mailsTo(`${ravi}@example.org`).length,
      (many) => many === 1,
      30_000,
    );
    expect(mail.offered()).toBe(2);
    expect(mail.mailsTo(`${ruth}@example.org`)).toEqual([]);
    const { rows } = await database.query<{ hours: number }>(
      `SELECT extract(epoch FROM next_at - clock_timestamp())::float8 / 3600 AS hours
       FROM mail_preference WHERE principal = $1`,
      [ruth],
    );
    expect(rows[0]!.hours).toBeGreaterThan(1);
  });

  it('a worker that is asked to stop releases its unsent deliveries, and ends in time', async () => {
    let hangs = true;
    fixture.receiver.answer(path, async (response) => {
      if (hangs) return void (await new Promise((resume) => response.once('close', resume)));
      response.writeHead(204).end();
    });
    const id = await newRequest();
    await until(
      async () => got().length,
      (count) => count === 1,
    );
    const began = performance.now();
    const asked = await workers();
    for (const { pid } of asked) process.kill(pid, 'SIGTERM');
    await until(
      async () => gone(asked),
      (all) => all,
      GONE_WITHIN_MS + 5_000,
    );
    expect(performance.now() - began).toBeLessThan(GONE_WITHIN_MS);
    hangs = false;
    const [status] = await fixture.untilDelivered(id, 'webhook', 1);
    expect(status).toMatchObject({ state: 'accepted', attempts: 2 });
    report(
      `deliveries: gone ${(performance.now() - began).toFixed(0)} ms after SIGTERM, sent by another`,
    );
  });

  function gone(asked: readonly Replica[]): boolean {
    const there = new Set(replicasOf(fixture.instance, 'worker-delivery').map(({ pid }) => pid));
    return asked.every(({ pid }) => !there.has(pid));
  }
});

function eventIdOf({ body }: Received): string {
  const { payload } = JSON.parse(body.toString('utf8')) as SignedRecord;
  return (payload as { event_id: string }).event_id;
}
