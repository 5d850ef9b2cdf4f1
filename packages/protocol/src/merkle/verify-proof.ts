import { EMPTY_ROOT, nodeHash } from './hash.js';

/** Whether the proof leads from the leaf to the root (RFC 9162 §2.1.3.2). Never throws. */
export function verifyInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  let [place, last] = [index, size - 1];
  let hash: Buffer = Buffer.from(leaf);
  for (const step of proof) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      hash = nodeHash(step, hash);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      hash = nodeHash(hash, step);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && hash.equals(root);
}

/** Whether the proof shows that the first tree is a prefix of the second (RFC 9162 §2.1.4.2). Never throws. */
export function verifyConsistency(
  first: number,
  second: number,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!isSize(first) || !isSize(second) || first > second) return false;
  if (first === second) return proof.length === 0 && Buffer.from(firstRoot).equals(secondRoot);
  // Every tree goes on from the one without leaves.
  if (first === 0) return proof.length === 0 && EMPTY_ROOT.equals(firstRoot);
  const steps = isPowerOfTwo(first) ? [firstRoot, ...proof] : proof;
  const [begin, ...rest] = steps;
  if (begin === undefined || rest.length === 0) return false;
  let [place, last] = [first - 1, second - 1];
  while (isOdd(place)) [place, last] = [half(place), half(last)];
  let of: Buffer = Buffer.from(begin);
  let to: Buffer = of;
  for (const step of rest) {
    if (last === 0) return false;
    if (isOdd(place) || place === last) {
      of = nodeHash(step, of);
      to = nodeHash(step, to);
      while (!isOdd(place) && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      to = nodeHash(to, step);
    }
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && of.equals(firstRoot) && to.equals(secondRoot);
}

// No bit operators: they would cut numbers to 32 bits.
const half = (value: number): number => Math.floor(value / 2);
const isOdd = (value: number): boolean => value % 2 === 1;

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isPowerOfTwo(value: number): boolean {
  let power = 1;
  while (power < value) power *= 2;
  return power === value;
}
