import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { CredentialBound, CredentialKey } from '../records/index.js';
import { challengeOf } from './statement.js';
import { decodeBase64url } from './base64url.js';

/** Of signatures by people's keys (protocol §19.2). */
export type KeyAlgorithm = CredentialBound['algorithm'];

/** RFC 7638 thumbprint, in base64url: SHA-256 of the JWK's required members, which are all that it has here. */
export function thumbprintOf(key: CredentialKey): string {
  return challengeOf(key);
}

/** The algorithm of a key: there is one for each curve. */
export function algorithmOf(key: CredentialKey): KeyAlgorithm {
  return key.kty === 'EC' ? 'ES256' : 'EdDSA';
}

/**
 * The key as `node:crypto` takes it; null for one that is no point of its curve, that is spelled otherwise than base64url
 * spells it, or under which other people could sign.
 */
export function importKey(key: CredentialKey): KeyObject | null {
  const coordinates = key.kty === 'EC' ? [key.x, key.y] : [key.x];
  const bytes = coordinates.map((text) => decodeBase64url(text, 32));
  if (bytes.some((each) => each?.length !== 32)) return null;
  if (key.kty === 'OKP' && isWeak(bytes[0] as Uint8Array)) return null;
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return null;
  }
}

/** 2^255 - 19. */
const PRIME = (1n << 255n) - 19n;

/** The y coordinate of four of the points of Ed25519 whose order is 8; that of the others is its negative. */
const OF_ORDER_8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;

/** The y coordinates of the eight points whose order is small. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  PRIME - 1n,
  OF_ORDER_8,
  PRIME - OF_ORDER_8,
]);

/** Whether everybody can sign under that key of Ed25519, or it is not the one spelling of its point. */
function isWeak(bytes: Uint8Array): boolean {
  const bigEndian = Buffer.from(bytes);
  bigEndian.reverse();
  // The highest bit is the sign of x.
  const y = BigInt(`0x${bigEndian.toString('hex')}`) & ((1n << 255n) - 1n);
  return y >= PRIME || SMALL_ORDER.has(y);
}
