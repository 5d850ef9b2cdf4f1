import { sha256 } from './sha256.js';

/**
 * What the verifier asks of `node:crypto`, in a browser. Ed25519 is the browser's own, which only answers later: a
 * signature that is not judged yet counts as wrong and is noted, and whoever verifies verifies again once
 * {@link judgeNoted} has had it judged.
 */
export class PublicKey {
  readonly asymmetricKeyType = 'ed25519';
  constructor(readonly bytes: Uint8Array<ArrayBuffer>) {}

  equals(other: PublicKey): boolean {
    return this.bytes.every((byte, at) => byte === other.bytes[at]);
  }
}

/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410): there is one way to write it. */
const PREFIX = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

export function createPublicKey({ key }: { key: string }): PublicKey {
  const base64 = key.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '');
  const der = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  if (der.length !== 44 || !PREFIX.every((byte, at) => byte === der[at])) {
    throw new TypeError('not an Ed25519 public key');
  }
  return new PublicKey(der.slice(PREFIX.length));
}

export function hash(algorithm: string, text: string, encoding: string): string {
  if (algorithm !== 'sha256' || encoding !== 'hex') throw new TypeError('not here');
  return sha256(new TextEncoder().encode(text));
}

interface Noted {
  readonly message: Uint8Array<ArrayBuffer>;
  readonly key: PublicKey;
  readonly signature: Uint8Array<ArrayBuffer>;
}

const judged = new Map<string, boolean>();
const noted = new Map<string, Noted>();

export function verify(
  _algorithm: null,
  message: Uint8Array<ArrayBuffer>,
  key: PublicKey,
  signature: Uint8Array<ArrayBuffer>,
): boolean {
  const name = [sha256(message), hex(key.bytes), hex(signature)].join(' ');
  const known = judged.get(name);
  if (known === undefined) noted.set(name, { message, key, signature });
  return known === true;
}

/** Has the browser judge what was noted; answers how much that was. Rejects where it has no Ed25519. */
export async function judgeNoted(): Promise<number> {
  const { subtle } = globalThis.crypto;
  const count = noted.size;
  for (const [name, { message, key, signature }] of noted) {
    const imported = await subtle.importKey('raw', key.bytes, 'Ed25519', false, ['verify']);
    judged.set(name, await subtle.verify('Ed25519', imported, signature, message));
  }
  noted.clear();
  return count;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Whoever signs, signs elsewhere.
function notHere(): never {
  throw new TypeError('nothing is signed here');
}
export { notHere as createPrivateKey, notHere as generateKeyPairSync, notHere as sign };
