import { randomBytes } from 'node:crypto';
import { LIFE_MS, TOLERANCE_MS } from '../caller.js';

/** After this long a message is refused for its age. */
const LASTS_MS = LIFE_MS + TOLERANCE_MS;

/** Makes names of messages: `<when, by the database's clock>.<unlike any other>`. */
export function createMessageIds(): (now: number) => string {
  const process = randomBytes(12).toString('base64url');
  let count = 0;
  return (now) => {
    count += 1;
    return `${Math.floor(now).toString(36)}.${process}${count.toString(36)}`;
  };
}

/** Whether a message of that name may be answered at that time. */
export function isTimely(message: string, now: number): boolean {
  const sent = Number.parseInt(message, 36);
  // Also false for a value that is not a number.
  return sent > now - LASTS_MS && sent < now + TOLERANCE_MS;
}

/** Remembers names for as long as their messages could be sent again. */
export function createSeen(): { isNew(message: string, now: number): boolean } {
  let recent = new Set<string>();
  let older = new Set<string>();
  let since = 0;
  return {
    isNew(message, now) {
      // A name from the future may come again for as long as it lasts, so both generations together outlive it.
      if (now - since > LASTS_MS + TOLERANCE_MS) {
        older = recent;
        recent = new Set();
        since = now;
      }
      if (recent.has(message) || older.has(message)) return false;
      recent.add(message);
      return true;
    },
  };
}
