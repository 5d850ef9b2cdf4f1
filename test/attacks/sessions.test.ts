import type { SecurityEvent } from '@countersign/protocol';
import type pg from 'pg';
import { generateKeyPair } from 'jose';
import { Client, operatorOf } from '../support/client.js';
import { newVisitor, startIdentityProvider } from '../support/identity-provider.js';
import type { IdentityProvider, Visitor } from '../support/identity-provider.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { identityOf } from '../support/people.js';
import { until } from '../support/requests.js';
import { connectTo } from '../support/truths.js';

// Attacks with sessions that should have ended, and on sessions that should go on.

const OLGA = 'olga';

let provider: IdentityProvider;
let instance: Instance;
let demo: Demo;
let database: pg.Client;

beforeAll(async () => {
  provider = await startIdentityProvider();
  instance = await startInstance({ env: provider.env, people: [OLGA] });
  demo = instance.demo;
  database = await connectTo(instance);
  await configure(OLGA, { operator: true });
  const elsewhere = new Client(demo.origin, { token: demo.other.operator.token });
  await configure('reviewer-3', { operator: true }, elsewhere);
});

afterAll(async () => {
  await database?.end();
  await instance?.stop();
  await provider?.stop();
});

async function configure(id: string, config: object, by = operatorOf(demo)): Promise<void> {
  const identity = identityOf(instance.dataDirectory, id);
  const body = { id, kind: 'human', config: { enabled: true, ...identity, ...config } };
  const { status } = await by.put(`/v2/admin/principals/${id}`, body);
  expect(status).toBe(200);
}

const ruth = (sid?: string) =>
  provider.signIn(demo.origin, 'ruth', { sid }).then(({ browser }) => browser);
const statusOf = async (browser: Visitor) => (await browser.open('/auth/session')).status;
const statuses = (...browsers: Visitor[]) => Promise.all(browsers.map(statusOf));

/** The entries of the security log about a person: the newest first. */
async function entriesOf(id: string, kind: string) {
  const { rows } = await database.query<{ entry: string }>(
    'SELECT e.entry FROM security_entry e WHERE e.kind = $2 AND e.subject = $1 ORDER BY e.sequence DESC',
    [id, kind],
  );
  return rows.map(({ entry }) => JSON.parse(entry) as SecurityEvent);
}

const sessionsOf = async (id: string): Promise<string[]> => {
  const { rows } = await database.query('SELECT id FROM session WHERE principal = $1', [id]);
  return rows.map((row) => row.id as string);
};

/** Awaits the entry of each of these sessions, and expects it to say so. */
async function expectEnded(id: string, sessions: readonly string[], how: string): Promise<void> {
  const noted = await until(
    async () =>
      (await entriesOf(id, 'session.ended')).filter(({ detail }) =>
        sessions.includes(detail['session'] as string),
      ),
    (found) => found.length >= sessions.length,
    30_000,
  );
  expect(noted.map(({ detail }) => detail['how'])).toEqual(sessions.map(() => how));
}

describe('a session that was taken', () => {
  it('does not come back when its person is disabled and enabled again', async () => {
    const taken = await ruth();
    const sessions = await sessionsOf('reviewer-1');
    expect(sessions).toHaveLength(1);
    await configure('reviewer-1', { enabled: false });
    expect(await statusOf(taken)).toBe(401);
    await configure('reviewer-1', { enabled: true });
    expect(await statusOf(taken)).toBe(401);
    expect(await statusOf(await ruth())).toBe(200);
    await expectEnded('reviewer-1', sessions, 'principal_changed');
  });

  it('ends half an hour after its last use, which reads by an unattended page are not', async () => {
    const browser = await ruth();
    const idle = (minutes: number) =>
      database.query(
        `UPDATE session SET last_seen_at = clock_timestamp() - make_interval(mins => $1) WHERE principal = 'reviewer-1'`,
        [minutes],
      );
    const idleFor = async () => {
      const { rows } = await database.query(
        `SELECT min(extract(epoch FROM clock_timestamp() - last_seen_at)) AS seconds FROM session WHERE principal = 'reviewer-1'`,
      );
      return Number(rows[0].seconds);
    };
    await idle(29);
    const unattended = { headers: { 'x-unattended': '1' } };
    expect((await browser.open('/auth/session', unattended)).status).toBe(200);
    expect((await browser.open('/v2/requests', unattended)).status).toBe(200);
    expect(await idleFor()).toBeGreaterThan(1700);
    expect(await statusOf(browser)).toBe(200);
    await until(idleFor, (seconds) => seconds < 60);
    await idle(30);
    expect(await statuses(browser, browser)).toEqual([401, 401]);
    // The end of each session is noted a moment later, once.
    const ends = async (): Promise<{ subject: string; entry: string }[]> => {
      const { rows } = await database.query(
        `SELECT e.subject, e.entry FROM security_entry e
         WHERE e.kind = 'session.ended' AND e.entry LIKE '%"how":"expired"%'`,
      );
      return rows;
    };
    const noted = await until(ends, (found) => found.length > 0, 30_000);
    for (const { subject } of noted) expect(subject).toBe('reviewer-1');
    const sessions = noted.map(({ entry }) => JSON.parse(entry).detail.session as string);
    expect(new Set(sessions).size).toBe(sessions.length);
  });

  it('is ended by its own person, one or all others, and by no other person', async () => {
    const [one, two, three] = [await ruth(), await ruth(), await ruth()];
    const stranger = (await provider.signIn(demo.origin, 'ravi')).browser;
    const listed = JSON.parse((await one.open('/auth/sessions')).text).items;
    expect(listed).toHaveLength(3);
    expect(listed.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    expect(JSON.stringify(listed)).not.toMatch(/sha256|[\w-]{43}/);
    const [newest] = listed;
    const end = `/auth/sessions/${newest.id}/end`;
    expect((await stranger.post(end)).code).toBe('not_found');
    const forged = { method: 'POST', headers: { origin: demo.origin } };
    expect((await one.open(end, forged)).code).toBe('csrf');
    expect((await one.open('/auth/sessions/end-others', forged)).code).toBe('csrf');
    expect(await statuses(one, two, three)).toEqual([200, 200, 200]);
    expect((await one.post(end)).status).toBe(200);
    expect(await statuses(one, two, three)).toEqual([200, 200, 401]);
    expect((await one.post('/auth/sessions/end-others')).status).toBe(200);
    expect(await statuses(one, two, stranger)).toEqual([200, 401, 200]);
  });

  it('is ended only by an operator of its tenant, for all browsers of its person', async () => {
    const browsers = [await ruth(), await ruth()];
    const olga = (await provider.signIn(demo.origin, OLGA)).browser;
    const rosa = (await provider.signIn(demo.origin, 'rosa')).browser;
    const sessions = await sessionsOf('reviewer-1');
    const end = (by: Visitor, id = 'reviewer-1') => by.post(`/operator/data/end-sessions?id=${id}`);
    expect((await end(browsers[0] as Visitor)).code).toBe('operator_required');
    expect((await end(rosa)).code).toBe('not_found');
    expect((await end(olga, 'reviewer-3')).code).toBe('not_found');
    expect(await statuses(...browsers, rosa)).toEqual([200, 200, 200]);
    expect((await end(olga)).status).toBe(200);
    expect(await statuses(...browsers, olga, rosa)).toEqual([401, 401, 200, 200]);
    expect(await statusOf(await ruth())).toBe(200);
    await expectEnded('reviewer-1', sessions, 'principal_changed');
    const [changed] = await entriesOf('reviewer-1', 'principal.changed');
    expect(changed?.actor).toEqual({ id: OLGA, kind: 'human' });
    expect(changed?.detail).toMatchObject({ changed: ['sessions'], created: false });
    expect(changed?.detail['before']).toBe(changed?.detail['after']);
  });
});

describe('a logout at the identity provider', () => {
  const send = (token: string) =>
    newVisitor(demo.origin).submit('/auth/backchannel-logout', { logout_token: token });

  it('ends the sessions of a person in every browser, and of no other person', async () => {
    const browsers = [await ruth(), await ruth('s-1')];
    const ravi = (await provider.signIn(demo.origin, 'ravi')).browser;
    expect((await send(await provider.logoutToken({ sub: 'ruth' }))).status).toBe(200);
    expect(await statuses(...browsers, ravi)).toEqual([401, 401, 200]);
  });

  it('ends the one session that it names', async () => {
    const [one, two] = [await ruth('s-1'), await ruth('s-2')];
    expect((await send(await provider.logoutToken({ sub: 'ruth', sid: 's-2' }))).status).toBe(200);
    expect(await statuses(one, two)).toEqual([200, 401]);
    expect((await send(await provider.logoutToken({ sid: 's-1' }))).status).toBe(200);
    expect(await statuses(one, two)).toEqual([401, 401]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another audience', { aud: 'another-client' }],
    ['another issuer', { iss: 'https://issuer.example' }],
    ['no event', { events: undefined }],
    ['a nonce, as the ID token of a browser has', { nonce: 'n' }],
    ['no id of its own', { jti: undefined }],
    ['an old date', { iat: 1_700_000_000, exp: undefined }],
    ['no person in it', { sub: undefined }],
  ])('is not forged by a token with %s', async (_, claims) => {
    const browser = await ruth();
    const answer = await send(await provider.logoutToken({ sub: 'ruth', ...claims }));
    expect([answer.status, answer.code]).toEqual([400, 'invalid_logout_token']);
    expect(await statusOf(browser)).toBe(200);
  });

  it('is not forged by another key, and not by sending a token again', async () => {
    const first = await ruth();
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await send(await provider.logoutToken({ sub: 'ruth' }, privateKey));
    expect([forged.status, forged.code]).toEqual([400, 'invalid_logout_token']);
    expect(await statusOf(first)).toBe(200);
    const token = await provider.logoutToken({ sub: 'ruth' });
    expect((await send(token)).status).toBe(200);
    const second = await ruth();
    const again = await send(token);
    expect([again.status, again.code]).toEqual([400, 'invalid_logout_token']);
    expect(await statuses(first, second)).toEqual([401, 200]);
  });

  it('is offered to a person who signs out here', async () => {
    const { location } = await newVisitor(demo.origin).open('/auth/leave');
    const address = new URL(location);
    expect(address.origin + address.pathname).toBe(`${demo.issuer}/leave`);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'countersign-test',
      post_logout_redirect_uri: `${demo.origin}/signed-out`,
    });
  });
});
