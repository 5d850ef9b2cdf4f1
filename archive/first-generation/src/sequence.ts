import { Fault } from './fault.js';

// How far behind the highest number a message may come whose POST was overtaken by a later one.
const REACH = 1024n;

/**
 * Refuses a client's `seq` that it has sent before. Where the transport keeps the order every number must be higher
 * than the last; where messages come by POST one may overtake another, so a number is refused when it was seen, or is
 * too old to tell.
 */
export interface SequenceGuard {
  /** Whether it is the highest so far. @throws {Fault} INVALID_MESSAGE */
  check(seq: string, relatedId: string): boolean;
  /** Begins anew with a connection. */
  reset(ordered: boolean): void;
}

export function createSequenceGuard(ordered: boolean): SequenceGuard {
  let strict = ordered;
  let highest = -1n;
  let seen = new Set<bigint>();
  const isReplay = (value: bigint) =>
    value <= highest && (strict || value <= highest - REACH || seen.has(value));
  return {
    check(seq, relatedId) {
      const value = BigInt(seq);
      if (isReplay(value)) {
        throw new Fault('INVALID_MESSAGE', 'A message of this sequence number has been sent.', {
          relatedId,
        });
      }
      if (!strict) {
        seen.add(value);
        if (seen.size > 2 * Number(REACH)) {
          const newest = value > highest ? value : highest;
          seen = new Set([...seen].filter((each) => each > newest - REACH));
        }
      }
      if (value <= highest) return false;
      highest = value;
      return true;
    },
    reset(nowOrdered) {
      strict = nowOrdered;
      highest = -1n;
      seen = new Set();
    },
  };
}
