import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { cosignedText } from './checkpoint.js';
import type { NoteKey } from './note.js';
import { NOTE_ALGORITHM, decodeBase64, noteKeyId, signatureLine } from './note.js';

/** A witness with its private key. */
export interface Cosigner {
  /** For verifiers. */
  readonly key: NoteKey;
  /** The line of its signature under a checkpoint with this body, as of `time` in POSIX seconds (c2sp.org/tlog-cosignature). */
  cosign(body: string, time: number): string;
}

const SEED_BYTES = 32;
/** Of PKCS #8, before the seed of an Ed25519 key (RFC 8410 §7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `PRIVATE+KEY+<name>+<key id>+<base64>`: the key in the form of Go's note package, which other witnesses read too. */
export function cosignerText(name: string, seed: Uint8Array): string {
  const { key } = cosignerOf(name, seed);
  const material = Buffer.concat([Buffer.of(NOTE_ALGORITHM.cosignature), seed]);
  return `PRIVATE+KEY+${name}+${noteKeyId(key)}+${material.toString('base64')}`;
}

/** Reads such a text; null when it is none. A key of the older spelling, with the algorithm of logs, is one too. */
export function readCosigner(text: string): Cosigner | null {
  const [, name = '', keyId = '', base64 = ''] =
    /^PRIVATE\+KEY\+([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const material = decodeBase64(base64);
  const algorithm = Object.values(NOTE_ALGORITHM).find((known) => known === material?.[0]);
  if (material?.length !== 1 + SEED_BYTES || algorithm === undefined) return null;
  const cosigner = cosignerOf(name, material.subarray(1));
  return noteKeyId({ ...cosigner.key, algorithm }) === keyId ? cosigner : null;
}

function cosignerOf(name: string, seed: Uint8Array): Cosigner {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const key = { name, algorithm: NOTE_ALGORITHM.cosignature, publicKey: publicOf(privateKey) };
  return {
    key,
    cosign(body, time) {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(time));
      const signature = sign(null, Buffer.from(cosignedText(body, time)), privateKey);
      return signatureLine(key, Buffer.concat([stamp, signature]));
    },
  };
}

function publicOf(privateKey: KeyObject): Buffer {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}
