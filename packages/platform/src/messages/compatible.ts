import type { CallerKey, CallerKeys } from '../caller.js';
import type { Changing } from '../changing.js';

/**
 * Caller tokens of the previous version: good for every service and any message, and for five minutes of difference between
 * clocks. Only while CALLER_TOKENS is `compatible`; the next release removes it (docs/upgrades.md).
 */
const KEY_ID = 'caller';
const AUDIENCE = 'countersign';

export const COMPATIBLE = {
  audience: AUDIENCE,
  minting: (key: Changing<CallerKey>): Changing<CallerKey> =>
    mapped(key, (current) => ({ ...current, id: KEY_ID })),
  verifying: (keys: Changing<CallerKeys>) => ({
    audience: AUDIENCE,
    toleranceMs: 310_000,
    keys: mapped(
      keys,
      (current) => new Map([...current.values()].slice(0, 1).map((key) => [KEY_ID, key])),
    ),
  }),
} as const;

function mapped<A, B>(from: Changing<A>, to: (value: A) => B): Changing<B> {
  return { current: () => to(from.current()), again: () => to(from.again()) };
}
