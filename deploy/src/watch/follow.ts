import {
  HASH_BYTES,
  TILE_WIDTH,
  consistencyPath,
  leafHash,
  logSignatures,
  rangeHash,
  readCheckpoint,
  tilesOf,
  treeEntry,
  verifyConsistency,
} from '@countersign/protocol';
import type { LeafRange, NoteKey, ReadCheckpoint, TreeHead } from '@countersign/protocol';
import { PlainError } from '../plain-error.js';
import { checkTiles } from './checked-tiles.js';
import type { CheckedTiles } from './checked-tiles.js';
import type { LogSource } from './log-source.js';
import { Violation } from './violation.js';

/** A log, and the keys that may sign for it. */
export interface WatchedLog {
  readonly origin: string;
  readonly keys: readonly NoteKey[];
  /** Signatures of these prove nothing any more, and forgers may have them. */
  readonly revoked: readonly NoteKey[];
  readonly source: LogSource;
}

/** A record that has to be in the log. */
export interface Wanted {
  /** Of the entry in the ledger, from 1. */
  readonly sequence: number;
  readonly digest: string;
}

export interface Step {
  readonly head: TreeHead;
  readonly checkpoint: string;
  /** Leaves whose hashes were read and verified in this step; the others were seen before, or were too many. */
  readonly read: LeafRange;
  /** Records that belong behind the end of the tree. */
  readonly pending: readonly Wanted[];
}

/** Leaves that one step reads at most: 32 MiB of tiles. */
const MOST_LEAVES = 2 ** 20;
const AT_ONCE = 8;

/** The head of a checkpoint that the log has signed. Throws Violation. */
export function headOf({ origin, keys, revoked }: WatchedLog, checkpoint: string): TreeHead {
  const read = readCheckpoint(checkpoint);
  if (read === null) {
    throw new Violation('no_checkpoint', `The answer of ${origin} is no checkpoint.`);
  }
  if (read.head.origin !== origin) {
    throw new Violation(
      'other_origin',
      `The log answers with a checkpoint of ${read.head.origin}, not of ${origin}.`,
    );
  }
  requireSignature(read, origin, keys, revoked);
  return read.head;
}

function requireSignature(
  { note }: ReadCheckpoint,
  origin: string,
  keys: readonly NoteKey[],
  revoked: readonly NoteKey[],
): void {
  if (logSignatures(note, keys) !== null) return;
  if (logSignatures(note, revoked) !== null) {
    throw new PlainError(
      `The checkpoint of ${origin} is signed with a key that was revoked; it cannot be known who signed it.`,
    );
  }
  throw new Violation(
    'not_signed',
    `The checkpoint of ${origin} is not signed with a key that --trust names.`,
  );
}

/**
 * Verifies that the log of this head continues the one seen before, that it serves the tiles of all that is new, and that
 * it holds the wanted records.
 *
 * @param seen the head verified last; null at the beginning
 * @throws Violation
 */
export async function follow(
  { source }: WatchedLog,
  checkpoint: string,
  head: TreeHead,
  seen: TreeHead | null,
  wanted: readonly Wanted[],
): Promise<Step> {
  if (seen !== null) requireNoStepBack(head, seen);
  const tiles = await checkTiles(head, source);
  if (seen !== null) await requireContinuation(tiles, head, seen);
  const from = seen?.size ?? 0;
  const read =
    head.size - from <= MOST_LEAVES
      ? { start: from, end: head.size }
      : { start: head.size, end: head.size };
  await readLeaves(tiles, read);
  const due = wanted.filter(({ sequence }) => sequence <= head.size);
  for (const record of due) await requireRecord(tiles, head, record);
  return { head, checkpoint, read, pending: wanted.filter((record) => !due.includes(record)) };
}

function requireNoStepBack({ origin, size, root }: TreeHead, seen: TreeHead): void {
  if (size < seen.size) {
    throw new Violation(
      'rolled_back',
      `${origin} was rolled back: it had ${seen.size} entries before and has ${size} now.`,
    );
  }
  if (size === seen.size && !root.equals(seen.root)) {
    const [before, now] = [seen.root, root].map((of) => of.toString('base64'));
    throw new Violation(
      'forked',
      `${origin} has forked: it signed two trees of ${size} entries, with the roots ${before} and ${now}.`,
    );
  }
}

async function requireContinuation(
  tiles: CheckedTiles,
  head: TreeHead,
  seen: TreeHead,
): Promise<void> {
  const path = consistencyPath(seen.size, head.size);
  const needed = new Map(
    path.flatMap(tilesOf).map((tile) => [`${tile.level}/${tile.index}`, tile] as const),
  );
  const contents = new Map(
    await Promise.all(
      [...needed].map(async ([name, tile]) => [name, await tiles.hashes(tile)] as const),
    ),
  );
  const proof = path.map((range) =>
    rangeHash(({ level, index }) => contents.get(`${level}/${index}`), range),
  );
  if (verifyConsistency(seen.size, head.size, seen.root, head.root, proof)) return;
  throw new Violation(
    'forked',
    `${head.origin} has forked: its tree of ${head.size} entries does not continue the one of ${seen.size} entries that it showed before.`,
  );
}

async function readLeaves(tiles: CheckedTiles, { start, end }: LeafRange): Promise<void> {
  const last = Math.ceil(end / TILE_WIDTH);
  for (let index = Math.floor(start / TILE_WIDTH); index < last; index += AT_ONCE) {
    const many = Math.min(AT_ONCE, last - index);
    await Promise.all(
      Array.from({ length: many }, (_, at) => tiles.hashes({ level: 0, index: index + at })),
    );
  }
}

async function requireRecord(
  tiles: CheckedTiles,
  { origin }: TreeHead,
  { sequence, digest }: Wanted,
): Promise<void> {
  const at = sequence - 1;
  const tile = await tiles.hashes({ level: 0, index: Math.floor(at / TILE_WIDTH) });
  const from = (at % TILE_WIDTH) * HASH_BYTES;
  if (leafHash(treeEntry(digest)).equals(tile.subarray(from, from + HASH_BYTES))) return;
  throw new Violation(
    'not_included',
    `Entry ${sequence} of ${origin} is another record than ${digest}.`,
  );
}
