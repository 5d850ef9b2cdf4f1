import { counterMayFollow, counterOf } from '../human-key/index.js';
import type { VerifierContext } from './context.js';
import type { Keyring } from './export-credentials.js';
import type { CheckedVote } from './export-votes.js';

/** The counters of each key, from its enrolment over the votes by it in their order (protocol §19.2). */
export function checkCounters(
  { findings }: VerifierContext,
  votes: readonly CheckedVote[],
  { bound }: Keyring,
): void {
  const last = new Map<string, number>();
  for (const { payload } of bound.values()) {
    last.set(payload.credential, counterOf(payload.enrolment) ?? 0);
  }
  const ordered = [...votes].sort((one, other) => one.payload.number - other.payload.number);
  for (const { path, payload } of ordered) {
    if (payload.human === null) continue;
    const counter = counterOf(payload.human);
    // Authenticator data that cannot be read fails by itself.
    if (counter === null) continue;
    const before = last.get(payload.human.credential) ?? 0;
    findings.check('human_counter', `${path}/payload/human`, counterMayFollow(before, counter));
    last.set(payload.human.credential, counter);
  }
}
