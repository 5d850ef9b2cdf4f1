import { Refusal, textDigest } from '@countersign/protocol';
import { SignJWT, createLocalJWKSet, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey } from 'jose';

import { readLogoutToken } from './logout-token.js';

const issuer = 'https://id.example';
const clientId = 'countersign';
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const right = { iss: issuer, aud: clientId, jti: 'one', sub: 'ruth', sid: 's-1', events };

let key: CryptoKey;
let rules: Parameters<typeof readLogoutToken>[1];

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const jwk = { ...(await exportJWK(pair.publicKey)), alg: 'ES256', kid: 'k' };
  rules = { issuer, clientId, keys: createLocalJWKSet({ keys: [jwk] }) };
});

const seconds = () => Math.floor(Date.now() / 1000);

function token(claims: object, header: object = {}, by = key): Promise<string> {
  return new SignJWT({ iat: seconds(), exp: seconds() + 120, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'logout+jwt', ...header })
    .sign(by);
}

async function codeOf(text: string): Promise<string> {
  try {
    await readLogoutToken(text, rules);
    return 'accepted';
  } catch (fault) {
    if (fault instanceof Refusal) return fault.code;
    throw fault;
  }
}

test('a logout token names person and session, as digests', async () => {
  expect(await readLogoutToken(await token(right), rules)).toEqual({
    issuer,
    token: textDigest('one'),
    subject: 'ruth',
    session: textDigest('s-1'),
  });
});

test.each<[string, object, object]>([
  ['names the person alone', { sid: undefined }, {}],
  ['names the session alone', { sub: undefined }, {}],
  ['is for several audiences', { aud: ['another', clientId] }, {}],
  ['has the type of older providers', {}, { typ: 'JWT' }],
  ['has no type', {}, { typ: undefined }],
])('one is accepted that %s', async (_, claims, header) => {
  expect(await codeOf(await token({ ...right, ...claims }, header))).toBe('accepted');
});

test.each<[string, object, object]>([
  ['names no person', { sub: undefined, sid: undefined }, {}],
  ['is of another issuer', { iss: `${issuer}/` }, {}],
  ['is for another client', { aud: 'another' }, {}],
  ['has no audience', { aud: undefined }, {}],
  ['has no time', { iat: undefined }, {}],
  ['is old', { iat: 1_700_000_000, exp: undefined }, {}],
  ['is of the future', { iat: 4_000_000_000, exp: undefined }, {}],
  ['has expired', { exp: 1_700_000_000 }, {}],
  ['has no id', { jti: undefined }, {}],
  ['has an empty id', { jti: '' }, {}],
  ['tells no event', { events: undefined }, {}],
  ['tells another event', { events: { other: {} } }, {}],
  ['tells the event by a word', { events: { [Object.keys(events)[0] as string]: 'yes' } }, {}],
  ['has a nonce, as ID tokens do', { nonce: 'n' }, {}],
  ['is an access token', {}, { typ: 'at+jwt' }],
])('one is refused that %s', async (_, claims, header) => {
  expect(await codeOf(await token({ ...right, ...claims }, header))).toBe('invalid_logout_token');
});

test('one is refused that another key signed, or none', async () => {
  const stranger = await generateKeyPair('ES256');
  expect(await codeOf(await token(right, {}, stranger.privateKey))).toBe('invalid_logout_token');
  const [, body] = (await token(right)).split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  expect(await codeOf(`${none}.${body}.`)).toBe('invalid_logout_token');
  expect(await codeOf('nothing')).toBe('invalid_logout_token');
});

test('keys that cannot be had are no verdict on a token', async () => {
  const text = await token(right);
  const keys = () => Promise.reject(new TypeError('fetch failed'));
  await expect(readLogoutToken(text, { ...rules, keys })).rejects.toMatchObject({
    code: 'service_unavailable',
  });
});
