import { Refusal } from '../errors.js';
import { TIERS, isExtended } from '../records/index.js';
import type {
  Attention,
  AttentionPolicy,
  DecisionRequest,
  ExtendedDecisionRequest,
} from '../records/index.js';

// How much attention a yes has had (protocol §18.12). All times are the database's, in epoch milliseconds.

/** What the policy of a request asks of a yes; null where it asks for no attention. */
export function attentionOf(request: Pick<DecisionRequest, 'profiles'>): AttentionPolicy | null {
  if (!isExtended(request.profiles)) return null;
  return (request as ExtendedDecisionRequest).approval.policy.attention ?? null;
}

/** The longest time that the length of a document asks for. */
const MOST_OF_RATE_MS = 600_000;

/** What a person has been given of a request, and when for the first time. */
export interface Reading {
  /** Null while the person has not read the material. */
  readonly materialAt: number | null;
  readonly candidateAt: number;
  /** Of the document, in code points. */
  readonly characters: number;
}

/** How long a person reads before a yes, milliseconds. */
export function leastReading(
  { read_seconds, reading_rate }: AttentionPolicy,
  characters: number,
): number {
  const byLength = reading_rate === 0 ? 0 : Math.ceil((characters / reading_rate) * 1000);
  return Math.max(read_seconds * 1000, Math.min(byLength, MOST_OF_RATE_MS));
}

/**
 * Throws `attention_required` until the person has read the material for long enough, and the candidate has cooled down; then
 * with the seconds that are left.
 */
export function requireRead(
  policy: AttentionPolicy,
  { materialAt, candidateAt, characters }: Reading,
  now: number,
): void {
  if (materialAt === null) {
    throw new Refusal('attention_required', { detail: 'Read the material first.' });
  }
  const until = Math.max(
    materialAt + leastReading(policy, characters),
    candidateAt + policy.cool_down_seconds * 1000,
  );
  if (now >= until) return;
  throw new Refusal('attention_required', {
    detail: 'The time for reading is not over yet.',
    retryAfter: Math.ceil((until - now) / 1000),
  });
}

/** Code points of a text. */
export function charactersOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) as number) > 0xffff) pairs += 1;
  }
  return text.length - pairs;
}

/** Characters a second that nobody reads faster than. */
const FASTEST = 50;
const SHORT_DOCUMENT = 500;

/** Whether a person decided before a document of this length can have been read. */
export function isFasterThanReading({ read_ms }: Attention, characters: number): boolean {
  return characters >= SHORT_DOCUMENT && (read_ms / 1000) * FASTEST < characters;
}

/** Whether less attention would be enough after a change. A label that changes may lead to another value: it counts as less. */
export function asksForLess(before: AttentionPolicy, after: AttentionPolicy | undefined): boolean {
  if (after === undefined) return true;
  const keeps = ({ label, pointer }: AttentionPolicy['typed'][number]) =>
    after.typed.some((value) => value.label === label && value.pointer === pointer);
  return (
    TIERS.indexOf(after.tier) < TIERS.indexOf(before.tier) ||
    after.read_seconds < before.read_seconds ||
    isLooser(before.reading_rate, after.reading_rate) ||
    after.cool_down_seconds < before.cool_down_seconds ||
    !before.typed.every(keeps) ||
    !before.open.every((part) => after.open.includes(part)) ||
    isLooser(before.per_hour, after.per_hour) ||
    isLooser(before.per_day, after.per_day)
  );
}

/** Of numbers that are stricter the lower they are, and of which 0 is no limit. */
function isLooser(before: number, after: number): boolean {
  return before !== 0 && (after === 0 || after > before);
}
