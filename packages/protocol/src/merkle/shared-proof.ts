import { leafHash, nodeHash } from './hash.js';
import type { LeafRange } from './range.js';
import { splitPoint } from './range.js';

/** What a shared proof is about: some leaves of a tree, and a smaller tree that is a prefix of it. */
export interface SharedProofOf {
  /** Leaves of the tree, at least 1. */
  readonly size: number;
  /** Leaves of the smaller tree, at most `size`; null where only leaves are proven. */
  readonly earlier: number | null;
}

/**
 * The subtrees whose hashes lead from all of these leaves to the root of the tree, and to that of the smaller one: the nodes of
 * RFC 9162's inclusion and consistency proofs, each once and without those that follow from others. From left to right.
 *
 * @throws RangeError unless all leaves are in the tree and 0 < earlier ≤ size ≤ 2^53 − 1
 */
export function sharedPath(leaves: Iterable<number>, of: SharedProofOf): LeafRange[] {
  const sorted = sortedLeaves(leaves);
  if (!isPossible(sorted, of)) throw new RangeError(`no proof in a tree of ${of.size} leaves`);
  const path: LeafRange[] = [];
  walk(sorted, of, {
    given: (range) => void path.push(range),
    leaf: () => undefined,
    node: () => undefined,
    earlier: () => undefined,
  });
  return path;
}

/**
 * The roots that a shared proof leads to: compare them with the signed ones. Never throws.
 *
 * @param leaves entries of the tree by their index
 * @param nodes hashes of `sharedPath`, in its order
 * @returns null when the proof has too few or too many nodes, or is of an impossible tree
 */
export function sharedRoots(
  leaves: ReadonlyMap<number, Uint8Array>,
  of: SharedProofOf,
  nodes: readonly Uint8Array[],
): { readonly root: Buffer; readonly earlierRoot: Buffer | null } | null {
  const sorted = sortedLeaves(leaves.keys());
  if (!isPossible(sorted, of)) return null;
  let used = 0;
  const parts: Buffer[] = [];
  const root = walk<Buffer | null>(sorted, of, {
    given: () => {
      const node = nodes[used];
      used += 1;
      return node === undefined ? null : Buffer.from(node);
    },
    leaf: (index) => leafHash(leaves.get(index) as Uint8Array),
    node: (left, right) => (left === null || right === null ? null : nodeHash(left, right)),
    earlier: (hash) => {
      if (hash !== null) parts.push(hash);
    },
  });
  if (root === null || used !== nodes.length) return null;
  // The smaller tree hangs each of its perfect subtrees beside the larger one before it.
  const earlierRoot = parts.reduceRight<Buffer | null>(
    (right, left) => (right === null ? left : nodeHash(left, right)),
    null,
  );
  return { root, earlierRoot };
}

interface Visit<Hash> {
  /** A subtree whose hash the proof gives. */
  given(range: LeafRange): Hash;
  leaf(index: number): Hash;
  node(left: Hash, right: Hash): Hash;
  /** A largest subtree of the smaller tree. */
  earlier(hash: Hash): void;
}

function walk<Hash>(
  sorted: readonly number[],
  { size, earlier }: SharedProofOf,
  visit: Visit<Hash>,
): Hash {
  /** `from` to `to`: the leaves among `sorted` that lie in the range. */
  const into = (range: LeafRange, from: number, to: number, isPart: boolean): Hash => {
    const { start, end } = range;
    const isEarlier = earlier !== null && end <= earlier;
    const isCut = earlier !== null && start < earlier && earlier < end;
    const hash = hashOf();
    if (isEarlier && !isPart) visit.earlier(hash);
    return hash;

    function hashOf(): Hash {
      if (from === to && !isCut) return visit.given(range);
      if (end - start === 1) return visit.leaf(start);
      const middle = start + splitPoint(end - start);
      const split = firstFrom(sorted, middle, from, to);
      const part = isPart || isEarlier;
      const left = into({ start, end: middle }, from, split, part);
      return visit.node(left, into({ start: middle, end }, split, to, part));
    }
  };
  return into({ start: 0, end: size }, 0, sorted.length, false);
}

/** Place of the first of the sorted numbers, from `from` up to `to`, that is not below the limit. */
function firstFrom(sorted: readonly number[], limit: number, from: number, to: number): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sortedLeaves(leaves: Iterable<number>): number[] {
  return [...new Set(leaves)].sort((a, b) => a - b);
}

function isPossible(sorted: readonly number[], { size, earlier }: SharedProofOf): boolean {
  const isSize = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
  return (
    isSize(size) &&
    (earlier === null || (isSize(earlier) && earlier <= size)) &&
    sorted.every((leaf) => Number.isSafeInteger(leaf) && leaf >= 0 && leaf < size)
  );
}
