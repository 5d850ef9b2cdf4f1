import type { Digest } from '../json/canonical.js';
import { textDigest } from '../json/canonical.js';

const digest = /^sha256:[a-f0-9]{64}$/;

/** A place of a tenant's chain. */
export interface ChainPoint {
  readonly sequence: number;
  readonly head: string;
}

/** Where every chain begins: before entry 1, whose `previous` is the empty string (protocol §4.1). */
export const CHAIN_START: ChainPoint = { sequence: 0, head: '' };

/**
 * The head after the entry `sequence` (protocol §4.1).
 *
 * @param previous head of the entry before; the empty string for entry 1
 * @param recordDigest digest of the complete signed record
 * @param sequence 1 to 2^53 − 1
 * @throws TypeError for anything that cannot stand in a chain
 */
export function chainHead(previous: string, recordDigest: string, sequence: number): Digest {
  if (
    !Number.isSafeInteger(sequence) ||
    sequence < 1 ||
    !digest.test(recordDigest) ||
    (sequence === 1 ? previous !== '' : !digest.test(previous))
  ) {
    throw new TypeError(`this cannot be entry ${sequence} of a chain`);
  }
  // Canonical as it stands: members in order, values without anything to escape.
  return textDigest(
    `{"previous":"${previous}","record_digest":"${recordDigest}","sequence":${sequence}}`,
  );
}

/** As `chainHead` for values from elsewhere: null when they cannot stand in a chain. */
export function chainHeadOrNull(
  previous: string,
  recordDigest: string,
  sequence: number,
): Digest | null {
  try {
    return chainHead(previous, recordDigest, sequence);
  } catch {
    return null;
  }
}
