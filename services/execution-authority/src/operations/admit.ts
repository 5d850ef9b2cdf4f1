import { admit as decide } from '@countersign/protocol';
import { commit, evidenceIn, openRequest } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { claimIn, requireStandingAuthority } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';
import { ADMIT } from '../store/index.js';

/**
 * `execution-authority.admit`: a fresh permit for the claim, bounded by the grant's own deadline, which no permit moves
 * (protocol §7 execution-authority.admit). The nonce is spent in the same statement: a replay finds it there, on every
 * replica. A further try of one call, whose first answer was lost on the bus, gets the permit of the first.
 */
export function admit(deps: ExecutionDeps): OperationHandler<'execution-authority.admit'> {
  return async ({ caller, id, call, input, body }) => {
    const found = await deps.store.loadForAdmission(caller, id, input.nonce, call);
    const opened = await openRequest(deps.directory, caller, found, body);
    const { row: loaded } = opened;
    const stored = await requireStandingAuthority(deps, caller, opened, 'consumed');
    if (loaded.admitted !== null) return answer(200, loaded.admitted);
    const { lifecycle } = stored;
    const transition = decide(
      lifecycle,
      stored,
      {
        input,
        claim: claimIn(loaded.claim),
        claimDigest: loaded.claim_digest,
        anchor: loaded.anchor,
        nonceUsed: loaded.nonce_used,
      },
      loaded,
      loaded.now,
    );
    const signed = await commit(deps, ADMIT, stored, transition, {
      before: lifecycle.grantDeadline,
      own: { call },
    });
    return answer(200, evidenceIn(signed).text);
  };
}
