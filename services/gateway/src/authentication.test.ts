import type { IncomingMessage } from 'node:http';

import { Refusal, textDigest } from '@countersign/protocol';

import { createAuthenticate, hasCredentials } from './authentication.js';
import { SESSION_COOKIE } from './cookies.js';
import type { KnownPrincipal, KnownSession, Store, TokenHolder } from './store/index.js';

const token = 'T'.repeat(32);
const cookie = 's'.repeat(43);
const bot: KnownPrincipal = {
  tenant: 'acme',
  principal: 'bot',
  kind: 'producer',
  operator: false,
  publisher: false,
};
const holder: TokenHolder = { ...bot, credential: 'id-1', secondsLeft: null };
const person: KnownSession = {
  ...bot,
  principal: 'rev',
  kind: 'human',
  csrf: 'c',
  name: 'Rev',
  provedAgo: 5,
  acr: null,
  stale: false,
};

function setup({ known = person, held = holder } = {}) {
  const asked: string[] = [];
  const touched: string[] = [];
  const store = {
    principalOfToken: (digest: string) => {
      asked.push(digest);
      return Promise.resolve(digest === textDigest(token) ? held : null);
    },
    session: (digest: string) => {
      asked.push(digest);
      return Promise.resolve(digest === textDigest(cookie) ? known : null);
    },
    touchSession: (tenant: string, digest: string) => {
      touched.push(`${tenant} ${digest}`);
      return Promise.resolve();
    },
  } as unknown as Store;
  const authenticate = createAuthenticate(store);
  const lookedUp = { times: 0, allowed: true };
  const mayLookUp = async () => {
    lookedUp.times += 1;
    if (!lookedUp.allowed) throw new Refusal('rate_limited');
  };
  return {
    asked,
    touched,
    lookedUp,
    authenticate: (given: IncomingMessage) => authenticate(given, mayLookUp),
  };
}

function request(headers: Record<string, string>): IncomingMessage {
  return { headers } as unknown as IncomingMessage;
}

const unauthenticated = { code: 'unauthenticated', status: 401 };

describe('authentication', () => {
  test('knows a principal by its token, and asks once for some seconds', async () => {
    const { asked, authenticate } = setup();
    const headers = { authorization: `Bearer ${token}` };
    const both = await Promise.all([
      authenticate(request(headers)),
      authenticate(request(headers)),
    ]);
    expect(both[0]).toEqual({ ...bot, credential: 'id-1', session: null });
    expect(both[1]).toEqual(both[0]);
    await authenticate(request(headers));
    expect(asked).toEqual([textDigest(token)]);
  });

  test('asks again when a token has expired', async () => {
    const { asked, authenticate } = setup({ held: { ...holder, secondsLeft: 0 } });
    const headers = { authorization: `Bearer ${token}` };
    await authenticate(request(headers));
    await authenticate(request(headers));
    expect(asked).toHaveLength(2);
  });

  test('asks for an unknown token every time', async () => {
    const { asked, authenticate } = setup();
    const headers = { authorization: `Bearer ${'x'.repeat(32)}` };
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
    expect(asked).toHaveLength(2);
  });

  test('counts before it looks up a credential that was not good lately, and never for one that was', async () => {
    jest.useFakeTimers({ now: 0 });
    const { asked, lookedUp, authenticate } = setup();
    const good = [
      request({ authorization: `Bearer ${token}` }),
      request({ cookie: `${SESSION_COOKIE}=${cookie}` }),
    ];
    for (const given of good) await authenticate(given);
    expect(lookedUp.times).toBe(2);
    lookedUp.allowed = false;
    const unknown = request({ authorization: `Bearer ${'x'.repeat(32)}` });
    await expect(authenticate(unknown)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(asked).toHaveLength(2);
    // Longer than answers are remembered: it is looked up again, without asking.
    jest.advanceTimersByTime(60_000);
    for (const given of good) await authenticate(given);
    expect([asked.length, lookedUp.times]).toEqual([4, 3]);
    jest.useRealTimers();
  });

  test.each([
    '',
    `bearer ${token}`,
    `Bearer  ${token}`,
    `Bearer ${token} `,
    `Bearer ${token.slice(1)}`,
    `Bearer ${token}=`,
    `Basic ${token}`,
    'Bearer',
  ])('refuses the malformed header "%s" without asking', async (authorization) => {
    const { asked, authenticate } = setup();
    await expect(authenticate(request({ authorization }))).rejects.toMatchObject(unauthenticated);
    expect(asked).toEqual([]);
  });

  test('knows a person by the session, and asks every time', async () => {
    const { asked, authenticate } = setup();
    const headers = { cookie: `${SESSION_COOKIE}=${cookie}` };
    await authenticate(request(headers));
    const { csrf, name, provedAgo, acr, stale: _, ...principal } = person;
    expect(await authenticate(request(headers))).toEqual({
      ...principal,
      credential: null,
      session: { digest: textDigest(cookie), csrf, name, provedAgo, acr },
    });
    expect(asked).toHaveLength(2);
  });

  test('writes down that a session is used, but not by an unattended page', async () => {
    const { authenticate, touched } = setup({ known: { ...person, stale: true } });
    const headers = { cookie: `${SESSION_COOKIE}=${cookie}` };
    await authenticate(request({ ...headers, 'x-unattended': '1' }));
    expect(touched).toEqual([]);
    await authenticate(request(headers));
    expect(touched).toEqual([`${person.tenant} ${textDigest(cookie)}`]);
  });

  test('ignores the session when there is an Authorization header', async () => {
    const { authenticate } = setup();
    const headers = { authorization: 'Bearer no', cookie: `${SESSION_COOKIE}=${cookie}` };
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
  });

  test('reports whether there is a credential at all', () => {
    expect(hasCredentials(request({}))).toBe(false);
    expect(hasCredentials(request({ cookie: 'a=b' }))).toBe(false);
    expect(hasCredentials(request({ cookie: `${SESSION_COOKIE}=` }))).toBe(true);
    expect(hasCredentials(request({ authorization: '' }))).toBe(true);
  });
});
