import type { SecurityEntry } from '@countersign/protocol';

/** The part of the chain that this page has verified, from its first entry on. */
export interface Verified {
  /** The head of entry 1 first. */
  readonly heads: readonly string[];
  /** The last entry that a signed checkpoint covers; 0 without one. */
  readonly covered: number;
}

export const NOTHING_VERIFIED: Verified = { heads: [], covered: 0 };

/**
 * The state of an entry of the list: `covered` by a signed checkpoint, `chained` behind the last one, `open` while it was
 * not verified, `other` than the one that was verified under its number.
 */
export type EntryState = 'covered' | 'chained' | 'open' | 'other';

export function stateOf(
  { sequence, head }: Pick<SecurityEntry, 'sequence' | 'head'>,
  { heads, covered }: Verified,
): EntryState {
  const known = heads[sequence - 1];
  if (known === undefined) return 'open';
  if (known !== head) return 'other';
  return sequence <= covered ? 'covered' : 'chained';
}
