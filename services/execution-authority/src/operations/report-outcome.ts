import { asJsonText, canonicalText, reportOutcome as decide } from '@countersign/protocol';
import type { Digest, ReadOutcome, SignedRecord } from '@countersign/protocol';
import { requireIntegrity, requireOwner } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import { claimIn } from '../authority.js';
import type { ExecutionDeps } from '../deps.js';
import { openOutcome } from '../outcome.js';
import type { OutcomeStep } from '../outcome.js';

/**
 * `execution-authority.report-outcome`: the executor's report of the outcome. Evidence, so it is taken after expiry and
 * revocation too (R11).
 */
export function reportOutcome(
  deps: ExecutionDeps,
): OutcomeStep<'execution-authority.report-outcome'> {
  return async (call) => {
    const { caller, input } = call;
    const { opened, recordedBy, save } = await openOutcome(deps, call);
    if (opened.replay !== null) return storedReply(opened.replay);
    const { row } = opened;
    const stored = await opened.visible();
    requireOwner(opened.principal, stored);
    requireIntegrity(stored, caller.tenant, deps.profiles);
    const claim = claimIn(row.claim);
    const isOwn = claim?.execution_identity === input.execution_identity;
    if (isOwn && isReported(row.outcome, row.claim_digest, input)) {
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
 * (protocol §7 execution-authority.report-outcome). Members of a canonical text stand in the order of their names, so the
 * outcome is compared where it stands, and only the rest is parsed: the outcome may be large.
 */
function isReported(
  recordText: string | null,
  claimDigest: Digest,
  { text }: ReadOutcome,
): recordText is string {
  const before = `{"payload":{"claim_digest":${canonicalText(claimDigest)},"outcome":`;
  if (recordText === null || !recordText.startsWith(before)) return false;
  if (!recordText.startsWith(text, before.length)) return false;
  const rest = `${before}null${recordText.slice(before.length + text.length)}`;
  return (JSON.parse(rest) as SignedRecord).protected.type === 'ExecutionOutcome';
}
