import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import { until } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import { EXTENDED, Voters, newReview, policyWith, stagesOf } from '../../support/voting.js';
import { selfSigned } from '../deliveries/support/certificate.js';
import { readMail, startMailServer } from '../deliveries/support/mail-server.js';
import type { MailServer } from '../deliveries/support/mail-server.js';

// Whom mails about a request go to that several people decide (protocol §11.6).

const PEOPLE = ['fin-1', 'fin-2', 'plat-1', 'sales-1', 'chief-1'] as const;
const [FIN, OTHER, PLAT, SALES, CHIEF] = PEOPLE;
const POLICY = policyWith({
  stages: stagesOf({ finance: 2 }, { platform: 1 }),
  distinct_by: 'person',
  exclude: { publisher_people: false, operators: true },
});
const AGREED = 'A review is waiting for you, after others have agreed';
const CREATED = 'A review is waiting for you';

let folder: string;
let mail: MailServer;
let instance: Instance;
let database: pg.Client;
let voters: Voters;

beforeAll(async () => {
  const certificate = selfSigned(['localhost']);
  folder = mkdtempSync(join(tmpdir(), 'countersign-mails-'));
  const trusted = join(folder, 'mail.pem');
  writeFileSync(trusted, certificate.cert);
  mail = await startMailServer({ certificate });
  instance = await startInstance({
    people: PEOPLE,
    env: {
      CAPABILITIES: 'proto.approval',
      NODE_EXTRA_CA_CERTS: trusted,
      MAIL_FROM: 'Countersign <reviews@example.org>',
      SMTP_URL: `smtp://localhost:${mail.port}`,
    },
  });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    const address = { email: `${id}@example.org`, email_verified: true };
    await voters.putHuman(id, id === CHIEF ? { ...address, operator: true } : address);
  }
  for (const id of [FIN, OTHER, CHIEF]) await voters.putMembership(id, ['finance']);
  await voters.putMembership(PLAT, ['platform']);
  await voters.putMembership(SALES, ['sales']);
  mail.take('accept');
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
  await mail?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Who gets mails about a request, each with its subject, once the chain was followed and all of them are sent. */
async function mailed(request: string): Promise<string[]> {
  await until(
    async () => {
      const { rows } = await database.query<{ open: boolean }>(
        `SELECT EXISTS (SELECT FROM outbox) OR EXISTS (SELECT FROM delivery WHERE state = 'pending' AND recipient <> '')
           OR EXISTS (SELECT FROM ledger_head h LEFT JOIN delivery_cursor c USING (tenant)
             WHERE h.sequence > coalesce(c.sequence, 0)) AS open`,
      );
      return rows[0]?.open;
    },
    (open) => open === false,
  );
  return PEOPLE.flatMap((id) =>
    mail
      .mailsTo(`${id}@example.org`)
      .map(readMail)
      .filter(({ text }) => text.includes(request))
      .map(({ headers }) => `${id}: ${headers['subject']}`),
  );
}

it('tells people with a seat in the open stage, and the next ones when a stage opens', async () => {
  const own = await voters.routeWith(POLICY);
  const request = await newReview(own);
  const created = [`${FIN}: ${CREATED}`, `${OTHER}: ${CREATED}`];
  expect(await mailed(request)).toEqual(created);
  const candidate = await voters.freeze(FIN, request);
  await voters.vote(FIN, request, candidate);
  expect(await mailed(request)).toEqual(created);
  const reminded = await own.producer.post(`/v2/requests/${request}/remind`, {}, EXTENDED);
  expect(reminded.status).toBe(200);
  const afterReminder = [...created, `${OTHER}: Reminder: a review is waiting for you`];
  expect(await mailed(request)).toEqual(afterReminder);
  await voters.vote(OTHER, request, candidate);
  const opened = [...afterReminder, `${PLAT}: ${AGREED}`];
  expect(await mailed(request)).toEqual(opened);
  await voters.vote(PLAT, request, candidate);
  expect(await mailed(request)).toEqual(opened);
});

it('tells every reviewer of a request that one person decides', async () => {
  const own = await newRoute(instance.demo, voters.operator, PEOPLE);
  const request = await newReview(own, { profiles: {} });
  expect(await mailed(request)).toEqual(PEOPLE.map((id) => `${id}: ${CREATED}`));
});
