// Deadlines are the service's: the remaining time is counted by its clock, not by the reader's.

const MATTERS_MS = 2_000;
let ahead = 0;

/** Learns from a `Date` header how far the service's clock is ahead of this machine's. */
export function learnTime(header: string | null, here = Date.now()): void {
  if (header === null) return;
  const there = Date.parse(header);
  if (Number.isNaN(there)) return;
  const difference = there - here;
  ahead = Math.abs(difference) < MATTERS_MS ? 0 : difference;
}

/** The service's time, epoch milliseconds. */
export function now(): number {
  return Date.now() + ahead;
}
