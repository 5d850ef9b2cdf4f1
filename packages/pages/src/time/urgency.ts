const MINUTE = 60_000;

/** How a deadline is marked, by the milliseconds that are left: amber below an hour, red below ten minutes and afterwards. */
export function urgency(left: number): 'bad' | 'warning' | 'calm' {
  if (left < 10 * MINUTE) return 'bad';
  return left < 60 * MINUTE ? 'warning' : 'calm';
}
