import type { Answer } from './answer.js';
import type { BusReply } from './bus/types.js';

// Answers that may be large (protocol R34): a service says so before it reads the large part.

export const LARGE_STEPS = ['ask', 'taken'] as const;
/**
 * `ask`: the gateway wants {@link LARGE_ANSWER} instead of a large answer, and comes again with `taken` once it has a place
 * for it.
 */
export type LargeStep = (typeof LARGE_STEPS)[number];

const LARGE_HEADER = 'large';

/** Says that the answer would be large. */
export const LARGE_ANSWER = {
  status: 200,
  body: '',
  headers: { [LARGE_HEADER]: 'yes' },
} satisfies BusReply as BusReply as Answer<never, never>;

export function isLargeAnswer({ headers }: BusReply): boolean {
  return headers?.[LARGE_HEADER] !== undefined;
}

/**
 * Reads for an answer that may be large: without the large part at first, whole when there is a place for it. Null stands
 * for {@link LARGE_ANSWER}.
 */
export async function readSized<Found extends { isLarge: boolean }>(
  { large }: { readonly large: LargeStep | null },
  read: (whole: boolean) => Promise<Found>,
): Promise<Found | null> {
  if (large === 'taken') return read(true);
  const found = await read(false);
  if (!found.isLarge) return found;
  return large === 'ask' ? null : read(true);
}
