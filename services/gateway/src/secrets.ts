import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 32 random bytes as unpadded base64url: cookies, CSRF tokens. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

/** Compares in constant time, for any lengths. */
export function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash(given), hash(expected));
}
