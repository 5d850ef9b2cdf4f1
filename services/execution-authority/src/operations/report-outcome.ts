import { asJsonText, canonicalText, reportOutcome as decide } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';
import { requireIntegrity, requireOwner } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { claimIn } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';
import { openOutcome } from '../outcome.js';

/**
 * `execution-authority.report-outcome`: what the executor says happened. Evidence, so it is taken after expiry and
 * revocation too (R11).
 */
export function reportOutcome(
  deps: ExecutionDeps,
): OperationHandler<'execution-authority.report-outcome'> {
  return async (call) => {
    const { caller, input, text } = call;
    const { opened, row, recordedBy, save } = await openOutcome(deps, call);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    requireOwner(opened.principal, stored);
    requireIntegrity(stored, caller.tenant);
    const claim = claimIn(row.claim);
    if (claim?.execution_identity === input.execution_identity && isReported(row.outcome, text)) {
      return answer(200, asJsonText<SignedRecord>(row.outcome));
    }
    const transition = decide(
      stored.lifecycle,
      stored,
      { input, claim, claimDigest: row.claim_digest, recordedBy },
      row.now,
    );
    return save(stored, transition);
  };
}

/**
 * The report that is already on record, word for word: its record is the answer
 * (protocol §7 execution-authority.report-outcome).
 */
function isReported(recordText: string | null, canonicalOutcome: string): recordText is string {
  if (recordText === null) return false;
  const { protected: header, payload } = JSON.parse(recordText) as {
    protected: { type: string };
    payload: { outcome: unknown };
  };
  return header.type === 'ExecutionOutcome' && canonicalText(payload.outcome) === canonicalOutcome;
}
