import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import { decide, reviewInput, until } from '../../support/requests.js';
import { startDeliveryFixture } from './support/fixture.js';
import type { DeliveryFixture } from './support/fixture.js';

/** Shorter than any review of the other tests lasts. */
const SECONDS = 600;

/** Automatic reminders, over both stores that queues can have. */
describe.each([
  { name: 'queues in PostgreSQL, one process', split: false },
  { name: 'queues in Redis, two replicas of its worker', split: true },
])('$name', ({ split }) => {
  let fixture: DeliveryFixture;
  let reviewer: Client;

  beforeAll(async () => {
    fixture = await startDeliveryFixture({
      split,
      env: { AUTO_REMINDER_SECONDS: String(SECONDS) },
    });
    reviewer = await fixture.person(fixture.demo.people[1]!.id);
  });
  afterAll(() => fixture?.close());

  async function newRequest(
    reviewSeconds: number = DEFAULT_LIMITS.review_seconds,
  ): Promise<string> {
    const input = reviewInput(fixture.demo, { review_seconds: reviewSeconds });
    const created = await fixture.producer.post('/v2/requests', input);
    expect(created.status).toBe(201);
    return created.body.request.id as string;
  }

  async function reasonsOf(id: string): Promise<string[]> {
    const reasons: string[] = [];
    for (let after = 0; ;) {
      const page = (await fixture.producer.get(`/v2/events?after=${after}`)).body as {
        items: SignedRecord[];
        next: number;
      };
      if (page.items.length === 0) return reasons;
      const payloads = page.items.map(({ payload }) => payload as Record<string, string>);
      reasons.push(
        ...payloads
          .filter(({ request_id: requestId }) => requestId === id)
          .map(({ reason }) => reason as string),
      );
      after = page.next;
    }
  }

  const untilReminded = (id: string) =>
    until(
      () => reasonsOf(id),
      (reasons) => reasons.includes('reminder'),
    );

  async function remindedAt(id: string): Promise<Date | null> {
    const { rows } = await fixture.database.query<{ reminded_at: Date | null }>(
      'SELECT reminded_at FROM lifecycle WHERE request_id = $1',
      [id],
    );
    return rows[0]?.reminded_at ?? null;
  }

  async function dueOf(id: string): Promise<number> {
    const { body } = await fixture.producer.get(`/v2/requests/${id}`);
    return Date.parse(body.request.review_deadline) - SECONDS * 1000;
  }

  it('come once, when the deadline is near', async () => {
    const far = await newRequest();
    const near = await newRequest(SECONDS - 1);
    await untilReminded(near);
    // A caller is then refused for a day.
    const again = await fixture.producer.post(`/v2/requests/${near}/remind`);
    expect([again.status, again.body.error]).toEqual([429, 'reminder_limit']);
    // The sweep has passed over both again once it finds one that is newer.
    await untilReminded(await newRequest(SECONDS - 1));
    expect(await reasonsOf(near)).toEqual(['created', 'reminder']);
    expect(await reasonsOf(far)).toEqual(['created']);
  });

  it('have one effect of a job that comes many times, and none too early', async () => {
    const far = await newRequest();
    const near = await newRequest(SECONDS + 3);
    const flood = (requestId: string, delayMs: number) =>
      fixture.jobs.enqueueAll(
        'worker-reminder',
        Array.from({ length: 50 }, (_, index) => ({
          jobId: `flood-${requestId}-${delayMs}-${index}`,
          // With any time in the job.
          data: { tenant: fixture.demo.tenant, requestId, kind: 'reminder', due: 1 },
          delayMs,
        })),
      );
    await flood(far, 0);
    for (const delayMs of [0, 2500, 3000, 3500]) await flood(near, delayMs);
    await untilReminded(near);
    expect((await remindedAt(near))!.getTime()).toBeGreaterThanOrEqual(await dueOf(near));
    // Later than the last of the flood.
    await untilReminded(await newRequest(SECONDS + 2));
    expect(await reasonsOf(near)).toEqual(['created', 'reminder']);
    expect(await reasonsOf(far)).toEqual(['created']);
  });

  it('do not come a day after the last one, also over supersession', async () => {
    const first = await newRequest();
    expect((await fixture.producer.post(`/v2/requests/${first}/remind`)).status).toBe(200);
    const input = reviewInput(fixture.demo, { review_seconds: SECONDS - 1 });
    const replaced = await fixture.producer.post(`/v2/requests/${first}/supersede`, input);
    const second = replaced.body.request.id as string;
    expect(await remindedAt(second)).toEqual(await remindedAt(first));
    await untilReminded(await newRequest(SECONDS - 1));
    expect(await reasonsOf(second)).toEqual(['created']);
    // As if that had been two days ago.
    await fixture.database.query(
      `UPDATE lifecycle SET reminded_at = reminded_at - interval '2 days' WHERE request_id = $1`,
      [second],
    );
    await untilReminded(second);
  });

  it('are not sent for decided requests', async () => {
    const id = await newRequest(SECONDS + 5);
    expect((await decide(reviewer, id, 'answer')).status).toBe(200);
    const due = Date.now() - 1000;
    const data = { tenant: fixture.demo.tenant, requestId: id, kind: 'reminder', due };
    await fixture.jobs.enqueue('worker-reminder', `decided-${id}`, data);
    await untilReminded(await newRequest(SECONDS - 1));
    expect(await reasonsOf(id)).not.toContain('reminder');
  });

  it('are mailed to the reviewers', async () => {
    const [, ruth] = fixture.demo.people;
    await fixture.configurePerson(ruth!.id, { email: 'ruth@example.org', email_verified: true });
    const id = await newRequest(SECONDS - 1);
    await fixture.untilDelivered(id, 'smtp', 2);
    const subjects = fixture.mail
      .mailsTo('ruth@example.org')
      .filter(({ raw }) => raw.includes(id))
      .map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim());
    expect(subjects.sort()).toEqual([
      'A review is waiting for you',
      'Reminder: a review is waiting for you',
    ]);
  });
});
