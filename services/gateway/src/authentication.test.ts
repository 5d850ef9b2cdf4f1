import type { IncomingMessage } from 'node:http';

import { textDigest } from '@countersign/protocol';

import { createAuthenticate, hasCredentials } from './authentication.js';
import { SESSION_COOKIE } from './cookies.js';
import type { KnownPrincipal, KnownSession, Store } from './store.js';

const token = 'T'.repeat(32);
const cookie = 's'.repeat(43);
const bot: KnownPrincipal = {
  tenant: 'acme',
  principal: 'bot',
  kind: 'producer',
  operator: false,
  publisher: false,
};
const person: KnownSession = {
  ...bot,
  principal: 'rev',
  kind: 'human',
  csrf: 'c',
  name: 'Rev',
  provedAgo: 5,
  acr: null,
};

function setup() {
  const asked: string[] = [];
  const store = {
    principalOfToken: (digest: string) => {
      asked.push(digest);
      return Promise.resolve(digest === textDigest(token) ? bot : null);
    },
    session: (digest: string) => {
      asked.push(digest);
      return Promise.resolve(digest === textDigest(cookie) ? person : null);
    },
  } as unknown as Store;
  return { asked, authenticate: createAuthenticate(store) };
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
    expect(both[0]).toEqual({ ...bot, credential: textDigest(token), session: null });
    expect(both[1]).toEqual(both[0]);
    await authenticate(request(headers));
    expect(asked).toEqual([textDigest(token)]);
  });

  test('asks for an unknown token every time', async () => {
    const { asked, authenticate } = setup();
    const headers = { authorization: `Bearer ${'x'.repeat(32)}` };
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
    expect(asked).toHaveLength(2);
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
    const { csrf, name, provedAgo, acr, ...principal } = person;
    expect(await authenticate(request(headers))).toEqual({
      ...principal,
      credential: null,
      session: { digest: textDigest(cookie), csrf, name, provedAgo, acr },
    });
    expect(asked).toHaveLength(2);
  });

  test('ignores the session when there is an Authorization header', async () => {
    const { authenticate } = setup();
    const headers = { authorization: 'Bearer no', cookie: `${SESSION_COOKIE}=${cookie}` };
    await expect(authenticate(request(headers))).rejects.toMatchObject(unauthenticated);
  });

  test('tells whether there is anything to recognise a caller by', () => {
    expect(hasCredentials(request({}))).toBe(false);
    expect(hasCredentials(request({ cookie: 'a=b' }))).toBe(false);
    expect(hasCredentials(request({ cookie: `${SESSION_COOKIE}=` }))).toBe(true);
    expect(hasCredentials(request({ authorization: '' }))).toBe(true);
  });
});
