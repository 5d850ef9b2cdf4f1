import type { CredentialKey } from '@countersign/protocol';

import { toBase64url } from './base64url.js';

// What stands before the coordinates in a SubjectPublicKeyInfo (RFC 5480, RFC 8410): there is one form of each kind of key.
const P256 = '3059301306072a8648ce3d020106082a8648ce3d03010703420004';
const ED25519 = '302a300506032b6570032100';
const COORDINATE = 32;

/** The public key that a browser tells of a new key, as the protocol has it; null for one of another kind. */
export function keyOf(info: ArrayBuffer | Uint8Array): CredentialKey | null {
  const bytes = new Uint8Array(info);
  const [x, y, ...more] = coordinatesBehind(P256, bytes) ?? [];
  if (x !== undefined && y !== undefined && more.length === 0) {
    return { kty: 'EC', crv: 'P-256', x, y };
  }
  const [only, ...others] = coordinatesBehind(ED25519, bytes) ?? [];
  return only !== undefined && others.length === 0 ? { kty: 'OKP', crv: 'Ed25519', x: only } : null;
}

/** Null where the bytes begin otherwise, or do not end with a whole coordinate. */
function coordinatesBehind(head: string, bytes: Uint8Array): readonly string[] | null {
  const length = head.length / 2;
  const begin = Array.from(bytes.subarray(0, length), (byte) => byte.toString(16).padStart(2, '0'));
  const rest = bytes.subarray(length);
  if (begin.join('') !== head || rest.length % COORDINATE !== 0) return null;
  return Array.from({ length: rest.length / COORDINATE }, (_, at) =>
    toBase64url(rest.subarray(at * COORDINATE, (at + 1) * COORDINATE)),
  );
}
