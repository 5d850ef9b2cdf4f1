import { Refusal, ballot, canonicalText, challengeOf, valueDigest } from '@countersign/protocol';
import type { ApprovalOffer } from '@countersign/protocol';
import { answer, drawBytes, newId } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireApprovals } from '../approvals.js';
import type { ReviewDeps } from '../deps.js';
import { readBallot, requireVotesLeft } from '../reading-ballots.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { OFFER_MS, asksForKey, keyToSign, statementOf } from '../signed-votes.js';

/**
 * `review.offer-approval`: what the caller's key signs with a vote (protocol §19.7). It asks everything that the vote is asked
 * before its signature, and moves nothing of the request.
 */
export function offerApproval(deps: ReviewDeps): OperationHandler<'review.offer-approval'> {
  return reviewerOperation(deps, 'review.offer-approval', ({ input }) => async (opened) => {
    const { row, reviewer } = opened;
    const stored = requireApprovals(opened.stored);
    // Without keys nothing is signed.
    if (!asksForKey(stored)) throw new Refusal('not_found');
    const read = await readBallot(deps, stored, reviewer.id, input);
    const asked = { id: newId(), input, found: read.candidate };
    const { record } = ballot(stored.lifecycle, stored, read.voting, read.member, asked, row.now);
    requireVotesLeft(read);
    const { key, bound } = await keyToSign(deps, stored, record, input.credential);
    const offered = {
      ...{ credential: key.id, issuedAt: row.now },
      nonce: drawBytes(16).toString('base64url'),
    };
    const statement = statementOf(deps, stored, record, offered);
    const digest = valueDigest(statement);
    await deps.signing.saveOffer(stored.tenant, { digest, person: record.person, ...offered });
    const offer: ApprovalOffer = {
      statement,
      offer: digest,
      options: {
        challenge: challengeOf(statement),
        timeout: OFFER_MS,
        rpId: bound.rp_id,
        allowCredentials: [{ type: 'public-key', id: key.credentialId }],
        userVerification: 'required',
      },
      expires_at: new Date(row.now + OFFER_MS).toISOString(),
    };
    return answer(200, canonicalText(offer));
  });
}
