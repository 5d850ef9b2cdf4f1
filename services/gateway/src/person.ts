import { Refusal } from '@countersign/protocol';

import type { Authenticated, AuthenticatedSession } from './authentication.js';
import type { Call } from './call.js';
import type { Pipeline } from './pipeline.js';

export interface SignedInPerson extends Authenticated {
  readonly session: AuthenticatedSession;
}

/**
 * The person who reads a page or asks for their session: a human or an auditor. Throws `unauthenticated`, `csrf`,
 * `human_required`, `rate_limited`.
 */
export type AskPerson = (call: Call) => Promise<SignedInPerson>;

export function createAskPerson(pipeline: Pipeline): AskPerson {
  return async (call) => {
    const caller = await pipeline.admit(call, 'page');
    const { session } = caller;
    if (session === null) throw new Refusal('human_required');
    call.reader = caller;
    return { ...caller, session };
  };
}
