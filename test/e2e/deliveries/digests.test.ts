import { randomUUID } from 'node:crypto';
import type { Client } from '../../support/client.js';
import { decide, reviewInput, until } from '../../support/requests.js';
import { startDeliveryFixture } from './support/fixture.js';
import type { DeliveryFixture } from './support/fixture.js';
import { readMail } from './support/mail-server.js';

const PATH = '/auth/notifications';
/** Half a day from now: none comes by itself while the tests run. */
const hour = () => (new Date().getUTCHours() + 12) % 24;

/** Mails as people choose them, over both stores that queues can have. */
describe.each([
  { name: 'queues in PostgreSQL, one process', split: false },
  { name: 'queues in Redis, two replicas of the worker', split: true },
])('$name', ({ split }) => {
  let fixture: DeliveryFixture;
  let ruth: Client;
  let ravi: Client;
  let at: { ruth: string; ravi: string };

  beforeAll(async () => {
    fixture = await startDeliveryFixture({ split });
    const [, first, second] = fixture.demo.people;
    [ruth, ravi] = await Promise.all([fixture.person(first!.id), fixture.person(second!.id)]);
  });
  afterAll(() => fixture?.close());

  beforeEach(async () => {
    const address = (name: string) => `${name}.${randomUUID().slice(0, 8)}@example.org`;
    at = { ruth: address('ruth'), ravi: address('ravi') };
    fixture.mail.take('accept');
    await give('reviewer-1', at.ruth);
    await give('reviewer-2', at.ravi);
    await fixture.database.query('DELETE FROM mail_window');
    await fixture.database.query('DELETE FROM mail_preference');
  });

  const give = (id: string, email: string) =>
    fixture.configurePerson(id, { email, email_verified: true });

  const choose = async (person: Client, choice: Record<string, unknown> = {}) => {
    const digest = { mails: 'digest', digest_hours: [hour()], quiet: null };
    const saved = await person.post(PATH, {
      ...{ ...digest, time_zone: 'UTC', language: 'en' },
      ...choice,
    });
    expect(saved.status).toBe(200);
  };

  const newRequest = async (input: Record<string, unknown> = {}) => {
    const created = await fixture.producer.post('/v2/requests', reviewInput(fixture.demo, input));
    expect(created.status).toBe(201);
    return created.body.request.id as string;
  };

  interface Row {
    readonly next_at: Date | null;
    readonly planned: boolean;
    readonly claim_id: string | null;
    readonly attempts: number;
  }
  const rowOf = async (id: string): Promise<Row> => {
    const { rows } = await fixture.database.query<Row>(
      'SELECT next_at, planned, claim_id, attempts FROM mail_preference WHERE principal = $1',
      [id],
    );
    return rows[0] as Row;
  };
  /** Resolves once the worker has planned the next digest of that person, and no attempt is under way. */
  const untilPlanned = (id: string) =>
    until(
      () => rowOf(id),
      (row) => row.planned && row.claim_id === null && Number(row.next_at) > Date.now() + 3_600_000,
      30_000,
    );
  /** As if the hour of the planned digest had come. */
  const comes = async (...ids: string[]) => {
    for (const id of ids) await untilPlanned(id);
    await fixture.database.query(
      'UPDATE mail_preference SET next_at = clock_timestamp() WHERE principal = ANY ($1)',
      [ids],
    );
  };
  const untilMailed = (address: string, many: number) =>
    until(
      async () => fixture.mail.mailsTo(address),
      (mails) => mails.length >= many,
      30_000,
    );
  const withoutOthers = async () => {
    const { body } = await fixture.producer.get('/v2/requests?state=pending');
    for (const { id } of body.items as { id: string }[]) {
      await fixture.producer.post(`/v2/requests/${id}/cancel`, {});
    }
  };

  it('one mail lists everything that waits, with links, and nothing else of the requests', async () => {
    await withoutOthers();
    await choose(ruth);
    const late = await newRequest({ summary: 'Is <b>this</b> right?', review_seconds: 7200 });
    const soon = await newRequest({ summary: 'The soonest', review_seconds: 3600 });
    const decided = await newRequest({ summary: 'Decided by then' });
    expect((await decide(ravi, decided, 'answer')).status).toBe(200);
    await fixture.untilDelivered(late, 'smtp', 1);
    await fixture.untilDelivered(soon, 'smtp', 1);
    expect(fixture.mail.mailsTo(at.ravi).length).toBeGreaterThanOrEqual(2);
    expect(fixture.mail.mailsTo(at.ruth)).toEqual([]);

    await comes('reviewer-1');
    const [mail] = await untilMailed(at.ruth, 1);
    await untilPlanned('reviewer-1');
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(1);
    const { headers, text, html } = readMail(mail!);
    expect(headers['subject']).toBe('2 reviews are waiting for you');
    const { origin } = fixture.demo;
    const lines = text.split('\n');
    expect([lines[0], lines[2], lines[4], lines[6], lines[8]]).toEqual([
      '2 reviews are waiting for you.',
      'The soonest',
      `${origin}/review/${soon}`,
      'Is <b>this</b> right?',
      `${origin}/review/${late}`,
    ]);
    expect(lines[3]).toMatch(/^Deadline: .* \(UTC\)$/);
    expect(lines.slice(9)).toEqual([
      '',
      'Inbox:',
      `${origin}/inbox`,
      '',
      'This mail cannot approve anything: decisions are made on the page, after login.',
      '',
    ]);
    expect(html).toContain('Is &lt;b&gt;this&lt;/b&gt; right?');
  });

  it('no mail is sent when nothing waits', async () => {
    await withoutOthers();
    await choose(ruth);
    await comes('reviewer-1');
    await untilPlanned('reviewer-1');
    expect(fixture.mail.mailsTo(at.ruth)).toEqual([]);
  });

  it('one digest is sent of a job that comes many times', async () => {
    await newRequest();
    await choose(ruth);
    await untilPlanned('reviewer-1');
    await fixture.jobs.enqueueAll(
      'worker-delivery',
      Array.from({ length: 60 }, (_, index) => ({
        jobId: `flood-${index}-${randomUUID()}`,
        data: {
          ...{ tenant: fixture.demo.tenant, requestId: '', kind: 'digest.reviewer-1', due: 1 },
        },
        delayMs: index < 20 ? 0 : 300,
      })),
    );
    await comes('reviewer-1');
    await untilMailed(at.ruth, 1);
    await untilPlanned('reviewer-1');
    // Ravi's comes after everything that was queued before it.
    await choose(ravi);
    await comes('reviewer-2');
    await untilMailed(at.ravi, 1);
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(1);
  });

  it('a refused digest is tried again, and one that was perhaps taken is not', async () => {
    await newRequest();
    fixture.mail.take('refuse');
    await choose(ruth);
    await comes('reviewer-1');
    await until(
      () => rowOf('reviewer-1'),
      ({ attempts }) => attempts >= 2,
      30_000,
    );
    fixture.mail.take('accept');
    await untilMailed(at.ruth, 1);
    await untilPlanned('reviewer-1');
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(1);
    const { rows } = await fixture.database.query(
      'SELECT sum(sent)::integer AS sent FROM mail_window WHERE recipient = $1',
      ['reviewer-1'],
    );
    expect(rows).toEqual([{ sent: 1 }]);

    fixture.mail.take('silent');
    const offered = fixture.mail.offered();
    await comes('reviewer-1');
    await until(
      async () => fixture.mail.offered(),
      (many) => many > offered,
      30_000,
    );
    await until(
      async () => (await rowOf('reviewer-1')).next_at,
      (next) => Number(next) > Date.now() + 3_600_000,
    );
    fixture.mail.take('accept');
    await choose(ravi);
    await comes('reviewer-2');
    await untilMailed(at.ravi, 1);
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(1);
  });

  it('a person who wants no mail gets none, and none that waited before the choice', async () => {
    fixture.mail.take('refuse');
    const id = await newRequest();
    await until(
      () => fixture.deliveriesOf(id, 'smtp'),
      (mails) => mails.length === 2 && mails.every(({ error }) => error !== null),
      30_000,
    );
    await choose(ruth, { mails: 'none' });
    fixture.mail.take('accept');
    const ended = await fixture.untilDelivered(id, 'smtp', 2);
    expect(ended.map(({ state }) => state).sort()).toEqual(['accepted', 'expired']);
    const next = await newRequest();
    await fixture.untilDelivered(next, 'smtp', 1);
    expect(fixture.mail.mailsTo(at.ruth)).toEqual([]);
    const about = fixture.mail
      .mailsTo(at.ravi)
      .filter(({ raw }) => [id, next].some((each) => raw.includes(`Request: ${each}`)));
    expect(about).toHaveLength(2);
  });

  it('mail waits for the end of quiet hours, and is in the language of its reader', async () => {
    const now = new Date();
    const clock = (minutes: number) =>
      new Date(now.getTime() + minutes * 60_000).toISOString().slice(11, 16);
    const quiet = { from: clock(-120), until: clock(120) };
    await choose(ruth, { mails: 'at_once', quiet, language: 'de' });
    const over = await newRequest();
    const kept = await newRequest({ summary: 'Rechnung 17' });
    const waits = async (id: string) => {
      const { rows } = await fixture.database.query<{ next_at: Date; attempts: number }>(
        `SELECT next_at, attempts FROM delivery
         WHERE request_id = $1 AND kind = 'smtp' AND recipient = 'reviewer-1'`,
        [id],
      );
      return rows[0];
    };
    for (const id of [over, kept]) {
      const row = await until(
        () => waits(id),
        (found) => found !== undefined && Number(found.next_at) > Date.now() + 60_000,
        30_000,
      );
      expect(row!.attempts).toBe(0);
      expect(row!.next_at.toISOString().slice(11, 16)).toBe(quiet.until);
    }
    expect((await decide(ravi, over, 'answer')).status).toBe(200);
    // As if the quiet hours were over.
    const later = { from: clock(120), until: clock(240) };
    await choose(ruth, { mails: 'at_once', quiet: later, language: 'de' });
    await fixture.database.query(
      `UPDATE delivery SET next_at = clock_timestamp() WHERE request_id = ANY ($1::uuid[]) AND state = 'pending'`,
      [[over, kept]],
    );
    const [mail] = await untilMailed(at.ruth, 1);
    await until(
      () => fixture.deliveriesOf(over, 'smtp'),
      (mails) => mails.some(({ state }) => state === 'expired'),
      30_000,
    );
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(1);
    const { text } = readMail(mail!);
    expect(text).toContain('Eine Prüfung wartet auf Sie.');
    expect(text).toContain('Zusammenfassung: Rechnung 17');
  });
});
