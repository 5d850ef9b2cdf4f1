import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { Buffer } from './bytes.js';

// The functions of `node:crypto` that packages/protocol needs: Vite replaces the module by this file, so that browser,
// service and command run the same verifier (in-place-of-node.mjs, decisions/0010).

/** DER of a SubjectPublicKeyInfo of Ed25519 up to the key itself (RFC 8410). */
const SPKI = '302a300506032b6570032100';

export interface PublicKey {
  readonly asymmetricKeyType: 'ed25519' | 'ec';
  /** Of P-256: the uncompressed point. */
  readonly raw: Uint8Array<ArrayBuffer>;
  export(form: { format: 'jwk' }): { x: string };
}

export function hash(_algorithm: 'sha256', text: string, _encoding: 'hex'): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 of bytes in parts. */
export function createHash(_algorithm: 'sha256') {
  const state = sha256.create();
  const self = {
    update(part: string | Uint8Array) {
      state.update(typeof part === 'string' ? utf8ToBytes(part) : part);
      return self;
    },
    digest(encoding?: 'hex') {
      const bytes = state.digest();
      return encoding === 'hex' ? bytesToHex(bytes) : Buffer.from(bytes);
    },
  };
  return self;
}

/** Throws for anything but one Ed25519 public key, in PEM form or as a JWK, or one of P-256 as a JWK. */
export function createPublicKey({
  key,
}: {
  key: string | { x: string; y?: string; crv?: string };
}): PublicKey {
  if (typeof key !== 'string') {
    if (key.crv === 'P-256') return p256KeyOf(key.x, key.y ?? '');
    const raw = Buffer.from(key.x, 'base64url');
    if (raw.length !== 32) throw new TypeError('this is no Ed25519 public key');
    return publicKeyOf(raw);
  }
  const der = Uint8Array.from(atob(key.replace(/-----[A-Z ]+-----|\s/g, '')), (character) =>
    character.charCodeAt(0),
  );
  if (der.length !== 44 || bytesToHex(der.subarray(0, 12)) !== SPKI) {
    throw new TypeError('this is no Ed25519 public key');
  }
  return publicKeyOf(der.slice(12));
}

function publicKeyOf(raw: Uint8Array<ArrayBuffer>): PublicKey {
  const x = Buffer.from(raw).toString('base64url');
  return { asymmetricKeyType: 'ed25519', raw, export: () => ({ x }) };
}

/** Throws for a point off the curve. */
function p256KeyOf(x: string, y: string): PublicKey {
  const coordinates = [x, y].map((text) => Buffer.from(text, 'base64url'));
  const raw = Buffer.concat([Uint8Array.of(4), ...coordinates]);
  p256.Point.fromBytes(raw).assertValidity();
  return { asymmetricKeyType: 'ec', raw, export: () => ({ x }) };
}

export interface Signed {
  readonly key: PublicKey;
  readonly preimage: Uint8Array;
  readonly signature: Uint8Array;
}

/** Results of the browser's own Ed25519, by their exact input; good for one batch. */
const said = new Map<string, boolean>();

/** By Ed25519, or with `sha256` by ECDSA on P-256 (r ‖ s). */
export function verify(
  algorithm: 'sha256' | null,
  preimage: Uint8Array,
  of: PublicKey | { key: PublicKey; dsaEncoding: 'ieee-p1363' },
  signature: Uint8Array,
): boolean {
  const key = 'key' in of ? of.key : of;
  if (algorithm === 'sha256') {
    return p256.verify(signature, preimage, key.raw, { lowS: false });
  }
  const known = said.get(nameOf({ key, preimage, signature }));
  return known ?? ed25519.verify(signature, preimage, key.raw, { zip215: false });
}

/**
 * Lets the browser's own Ed25519 verify a batch, about ten times as fast as ours in JavaScript, which goes on where there
 * is none. It is asked for all of them at once, and `verify` finds the answers.
 */
export async function verifyAhead(batch: readonly Signed[]): Promise<void> {
  said.clear();
  await Promise.all(
    batch.map(async (signed) => {
      try {
        const key = await crypto.subtle.importKey('raw', signed.key.raw, 'Ed25519', false, [
          'verify',
        ]);
        const { signature, preimage } = signed;
        const good = await crypto.subtle.verify(
          'Ed25519',
          key,
          new Uint8Array(signature),
          new Uint8Array(preimage),
        );
        said.set(nameOf(signed), good);
      } catch {
        // No Ed25519 in this browser.
      }
    }),
  );
}

function nameOf({ key, preimage, signature }: Signed): string {
  return [key.raw, signature, sha256(preimage)].map(bytesToHex).join('.');
}

const unused = (): never => {
  throw new Error('nothing is signed in a browser');
};
export const createPrivateKey = unused;
export const generateKeyPairSync = unused;
export const sign = unused;
