import {
  Refusal,
  asJsonText,
  canonicalObject,
  requireDecisionOfPurpose,
  requirePending,
  textDigest,
  unchanged,
} from '@countersign/protocol';
import type { DecisionCandidate } from '@countersign/protocol';
import { commit } from '@countersign/database';
import { answer, newId } from '@countersign/platform';
import type { ReviewDeps } from '../deps.js';
import type { ProposalInput } from '../proposal-input.js';
import { countEndings, decidedByApprovals, replacedBy } from '../approvals.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { FREEZE, FREEZE_OVER } from '../store/index.js';

const MOST_REVISIONS = 32;

/**
 * `review.propose`: freezes a response that fits the stored schema as this reviewer's candidate
 * (protocol §7 review.propose, R9). The schema is checked between two reads, in a worker: nothing is held while it runs.
 */
export function propose(deps: ReviewDeps) {
  return reviewerOperation<'review.propose', ProposalInput>(deps, 'review.propose', (call) => {
    const { caller } = call;
    const { decision, response } = call.input;
    let checked: string | null = null;
    return async ({ row, stored, reviewer }) => {
      const { lifecycle } = stored;
      requirePending(lifecycle, row.now);
      requireDecisionOfPurpose(lifecycle.purpose, decision);
      if (response.bytes > stored.request.limits.response_bytes) {
        throw new Refusal('response_too_large');
      }
      const schemaDigest = stored.request.review.response_schema_digest;
      if (checked !== schemaDigest) {
        await deps.schemas.check(caller.tenant, {
          schemaText: row.response_schema ?? '',
          responseText: response.text,
        });
        checked = schemaDigest;
      }
      if (row.last_revision >= MOST_REVISIONS) throw new Refusal('proposal_revision_limit');
      const candidate: Omit<DecisionCandidate, 'response'> = {
        created_at: new Date(row.now).toISOString(),
        decision,
        id: newId(),
        request_digest: stored.digest,
        request_id: stored.id,
        response_canonical: response.text,
        response_digest: response.digest,
        reviewer: reviewer.id,
        revision: row.last_revision + 1,
      };
      const text = asJsonText<DecisionCandidate>(
        canonicalObject({ ...candidate }, { response: response.text }),
      );
      const frozen = {
        before: lifecycle.reviewDeadline,
        answer: { call, status: 201, result: text },
        own: {
          candidate_revision: candidate.revision,
          id: candidate.id,
          digest: textDigest(text),
          candidate: text,
          created_at: candidate.created_at,
        },
      };
      if (decidedByApprovals(stored)) {
        const { transition, ended, own } = await replacedBy(deps, reviewer.id, { stored, row });
        const over = { ...frozen, own: { ...frozen.own, ...own } };
        await commit(deps, FREEZE_OVER, stored, transition, over);
        countEndings(deps, ended);
      } else {
        await commit(deps, FREEZE, stored, unchanged(lifecycle), frozen);
      }
      return answer(201, text);
    };
  });
}
