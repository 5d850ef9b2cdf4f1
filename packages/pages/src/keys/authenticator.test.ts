import { challengeOf } from '@countersign/protocol';
import { KeyFault, browserHasKeys, signWith } from './authenticator.js';
import { fromBase64url, toBase64url } from './base64url.js';

// A browser in few lines: what it is asked, and what it answers.

const KEY = { credential: 'c1', credential_id: 'AQID', rp_id: 'review.example' };
const STATEMENT = { statement: 'proto.approval-statement/1', nonce: 'n' };
const given = {
  response: {
    clientDataJSON: Uint8Array.of(1).buffer,
    authenticatorData: Uint8Array.of(2).buffer,
    signature: Uint8Array.of(3).buffer,
  },
};
let asked: any;
let answers: () => Promise<unknown>;

beforeEach(() => {
  answers = () => Promise.resolve(given);
  const credentials = {
    get: (options: unknown) => {
      asked = options;
      return answers();
    },
  };
  Object.defineProperty(globalThis, 'navigator', { value: { credentials }, configurable: true });
  Object.assign(globalThis, { PublicKeyCredential: class {} });
});
afterEach(() => void delete (globalThis as { PublicKeyCredential?: unknown }).PublicKeyCredential);

const sign = () => signWith(KEY, STATEMENT, new AbortController().signal);

it('asks that key alone, with a verified person, for the digest of the statement', async () => {
  expect(await sign()).toEqual({
    credential: 'c1',
    client_data_json: 'AQ',
    authenticator_data: 'Ag',
    signature: 'Aw',
  });
  const { publicKey } = asked;
  expect(toBase64url(publicKey.challenge)).toBe(challengeOf(STATEMENT));
  expect(publicKey).toMatchObject({
    rpId: 'review.example',
    allowCredentials: [{ type: 'public-key', id: fromBase64url('AQID') }],
    userVerification: 'required',
  });
});

it.each([
  ['NotAllowedError', 'dismissed'],
  ['AbortError', 'dismissed'],
  ['NotSupportedError', 'unsupported'],
  ['SecurityError', 'elsewhere'],
])('tells %s of the browser as %s', async (name, reason) => {
  answers = () => Promise.reject(new DOMException('', name));
  await expect(sign()).rejects.toEqual(new KeyFault(reason as KeyFault['reason']));
});

it('counts no answer as a dialog that was left, and hides no other fault', async () => {
  answers = () => Promise.resolve(null);
  await expect(sign()).rejects.toMatchObject({ reason: 'dismissed' });
  answers = () => Promise.reject(new TypeError('broken'));
  await expect(sign()).rejects.toThrow('broken');
});

it('asks nothing of a browser without keys', async () => {
  delete (globalThis as { PublicKeyCredential?: unknown }).PublicKeyCredential;
  expect(browserHasKeys()).toBe(false);
  await expect(sign()).rejects.toMatchObject({ reason: 'unsupported' });
});
