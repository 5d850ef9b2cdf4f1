import { Refusal } from '../errors.js';
import type { Digest } from '../json/canonical.js';
import type { Confirmation, DecisionCandidate, DecisionReceipt, Quorum } from '../records/index.js';
import { isExtended } from '../records/extended.js';
import { formatTimestamp } from '../records/timestamp.js';
import { requireDecisionOfPurpose, requirePending } from './pending.js';
import type { Lifecycle } from './state.js';
import { step } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';

export interface Confirming {
  readonly input: Confirmation;
  /** The reviewer's newest candidate, unless it has ended with its assignment or request. */
  readonly candidate: DecisionCandidate | null;
  readonly candidateDigest: Digest;
  readonly reviewer: string;
}

/**
 * `review.confirm`: exactly the candidate that was frozen, of a request that one person decides (protocol §18.7). The grant's clock starts here and is never restarted: grant
 * deadline = min(now + grant seconds, valid until).
 */
export function confirm(
  state: Lifecycle,
  { id, request, digest }: RequestFacts,
  { input, candidate, candidateDigest, reviewer }: Confirming,
  now: number,
): Transition {
  const pending = requirePending(state, now);
  // By the profile, as every verifier tells it.
  if (isExtended(request.profiles)) throw new Refusal('approval_required');
  if (candidate?.id !== input.candidate_id || candidateDigest !== input.candidate_digest) {
    throw new Refusal('candidate_changed');
  }
  requireDecisionOfPurpose(state.purpose, candidate.decision);
  return decided(pending, { id, request, digest }, { candidate, candidateDigest, reviewer }, now);
}

/** A decision: the frozen candidate, the person who made it binding, and the votes behind it where several people decide. */
export interface Deciding {
  readonly candidate: DecisionCandidate;
  readonly candidateDigest: Digest;
  readonly reviewer: string;
  readonly quorum?: Quorum;
}

/** The step from a pending request to a decided one, with its receipt. */
export function decided(
  pending: Transition,
  { id, request, digest }: RequestFacts,
  { candidate, candidateDigest, reviewer, quorum }: Deciding,
  now: number,
): Transition {
  const { purpose, grant } = pending.next;
  const { decision } = candidate;
  const grantDeadline =
    purpose === 'review'
      ? null
      : Math.min(
          now + request.limits.grant_seconds * 1000,
          request.execution === undefined ? Infinity : Date.parse(request.execution.valid_until),
        );
  const authorises = decision === 'authorise';
  return step(
    pending,
    'decision',
    {
      decision: 'confirmed',
      audit: 'pending',
      grant: authorises ? 'pending_anchor' : grant,
      grantDeadline,
    },
    {
      record: {
        type: 'DecisionReceipt',
        payload: {
          candidate_digest: candidateDigest,
          candidate_id: candidate.id,
          confirmed_at: formatTimestamp(now),
          decision,
          ...(grantDeadline === null ? {} : { grant_deadline: formatTimestamp(grantDeadline) }),
          purpose: request.purpose,
          ...(quorum === undefined ? {} : { quorum }),
          request_digest: digest,
          request_id: id,
          requester: request.requester.subject,
          response_digest: candidate.response_digest,
          reviewer,
          // The decision is of the purpose, and only an execution has a grant deadline.
        } as DecisionReceipt,
      },
      deadlines:
        authorises && grantDeadline !== null ? [{ kind: 'grant', due: grantDeadline }] : [],
    },
  );
}
