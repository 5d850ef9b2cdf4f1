import type { Answer } from './client.js';

/** Of a success its status, of a refusal its status and code: the values that tests compare. */
export function codeOf({ status, body }: Answer): number | string {
  return status < 300 ? status : `${status} ${body?.error}`;
}

/** How often each of them was given. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[codeOf(answer)] = (counts[codeOf(answer)] ?? 0) + 1;
  return counts;
}
