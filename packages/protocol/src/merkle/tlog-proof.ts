import type { CheckpointVerification } from './checkpoint.js';
import { verifyCheckpoint } from './checkpoint.js';
import { HASH_BYTES, leafHash, treeEntry } from './hash.js';
import type { NoteKey } from './note.js';
import { decodeBase64 } from './note.js';
import { verifyInclusion } from './verify-proof.js';

const HEADER = 'c2sp.org/tlog-proof@v1';

/** That a record is in the tree of a checkpoint, in one text (c2sp.org/tlog-proof). */
export interface TlogProof {
  /** Of the entry, from 0: its sequence in the ledger less one. */
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: string;
}

export function tlogProofText({ index, path, checkpoint }: TlogProof): string {
  const hashes = path.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  return `${HEADER}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** Reads such a text; null when it is malformed. */
export function readTlogProof(text: string): TlogProof | null {
  const split = text.indexOf('\n\n');
  if (split < 0) return null;
  const [header, ...lines] = text.slice(0, split).split('\n');
  if (lines[0]?.startsWith('extra ') === true) lines.shift();
  const [index = '', ...hashes] = lines;
  const [, digits = ''] = /^index (0|[1-9]\d{0,15})$/.exec(index) ?? [];
  const path = hashes.map(decodeBase64);
  if (header !== HEADER || digits === '' || !Number.isSafeInteger(Number(digits))) return null;
  if (!path.every((hash) => hash?.length === HASH_BYTES)) return null;
  return {
    index: Number(digits),
    path: path as Buffer[],
    checkpoint: text.slice(split + 2),
  };
}

/**
 * Verifies that the record with this digest is in the tree, and who vouches for the tree.
 *
 * @returns null when anything of it is wrong
 */
export function verifyTlogProof(
  text: string,
  recordDigest: string,
  log: NoteKey,
  witnesses: readonly NoteKey[] = [],
): (CheckpointVerification & { readonly index: number }) | null {
  const proof = readTlogProof(text);
  const checkpoint = proof === null ? null : verifyCheckpoint(proof.checkpoint, log, witnesses);
  if (proof === null || checkpoint === null) return null;
  const { size, root } = checkpoint.head;
  const leaf = leafHash(treeEntry(recordDigest));
  return verifyInclusion(leaf, proof.index, size, proof.path, root)
    ? { ...checkpoint, index: proof.index }
    : null;
}
