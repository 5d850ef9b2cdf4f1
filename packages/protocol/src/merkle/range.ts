/** Leaves from `start` up to, but without, `end`. */
export interface LeafRange {
  readonly start: number;
  readonly end: number;
}

/** The largest power of two below `count`, which is 2 at least (RFC 9162 §2.1.1). */
export function splitPoint(count: number): number {
  let power = 1;
  // No shifts: trees may have more than 2^31 leaves.
  while (power * 2 < count) power *= 2;
  return power;
}

/**
 * The subtrees whose hashes prove that the leaf `index` is in the tree of `size` leaves, from the leaf's sibling up
 * (RFC 9162 §2.1.3.1).
 *
 * @throws RangeError unless 0 ≤ index < size ≤ 2^53 − 1
 */
export function inclusionPath(index: number, size: number): LeafRange[] {
  if (!isSize(size) || !isSize(index) || index >= size) {
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  }
  const path: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
    }
  }
  return path.reverse();
}

/**
 * The subtrees whose hashes prove that the tree of `first` leaves is a prefix of the one of `second` leaves
 * (RFC 9162 §2.1.4.1). Empty where there is nothing to prove: from no leaves, or to the same tree.
 *
 * @throws RangeError unless 0 ≤ first ≤ second ≤ 2^53 − 1
 */
export function consistencyPath(first: number, second: number): LeafRange[] {
  if (!isSize(first) || !isSize(second) || first > second) {
    throw new RangeError(`a tree of ${first} leaves is no prefix of one of ${second}`);
  }
  if (first === 0 || first === second) return [];
  const path: LeafRange[] = [];
  let [start, end] = [0, second];
  // Whether the subtree looked at is the whole first tree, whose hash the verifier has.
  let known = true;
  while (first !== end) {
    const middle = start + splitPoint(end - start);
    if (first <= middle) {
      path.push({ start: middle, end });
      end = middle;
    } else {
      path.push({ start, end: middle });
      start = middle;
      known = false;
    }
  }
  if (!known) path.push({ start, end });
  return path.reverse();
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
