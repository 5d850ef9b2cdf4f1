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
 * replica.
 */
export function admit(deps: ExecutionDeps): OperationHandler<'execution-authority.admit'> {
  return async ({ caller, id, input, body }) => {
    const found = await deps.store.loadForAdmission(caller, id, input.nonce);
    const opened = await openRequest(deps.directory, caller, found, body);
    const { row: loaded } = opened;
    const stored = await requireStandingAuthority(deps.directory, caller, opened, 'consumed');
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
    });
    return answer(200, evidenceIn(signed).text);
  };
}
