import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { Client } from '../../support/client.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionBinding,
  reviewInput,
  until,
} from '../../support/requests.js';
import { readMail } from './support/mail-server.js';
import type { ReceivedMail } from './support/mail-server.js';
import { startDeliveryFixture } from './support/fixture.js';
import type { DeliveryStatus, DeliveryFixture } from './support/fixture.js';

/** Mail as its recipients see it (protocol §11.6, §7 notifier.remind). */
let fixture: DeliveryFixture;
let reviewer: Client;
let owner: string;
let ruth: string;
let ravi: string;

beforeAll(async () => {
  fixture = await startDeliveryFixture({ split: false });
  [owner, ruth, ravi] = fixture.demo.people.map(({ id }) => id) as [string, string, string];
  reviewer = await fixture.person(ruth);
});
afterAll(() => fixture?.close());

/** Addresses of their own for each test. */
interface Addresses {
  readonly owner: string;
  readonly ruth: string;
  readonly ravi: string;
}
let at: Addresses;

beforeEach(async () => {
  const address = (name: string) => `${name}.${randomUUID().slice(0, 8)}@example.org`;
  at = { owner: address('olivia'), ruth: address('ruth'), ravi: address('ravi') };
  fixture.mail.take('accept');
  await give(owner, at.owner);
  await give(ruth, at.ruth);
  await give(ravi, at.ravi);
  // Each test has the whole hour.
  await fixture.database.query('DELETE FROM mail_window');
});

const give = (id: string, email: string) =>
  fixture.configurePerson(id, { email, email_verified: true });

async function newRequest(input: Record<string, unknown> = reviewInput(fixture.demo)) {
  const created = await fixture.producer.post('/v2/requests', input);
  expect(created.status).toBe(201);
  return created.body.request.id as string;
}

const untilMailed = (address: string, many: number, withinMs = 20_000): Promise<ReceivedMail[]> =>
  until(
    async () => fixture.mail.mailsTo(address),
    (mails) => mails.length >= many,
    withinMs,
  );

const mailsOf = (id: string) => fixture.deliveriesOf(id, 'smtp');

const untilMails = (id: string, enough: (mails: DeliveryStatus[]) => boolean, withinMs = 20_000) =>
  until(() => mailsOf(id), enough, withinMs);

const subjectsTo = (address: string) =>
  fixture.mail.mailsTo(address).map((mail) => readMail(mail).headers['subject']);

it('sends the reviewers of a new request its summary, deadline and link', async () => {
  const summary = 'Is <b>this</b> right & true — déjà vu?';
  const id = await newRequest(reviewInput(fixture.demo, { summary }));
  await fixture.untilDelivered(id, 'smtp', 2);
  const { body: status } = await fixture.producer.get(`/v2/requests/${id}`);
  for (const address of [at.ruth, at.ravi]) {
    const [mail, ...more] = fixture.mail.mailsTo(address);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: 'reviews@example.org', to: [address] });
    const { headers, text, html } = readMail(mail!);
    expect(headers).toMatchObject({
      from: 'Countersign <reviews@example.org>',
      to: address,
      subject: 'A review is waiting for you',
      'auto-submitted': 'auto-generated',
    });
    expect(text).toBe(`A review is waiting for you.

Request: ${id}
Summary: ${summary}
Deadline: ${status.request.review_deadline}

${fixture.demo.origin}/review/${id}

This mail cannot approve anything: decisions are made on the page, after login.
`);
    expect(html).toContain('Is &lt;b&gt;this&lt;/b&gt; right &amp; true — déjà vu?');
    expect(html).toContain(`<a href="${status.review_link}">`);
  }
  expect(fixture.mail.mailsTo(at.owner)).toEqual([]);
});

it('mails one address once', async () => {
  await give(ravi, at.ruth.toUpperCase());
  const id = await newRequest();
  const mails = await fixture.untilDelivered(id, 'smtp', 1);
  expect(mails[0]).toMatchObject({ state: 'accepted', attempts: 1, error: null });
  expect(fixture.mail.mails.filter(({ raw }) => raw.includes(id))).toHaveLength(1);
});

it('sends no mail to people who are disabled or have no address', async () => {
  await fixture.configurePerson(ravi, { enabled: false, email: at.ravi, email_verified: true });
  await fixture.configurePerson(ruth, {});
  const id = await newRequest();
  await fixture.untilFollowed();
  expect(await mailsOf(id)).toEqual([]);
  await give(ruth, at.ruth);
  await give(ravi, at.ravi);
  expect((await fixture.producer.post(`/v2/requests/${id}/remind`)).status).toBe(200);
  await fixture.untilDelivered(id, 'smtp', 2);
  const reminder = ['Reminder: a review is waiting for you'];
  expect([subjectsTo(at.ruth), subjectsTo(at.ravi)]).toEqual([reminder, reminder]);
});

it('mails the requester about a decision and an open grant', async () => {
  const status = await authorisedRequest(fixture.demo, fixture.producer, reviewer);
  const id = status.body.request.id as string;
  await fixture.untilDelivered(id, 'smtp', 4);
  const expected = ['Your request may be executed', 'Your request was decided'];
  expect([...subjectsTo(at.owner)].sort()).toEqual(expected);
  for (const mail of fixture.mail.mailsTo(at.owner)) {
    expect(readMail(mail).text).toContain(status.body.receipt.payload.grant_deadline);
  }
});

it('does not mail about a grant that never opened', async () => {
  const id = await newRequest();
  expect((await decide(reviewer, id, 'answer')).status).toBe(200);
  await until(
    () => fixture.producer.get(`/v2/requests/${id}`),
    ({ body }) => body.audit_state === 'anchored',
  );
  await fixture.untilDelivered(id, 'smtp', 3);
  expect(subjectsTo(at.owner)).toEqual(['Your request was decided']);
});

it('mails the operators that an outcome is overdue', async () => {
  await fixture.configurePerson(ravi, { operator: true, email: at.ravi, email_verified: true });
  const execution = executionBinding({ execution_seconds: 1 });
  const status = await authorisedRequest(fixture.demo, fixture.producer, reviewer, { execution });
  const id = status.body.request.id as string;
  const claimed = await fixture.producer.post(`/v2/requests/${id}/claims`, claimInput(status));
  expect(claimed.status).toBe(201);
  // As if the grant had been given an hour earlier.
  await fixture.database.query(
    `UPDATE lifecycle SET grant_deadline = clock_timestamp() - interval '5 seconds' WHERE request_id = $1`,
    [id],
  );
  await fixture.database.query(
    `UPDATE deadline SET due = clock_timestamp() - interval '1 second'
     WHERE request_id = $1 AND kind = 'reconciliation'`,
    [id],
  );
  await fixture.untilDelivered(id, 'smtp', 5);
  const overdue = 'An execution has not told its outcome and must be reconciled';
  expect(subjectsTo(at.ravi)).toEqual(['A review is waiting for you', overdue]);
  expect([...subjectsTo(at.ruth), ...subjectsTo(at.owner)]).not.toContain(overdue);
});

it('says that it mails', async () => {
  const id = await newRequest();
  const reminded = await fixture.producer.post(`/v2/requests/${id}/remind`);
  expect(reminded.body).toEqual({ request_id: id, notification: 'queued' });
  expect((await fixture.producer.get('/.well-known/proto')).body.notifications).toBe('smtp');
  expect((await fixture.producer.get('/health')).body.notifications).toBe('smtp');
});

it('drops unsent mail with the private material, and mails the requester', async () => {
  fixture.mail.take('refuse');
  const id = await newRequest();
  await untilMails(id, (mails) => mails.length === 2 && mails.every(({ error }) => error !== null));
  expect((await fixture.producer.post(`/v2/requests/${id}/discard`)).status).toBe(200);
  await untilMails(id, (mails) => mails.filter(({ state }) => state === 'expired').length === 2);
  fixture.mail.take('accept');
  await fixture.untilDelivered(id, 'smtp', 3);
  expect(subjectsTo(at.owner)).toEqual(['The private material of your request was deleted']);
  expect([fixture.mail.mailsTo(at.ruth), fixture.mail.mailsTo(at.ravi)]).toEqual([[], []]);
});

it('fails when the recipient reviews no more', async () => {
  const { review: route } = fixture.demo.routes;
  const config = {
    reviewers: [ruth, ravi],
    separation_of_duties: true,
    limits: DEFAULT_LIMITS,
    required_profiles: {},
    allowed_producers: [fixture.demo.producer.id, owner],
    modes: [],
  };
  fixture.mail.take('refuse');
  const id = await newRequest();
  await untilMails(id, (mails) => mails.length === 2 && mails.every(({ error }) => error !== null));
  const changed = { ...config, reviewers: [ruth] };
  expect((await fixture.operator.put(`/v2/admin/routes/${route}`, changed)).status).toBe(200);
  fixture.mail.take('accept');
  const mails = await fixture.untilDelivered(id, 'smtp', 2);
  expect(mails.map(({ state, error }) => `${state} ${error}`).sort()).toEqual([
    'accepted null',
    'failed destination_changed',
  ]);
  expect(fixture.mail.mailsTo(at.ravi)).toEqual([]);
  expect((await fixture.operator.put(`/v2/admin/routes/${route}`, config)).status).toBe(200);
});

it('does not know whether a server that never answers took a mail, and tries again', async () => {
  fixture.mail.take('silent');
  await fixture.configurePerson(ravi, {});
  const id = await newRequest();
  const offered = fixture.mail.offered();
  const [late] = await untilMails(id, (mails) => mails[0]?.error === 'smtp_timeout');
  expect(fixture.mail.offered()).toBeGreaterThan(offered - 1);
  expect(late?.state).toBe('pending');
  fixture.mail.take('accept');
  const [mail] = await fixture.untilDelivered(id, 'smtp', 1);
  expect(mail).toMatchObject({ state: 'accepted', error: null });
  // One at least that timed out, and the one that was taken; a busy machine sees more of the first kind.
  expect(mail!.attempts).toBeGreaterThan(1);
  const [received] = fixture.mail.mailsTo(at.ruth);
  expect(readMail(received!).headers['message-id']).toBe(`<${mail!.id}@localhost>`);
  // A mail that was perhaps taken counts.
  expect(await sentTo(ruth)).toEqual([mail!.attempts]);
});

describe('in one hour', () => {
  it('a person gets ten mails, and the next waits for the next hour', async () => {
    await fixture.configurePerson(ravi, {});
    const ids = await Promise.all(Array.from({ length: 12 }, () => newRequest()));
    const settled = async () => {
      const mails = (await Promise.all(ids.map(mailsOf))).flat();
      const { rows } = await fixture.database.query<{ waits: number }>(
        `SELECT extract(epoch FROM next_at - date_trunc('hour', clock_timestamp()))::float8 AS waits FROM delivery
         WHERE request_id = ANY ($1::uuid[]) AND kind = 'smtp' AND state = 'pending'
           AND claim_id IS NULL AND next_at > clock_timestamp()`,
        [ids],
      );
      return { sent: mails.filter(({ state }) => state === 'accepted').length, waiting: rows };
    };
    const { sent, waiting } = await until(
      settled,
      (seen) => seen.sent + seen.waiting.length === ids.length,
    );
    const windows = await sentTo(ruth);
    expect(windows.every((many) => many <= 10)).toBe(true);
    expect(windows.reduce((sum, many) => sum + many, 0)).toBe(sent);
    // Unless the hour has changed meanwhile.
    if (windows.length > 1) return;
    expect(sent).toBe(10);
    expect(waiting).toEqual([{ waits: 3600 }, { waits: 3600 }]);
    expect(fixture.mail.mailsTo(at.ruth)).toHaveLength(10);
    const waits = (await Promise.all(ids.map(mailsOf))).flat();
    expect(waits.filter(({ state }) => state === 'pending')).toMatchObject([
      { attempts: 0, error: null },
      { attempts: 0, error: null },
    ]);
    // As if the hour had come.
    await fixture.database.query(
      `UPDATE mail_window SET hour = hour - interval '1 hour' WHERE recipient = $1`,
      [ruth],
    );
    await fixture.database.query(
      `UPDATE delivery SET next_at = clock_timestamp() WHERE request_id = ANY ($1::uuid[]) AND state = 'pending'`,
      [ids],
    );
    await untilMailed(at.ruth, 12);
    await until(settled, (seen) => seen.sent === 12);
  });

  it('refused mail does not count', async () => {
    await fixture.configurePerson(ravi, {});
    fixture.mail.take('refuse');
    const id = await newRequest();
    await untilMails(id, (mails) => (mails[0]?.attempts ?? 0) >= 2 && mails[0]?.error !== null);
    expect((await sentTo(ruth)).reduce((sum, many) => sum + many, 0)).toBeLessThanOrEqual(1);
    fixture.mail.take('accept');
    await fixture.untilDelivered(id, 'smtp', 1);
    expect((await sentTo(ruth)).reduce((sum, many) => sum + many, 0)).toBe(1);
  });
});

it('holds up no webhook while the mail server hangs, nor the other way round', async () => {
  fixture.mail.take('silent');
  const path = `/hook/${randomUUID()}`;
  await fixture.configureProducer({ webhook: fixture.receiver.url(path) });
  const id = await newRequest();
  const [webhook] = await fixture.untilDelivered(id, 'webhook', 1);
  expect(webhook).toMatchObject({ state: 'accepted' });
  expect((await mailsOf(id)).every(({ state }) => state === 'pending')).toBe(true);
  await fixture.configureProducer({});
});

async function sentTo(recipient: string): Promise<number[]> {
  const { rows } = await fixture.database.query<{ sent: number }>(
    'SELECT sent FROM mail_window WHERE recipient = $1 ORDER BY hour',
    [recipient],
  );
  return rows.map(({ sent }) => sent);
}
