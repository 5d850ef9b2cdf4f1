import { parseTimestamp } from '@countersign/protocol';
import { PlainError } from '../plain-error.js';

/** The time that a flag gives, in epoch milliseconds. Throws PlainError. */
export function timeOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTimestamp(text);
  if (time === null)
    throw new PlainError(`${flag} ${text}: not a time such as 2026-05-01T09:00:00Z.`);
  return time;
}
