import { generateKeyPairSync } from 'node:crypto';
import { fromBase64url, toBase64url } from './base64url.js';
import { keyOf } from './public-key.js';

const pairs = {
  'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: () => generateKeyPairSync('ed25519'),
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const infoOf = (kind: keyof typeof pairs) => {
  const { publicKey } = pairs[kind]();
  return { publicKey, info: publicKey.export({ type: 'spki', format: 'der' }) };
};

it.each(['P-256', 'Ed25519'] as const)('reads a key of %s as a JWK', (kind) => {
  const { publicKey, info } = infoOf(kind);
  expect(keyOf(info)).toEqual(publicKey.export({ format: 'jwk' }));
});

it.each(['P-384', 'RSA'] as const)('takes no key of %s', (kind) => {
  expect(keyOf(infoOf(kind).info)).toBeNull();
});

it('takes none that was cut or has more', () => {
  const { info } = infoOf('P-256');
  expect(keyOf(info.subarray(0, -1))).toBeNull();
  expect(keyOf(info.subarray(0, -32))).toBeNull();
  expect(keyOf(Buffer.concat([info, Buffer.alloc(32)]))).toBeNull();
});

it('writes and reads bytes in base64url', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  expect(toBase64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
  expect(fromBase64url(toBase64url(bytes))).toEqual(bytes);
  expect(() => fromBase64url('ä')).toThrow();
});
