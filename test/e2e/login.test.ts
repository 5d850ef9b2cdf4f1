import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Client, operatorOf } from '../support/client.js';
import { until } from '../support/requests.js';
import { runCommand, startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';

const SESSION = '__Host-proto';
const LOGIN = '__Host-proto-login';

interface Page {
  readonly status: number;
  /** The problem document's code, '' when the answer is no refusal. */
  readonly code: string;
  readonly location: string;
  readonly text: string;
  readonly headers: Headers;
}

let instance: Instance;
let demo: Demo;
let database: pg.Client;
let issuer: string;

beforeAll(async () => {
  instance = await startInstance();
  demo = instance.demo;
  const stores = JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8'));
  database = new pg.Client({ connectionString: stores.urls.DATABASE_URL });
  await database.connect();
  const { rows } = await database.query(
    `SELECT oidc_issuer FROM principal WHERE oidc_issuer IS NOT NULL LIMIT 1`,
  );
  issuer = rows[0].oidc_issuer;
});

afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

/** A browser as far as logins go: cookies by origin, redirects shown instead of followed. */
function newBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { origin } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  async function open(path: string, init: RequestInit = {}): Promise<Page> {
    const url = new URL(path, demo.origin).href;
    const jar = jarOf(url);
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'application/json',
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const text = await response.text();
    const location = response.headers.get('location') ?? '';
    return {
      status: response.status,
      code: /"error":"([a-z_]+)"/.exec(text)?.[1] ?? '',
      location: location === '' ? '' : new URL(location, url).href,
      text,
      headers: response.headers,
    };
  }
  /** Goes through the provider as that person; gives the address that leads back to the service. */
  async function toCallback(name: string, start = '/auth/login'): Promise<string> {
    let page = await open(start);
    for (let steps = 0; steps < 8; steps += 1) {
      if (page.location.startsWith(`${demo.origin}/auth/callback`)) return page.location;
      if (page.location !== '') {
        page = await open(page.location);
        continue;
      }
      const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const buttons = [...page.text.matchAll(/value="([^"]+)"\s*>\s*([^<]*?)\s*</g)];
      const subject = buttons.find(([, , shown]) => shown === name)?.[1] ?? '';
      page = await open(`${issuer}${action}`, {
        method: 'POST',
        body: new URLSearchParams({ subject }),
      });
    }
    throw new Error(`the login of ${name} leads nowhere`);
  }
  const login = async (name: string, start?: string) => open(await toCallback(name, start));
  const session = async () => open('/auth/session');
  const csrf = async () => JSON.parse((await session()).text).csrf as string;
  const logout = async () =>
    open('/auth/logout', {
      method: 'POST',
      headers: { origin: demo.origin, 'x-csrf-token': await csrf() },
    });
  const cookies = () => jarOf(demo.origin);
  return { open, toCallback, login, session, csrf, logout, cookies };
}

const [owner, reviewer] = ['Olivia Owner', 'Ruth Reviewer'];
const principalOf = (name: string) => demo.people.find((person) => person.name === name)!.id;

async function configure(name: string, config: object): Promise<void> {
  const id = principalOf(name);
  const { rows } = await database.query(
    'SELECT config FROM principal WHERE tenant = $1 AND id = $2',
    [demo.tenant, id],
  );
  const { status } = await operatorOf(demo).put(`/v2/admin/principals/${id}`, {
    id,
    kind: 'human',
    config: { ...rows[0].config, ...config },
  });
  expect(status).toBe(200);
}

describe('a login', () => {
  test('leads to a session with its person, with the attributes of a host cookie', async () => {
    const browser = newBrowser();
    const page = await browser.login(reviewer);
    expect([page.status, page.location]).toEqual([302, `${demo.origin}/inbox`]);
    expect(page.headers.get('set-cookie')).toMatch(
      /^__Host-proto=[\w-]{43}; Max-Age=28800; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const { subject, csrf } = JSON.parse((await browser.session()).text);
    expect(subject).toBe(principalOf(reviewer));
    expect(csrf).toMatch(/^[\w-]{43}$/);
    expect((await browser.open('/inbox')).status).toBe(200);
  });

  test('begins by itself on a page, and leads back to it', async () => {
    const browser = newBrowser();
    const path = `/review/${randomUUID()}`;
    const page = await browser.open(path);
    expect([page.status, new URL(page.location).pathname]).toEqual([302, '/auth/login']);
    expect((await browser.login(reviewer, page.location)).location).toBe(demo.origin + path);
    expect((await browser.open(path)).code).toBe('not_found');
    const astray = await browser.login(reviewer, '/auth/login?return_to=//evil.example/');
    expect(astray.location).toBe(`${demo.origin}/inbox`);
  });

  test('asks the provider for a code with state, nonce and a hashed verifier', async () => {
    const { location, headers } = await newBrowser().open('/auth/login');
    const query = new URL(location).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${demo.origin}/auth/callback`,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(headers.get('set-cookie')).toMatch(
      /^__Host-proto-login=[\w-]{43}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
  });

  test('works once, in its own browser, with its own state', async () => {
    const browser = newBrowser();
    const callback = await browser.toCallback(reviewer);
    const other = newBrowser();
    expect((await other.open(callback)).code).toBe('invalid_login');
    await other.open('/auth/login');
    expect((await other.open(callback)).code).toBe('invalid_login');
    const wrongState = callback.replace(/state=[^&]*/, 'state=other');
    expect((await browser.open(wrongState)).code).toBe('invalid_login');
    expect((await browser.open(callback)).status).toBe(302);
    expect((await browser.open(callback)).code).toBe('invalid_login');
  });

  test('gives way to a later one in the same browser, with the same cookie', async () => {
    const browser = newBrowser();
    const first = await browser.toCallback(reviewer);
    const cookie = browser.cookies().get(LOGIN);
    const second = await browser.toCallback(owner);
    expect(browser.cookies().get(LOGIN)).toBe(cookie);
    expect((await browser.open(first)).code).toBe('invalid_login');
    expect((await browser.open(second)).status).toBe(302);
    expect(JSON.parse((await browser.session()).text).subject).toBe(principalOf(owner));
  });

  test('gives way to a later one even while its code is exchanged', async () => {
    const browser = newBrowser();
    const first = await browser.toCallback(reviewer);
    const page = await whileHeld(
      () => browser.open(first),
      async () => {
        await browser.open('/auth/login');
      },
    );
    expect([page.status, page.code]).toEqual([401, 'invalid_login']);
    expect((await browser.session()).status).toBe(401);
  });

  test('retires the session it started from, and only when it succeeds', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    const before = browser.cookies().get(SESSION);
    const callback = await browser.toCallback(owner);
    expect((await browser.session()).status).toBe(200);
    const denied = callback.replace(/code=[^&]*/, 'error=access_denied');
    expect((await browser.open(denied)).code).toBe('invalid_login');
    expect((await browser.open(callback)).code).toBe('invalid_login');
    expect(browser.cookies().get(SESSION)).toBe(before);
    expect((await browser.session()).status).toBe(200);
    await browser.login(owner);
    const old = { cookie: `${SESSION}=${before}` };
    expect((await newBrowser().open('/auth/session', { headers: old })).status).toBe(401);
  });

  test('cannot undo a logout', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    const callback = await browser.toCallback(reviewer);
    expect((await browser.logout()).status).toBe(204);
    expect((await browser.open(callback)).code).toBe('login_session_changed');
    expect((await browser.session()).code).toBe('unauthenticated');
  });

  test('cannot undo a logout even while its code is exchanged', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    const callback = await browser.toCallback(reviewer);
    const page = await whileHeld(
      () => browser.open(callback),
      async () => {
        await database.query('DELETE FROM session');
      },
    );
    expect([page.status, page.code]).toEqual([401, 'login_session_changed']);
  });

  test.each([
    ['a code of nobody', /code=[^&]*/, 'code=other', 'invalid_login'],
    ['no code', /code=[^&]*&?/, '', 'invalid_login'],
    ['another issuer', /iss=[^&]*/, 'iss=http%3A%2F%2Fevil.example', 'invalid_identity'],
  ])('is refused for %s', async (_what, part, instead, code) => {
    const browser = newBrowser();
    const callback = (await browser.toCallback(reviewer)).replace(part, instead);
    const page = await browser.open(callback);
    expect([page.status, page.code]).toEqual([401, code]);
    expect(browser.cookies().has(SESSION)).toBe(false);
  });

  test('is for enabled humans of the directory, of whom it is certain', async () => {
    const browser = newBrowser();
    await configure(reviewer, { identity_certain: false });
    let page = await browser.login(reviewer);
    expect([page.status, page.code]).toEqual([503, 'identity_uncertain']);
    await configure(reviewer, { identity_certain: true, enabled: false });
    page = await browser.login(reviewer);
    expect([page.status, page.code]).toEqual([403, 'directory_identity_unavailable']);
    await configure(reviewer, { enabled: true });
    expect((await browser.login(reviewer)).status).toBe(302);

    const twin = { tenant: demo.other.tenant, token: demo.other.operator.token };
    const { rows } = await database.query(
      'SELECT oidc_subject FROM principal WHERE tenant = $1 AND id = $2',
      [demo.tenant, principalOf(reviewer)],
    );
    const config = { enabled: true, oidc_issuer: issuer, oidc_subject: rows[0].oidc_subject };
    const operator = operatorOf({ ...demo, operator: { id: '', token: twin.token } });
    const human = { id: 'twin', kind: 'human', config };
    expect((await operator.put('/v2/admin/principals/twin', human)).status).toBe(200);
    const choice = await browser.login(reviewer);
    expect([choice.status, choice.location]).toEqual([302, `${demo.origin}/auth/tenant`]);
    const disabled = { ...human, config: { ...config, enabled: false } };
    expect((await operator.put('/v2/admin/principals/twin', disabled)).status).toBe(200);
    expect((await browser.login(reviewer)).location).toBe(`${demo.origin}/inbox`);
  });
});

describe('a session', () => {
  test('is made for scripts by a command, of anybody whom the instance knows', async () => {
    const data = ['--data', instance.dataDirectory];
    const session = (person: string) =>
      runCommand(['session', person, ...data], {}, 'tools/develop.mjs');
    const { code, stdout } = await session('reviewer-1');
    expect(code).toBe(0);
    const { cookie, csrf, subject, origin } = JSON.parse(stdout);
    expect({ subject, origin }).toEqual({ subject: 'reviewer-1', origin: demo.origin });
    const inbox = await new Client(demo.origin, { cookie, csrf }).get('/v2/requests');
    expect(inbox.status).toBe(200);
    const unknown = await session('nobody');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toMatch(
      /^countersign: No person is called nobody\. The people are: .*reviewer-1/,
    );
  });

  test('ends at once when its person is disabled, and for good', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    await configure(reviewer, { enabled: false });
    expect((await browser.session()).code).toBe('unauthenticated');
    await configure(reviewer, { enabled: true });
    expect((await browser.session()).code).toBe('unauthenticated');
    await browser.login(reviewer);
    expect((await browser.session()).status).toBe(200);
  });

  test('ends eight hours after it began, with any use in between', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    await database.query(`UPDATE session SET expires_at = clock_timestamp()`);
    expect((await browser.session()).code).toBe('unauthenticated');
    const page = await browser.open('/inbox', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      401,
      'text/html; charset=utf-8',
    ]);
    expect((await browser.login(reviewer)).status).toBe(302);
  });

  test('changes nothing without its own origin and token', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    const token = await browser.csrf();
    const post = (headers: Record<string, string>) =>
      browser.open('/auth/logout', { method: 'POST', headers });
    for (const headers of [
      {},
      { origin: demo.origin },
      { 'x-csrf-token': token },
      { origin: 'https://evil.example', 'x-csrf-token': token },
      { origin: demo.origin, 'x-csrf-token': `${token}x` },
    ] as Record<string, string>[]) {
      expect((await post(headers)).code).toBe('csrf');
    }
    expect((await browser.logout()).status).toBe(204);
    expect(browser.cookies().has(SESSION)).toBe(false);
  });

  test('is for people: a bearer caller has none, and its header hides one', async () => {
    const browser = newBrowser();
    await browser.login(reviewer);
    const headers = { authorization: `Bearer ${demo.producer.token}` };
    for (const path of ['/auth/session', '/inbox', `/review/${randomUUID()}`]) {
      const page = await browser.open(path, { headers });
      expect([path, page.status, page.code]).toEqual([path, 403, 'human_required']);
    }
    const wrong = { authorization: 'Bearer nobody' };
    expect((await browser.open('/auth/session', { headers: wrong })).code).toBe('unauthenticated');
  });
});

/**
 * Runs `work` while the directory cannot be read, which stops a callback between its exchange and its session;
 * `meanwhile` happens once it stands there.
 */
async function whileHeld<T>(work: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T> {
  await database.query('BEGIN');
  await database.query('LOCK TABLE principal IN ACCESS EXCLUSIVE MODE');
  const done = work();
  await until(
    () => database.query(`SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted`),
    ({ rows }) => rows[0].waiting > 0,
    4_000,
  );
  await meanwhile();
  await database.query('COMMIT');
  return done;
}
