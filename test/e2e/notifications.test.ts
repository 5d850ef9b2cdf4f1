import type { Client } from '../support/client.js';
import { personOf, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { connectTo } from '../support/truths.js';

const PATH = '/auth/notifications';
const CHOICE = {
  mails: 'digest',
  digest_hours: [8, 16],
  quiet: { from: '22:00', until: '06:30' },
  time_zone: 'Europe/Berlin',
  language: 'de',
};

/** A person's own choice of notifications, as the page reads and saves it. */
let instance: Instance;
let ruth: Client;
let ravi: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  [ruth, ravi] = await Promise.all([
    personOf(demo, dataDirectory, 'reviewer-1'),
    personOf(demo, dataDirectory, 'reviewer-2'),
  ]);
});
afterAll(() => instance?.stop());

it('is empty until a choice is made, and then that person’s alone', async () => {
  expect((await ruth.get(PATH)).body).toEqual({ preferences: null });
  const saved = await ruth.post(PATH, CHOICE);
  expect([saved.status, saved.body]).toEqual([200, { preferences: CHOICE }]);
  expect((await ruth.get(PATH)).body).toEqual({ preferences: CHOICE });
  expect((await ravi.get(PATH)).body).toEqual({ preferences: null });
});

it('is recorded in the security log, once for each change, without its values but the kind of mails', async () => {
  await ravi.post(PATH, { ...CHOICE, mails: 'none' });
  await ravi.post(PATH, { ...CHOICE, mails: 'none' });
  await ravi.post(PATH, { ...CHOICE, mails: 'at_once' });
  const database = await connectTo(instance);
  try {
    const { rows } = await database.query(
      `SELECT actor, subject, detail FROM (
         SELECT id AS place, kind, actor, subject, detail FROM security_event UNION ALL
         SELECT sequence, kind, actor, subject, entry::jsonb -> 'detail' FROM security_entry
       ) e WHERE kind = 'notifications.changed' AND actor = 'reviewer-2' ORDER BY place`,
    );
    expect(rows.map(({ detail }) => detail).sort(byMails)).toEqual([
      { mails: 'at_once' },
      { mails: 'none' },
    ]);
    expect(rows.every(({ subject }) => subject === 'reviewer-2')).toBe(true);
  } finally {
    await database.end();
  }
});

const byMails = (a: { mails: string }, b: { mails: string }) => a.mails.localeCompare(b.mails);

it('refuses a choice that makes no sense, says why, and keeps the one before', async () => {
  await ruth.post(PATH, CHOICE);
  const cases: [object, RegExp][] = [
    [{ ...CHOICE, digest_hours: [] }, /names no hour/],
    [{ ...CHOICE, digest_hours: [23] }, /quiet hours/],
    [{ ...CHOICE, time_zone: 'Europe/Nowhere' }, /time zone/],
    [{ ...CHOICE, principal: 'reviewer-2' }, /exactly these members/],
  ];
  for (const [choice, why] of cases) {
    const { status, body } = await ruth.post(PATH, choice);
    expect([status, body.error]).toEqual([400, 'invalid_notifications']);
    expect(body.detail).toMatch(why);
  }
  expect((await ruth.get(PATH)).body).toEqual({ preferences: CHOICE });
});

it('is for people with a session alone', async () => {
  const { status, body } = await producerOf(instance.demo).get(PATH);
  expect([status, body.error]).toEqual([403, 'human_required']);
});
