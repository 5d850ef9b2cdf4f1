import type { TreeHead } from './checkpoint.js';
import { EMPTY_ROOT, HASH_BYTES } from './hash.js';
import type { NoteKey } from './note.js';
import { decodeBase64 } from './note.js';
import { logSignatures, readCheckpoint } from './signed-head.js';
import type { ReadCheckpoint } from './signed-head.js';
import { verifyConsistency } from './verify-proof.js';

/** What a log asks of a witness (c2sp.org/tlog-witness, add-checkpoint). */
export interface AddCheckpoint extends ReadCheckpoint {
  /** Size of the tree that the witness signed last, as the log believes. */
  readonly old: number;
  readonly proof: readonly Buffer[];
}

export const WITNESS_REFUSALS = {
  malformed: 400,
  old_size_too_large: 400,
  not_signed: 403,
  unknown_origin: 404,
  other_size: 409,
  inconsistent: 422,
  fork: 422,
} as const;

export type WitnessRefusal = keyof typeof WITNESS_REFUSALS;

export type WitnessDecision =
  | {
      readonly refused: null;
      /** Lines of the log's signatures, which are kept beside the witness's own. */
      readonly signatures: readonly string[];
    }
  | {
      readonly refused: WitnessRefusal;
      /** The log has signed another tree of the size that the witness signed: proof that it shows two histories. */
      readonly isFork: boolean;
    };

const OLD = /^old (0|[1-9]\d{0,15})$/;
const MOST_HASHES = 63;

/** Reads the body of such a request; null when it is malformed. */
export function readAddCheckpoint(body: string): AddCheckpoint | null {
  const split = body.indexOf('\n\n');
  if (split < 0) return null;
  const [first = '', ...lines] = body.slice(0, split).split('\n');
  const [, digits = ''] = OLD.exec(first) ?? [];
  const old = Number(digits);
  const proof = lines.map(decodeBase64);
  const checkpoint = readCheckpoint(body.slice(split + 2));
  if (digits === '' || !Number.isSafeInteger(old) || lines.length > MOST_HASHES) return null;
  if (!proof.every((hash) => hash?.length === HASH_BYTES) || checkpoint === null) return null;
  return { ...checkpoint, old, proof: proof as Buffer[] };
}

/**
 * Whether a witness signs: the log has signed the checkpoint, and its tree continues the one that the witness signed last.
 *
 * @param keys the keys of the log with this origin
 * @param latest the head that the witness signed last; null when it has signed none
 */
export function decideWitness(
  { old, proof, note, head }: AddCheckpoint,
  keys: readonly NoteKey[],
  latest: TreeHead | null,
): WitnessDecision {
  const known = latest ?? { size: 0, root: EMPTY_ROOT };
  const signatures = logSignatures(note, keys);
  if (signatures === null) return { refused: 'not_signed', isFork: false };
  const isFork = latest !== null && head.size === known.size && !head.root.equals(known.root);
  const refuse = (refused: WitnessRefusal): WitnessDecision => ({ refused, isFork });
  if (old > head.size) return refuse('old_size_too_large');
  if (old !== known.size) return refuse('other_size');
  if (isFork) return refuse('fork');
  return verifyConsistency(old, head.size, known.root, head.root, proof)
    ? { refused: null, signatures }
    : refuse('inconsistent');
}
