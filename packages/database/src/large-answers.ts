import { inTurns } from './in-turns.js';
import { LARGE_CONNECTIONS } from './pool.js';

/** Of all services in this process. */
const largeAnswers = inTurns(LARGE_CONNECTIONS);

interface SizedCall {
  readonly caller: { readonly tenant: string };
  /** `taken`: the gateway has a place for a large answer. */
  readonly large: string | null;
}

/**
 * A handler of an operation whose answer may be large (protocol R34). Large answers of one tenant are made one after the
 * other, from the read to the text: made side by side, all of them could be late, and none of the work would reach a caller.
 * Throws `service_unavailable` for one that waits too long.
 */
export function oneLargeAtATime<Call extends SizedCall, Answer>(
  handler: (call: Call) => Promise<Answer>,
): (call: Call) => Promise<Answer> {
  return (call) =>
    call.large === 'taken' ? largeAnswers(call.caller.tenant, () => handler(call)) : handler(call);
}
