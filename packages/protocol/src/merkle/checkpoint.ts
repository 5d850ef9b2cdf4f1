import { createPublicKey, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { serviceOfKey } from '../signing/policy.js';
import type { Trust } from '../signing/trust-manifest.js';
import { HASH_BYTES } from './hash.js';
import type { Note, NoteKey, NoteSignature } from './note.js';
import { NOTE_ALGORITHM, decodeBase64, noteKeyId, readNote } from './note.js';

/** The head of a tree (c2sp.org/tlog-checkpoint). */
export interface TreeHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

/**
 * A witness's statement that it saw this head, and that it continues the head that it saw before
 * (c2sp.org/tlog-cosignature).
 */
export interface Cosignature {
  readonly witness: string;
  readonly keyId: string;
  /** POSIX seconds, as the witness says. */
  readonly time: number;
  readonly line: string;
}

export interface CheckpointVerification {
  readonly head: TreeHead;
  /** By witnesses whose keys were given. Others' signatures are passed over, as the format wants it. */
  readonly cosignatures: readonly Cosignature[];
}

/**
 * The origin line of a tenant's tree: where it is served, without the scheme. The generation belongs to it: a ledger
 * that an operator's recovery took back (R18) is another log, and no witness takes it for the old one.
 *
 * @param issuer origin of the service
 */
export function treeOrigin(issuer: string, ledgerId: string, generation: string): string {
  return `${issuer.replace(/^[a-z]+:\/\//, '')}${treePrefix(ledgerId, generation)}`;
}

/** The keys whose signature a tree's head may carry: the ledger's, and those that name no service (protocol R36). */
export function logKeys(origin: string, trust: Trust): NoteKey[] {
  return [...trust.keys]
    .filter(([keyId]) => [null, 'ledger'].includes(serviceOfKey(keyId)))
    .map(([, { publicKey }]) => logKey(origin, publicKey));
}

/** The key of a log among those of the trust manifest. */
export function logKey(origin: string, publicKey: KeyObject): NoteKey {
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    name: origin,
    algorithm: NOTE_ALGORITHM.ed25519,
    publicKey: Buffer.from(x, 'base64url'),
  };
}

/** Path below which tiles and checkpoint of a tree are served. */
export function treePrefix(ledgerId: string, generation: string): string {
  return `/log/${ledgerId}/${generation}`;
}

/** The text that log and witnesses sign. */
export function treeHeadText({ origin, size, root }: TreeHead): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Reads such a text; null when it is none. Lines after the third are left out, because they are not audited. */
export function readTreeHead(body: string): TreeHead | null {
  const [origin = '', size = '', root = '', end, ...more] = body.split('\n');
  if (end !== '' || more.length > 0 || origin === '') return null;
  const hash = decodeBase64(root);
  if (hash?.length !== HASH_BYTES || !/^(?:0|[1-9]\d{0,15})$/.test(size)) return null;
  const leaves = Number(size);
  return Number.isSafeInteger(leaves) ? { origin, size: leaves, root: hash } : null;
}

/**
 * Whether these bytes are the head of a tree and nothing else: a text that the ledger's key may sign beside records.
 * Records are JSON objects, an origin never begins like one.
 */
export function isTreeHead(preimage: Uint8Array): boolean {
  const head = readTreeHead(Buffer.from(preimage).toString());
  return head !== null && /^[a-z0-9]/i.test(head.origin) && head.origin.includes('/log/');
}

/**
 * Verifies a checkpoint: the signatures of the log and of the witnesses in `witnesses`.
 *
 * @returns null when it is malformed, of another origin, or not signed by the log
 */
export function verifyCheckpoint(
  text: string,
  log: NoteKey,
  witnesses: readonly NoteKey[] = [],
): CheckpointVerification | null {
  const note = readNote(text);
  const head = note === null ? null : readTreeHead(note.body);
  if (note === null || head === null || head.origin !== log.name) return null;
  if (!note.signatures.some((signature) => isSignedBy(log, note, signature))) return null;
  return { head, cosignatures: cosignaturesOf(note.body, note.signatures, witnesses) };
}

/** Those of the signatures that are good cosignatures of these witnesses; one for each, its newest. */
export function cosignaturesOf(
  body: string,
  signatures: readonly NoteSignature[],
  witnesses: readonly NoteKey[],
): Cosignature[] {
  return witnesses.flatMap((witness) => {
    const keyId = noteKeyId(witness);
    const good = signatures
      .filter(({ name, keyId: of }) => name === witness.name && of === keyId)
      .flatMap(({ signature, line }) => {
        const time = cosignedAt(body, signature, witness);
        return time === null ? [] : [{ witness: witness.name, keyId, time, line }];
      })
      .sort((a, b) => b.time - a.time);
    return good.slice(0, 1);
  });
}

/** The bytes that a witness signs (c2sp.org/tlog-cosignature, Ed25519). */
export function cosignedText(body: string, time: number): string {
  return `cosignature/v1\ntime ${time}\n${body}`;
}

function cosignedAt(body: string, bytes: Buffer, witness: NoteKey): number | null {
  if (witness.algorithm !== NOTE_ALGORITHM.cosignature || bytes.length !== 72) return null;
  const time = bytes.readBigUInt64BE();
  if (time > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  const message = cosignedText(body, Number(time));
  return isSignature(message, bytes.subarray(8), witness) ? Number(time) : null;
}

/** Whether this is the signature of a log with that key. */
export function isSignedBy(key: NoteKey, { body }: Note, signature: NoteSignature): boolean {
  return (
    key.algorithm === NOTE_ALGORITHM.ed25519 &&
    signature.name === key.name &&
    signature.keyId === noteKeyId(key) &&
    isSignature(body, signature.signature, key)
  );
}

function isSignature(message: string, signature: Uint8Array, { publicKey }: NoteKey): boolean {
  if (signature.length !== 64) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return verify(null, Buffer.from(message), key, signature);
  } catch {
    return false;
  }
}
