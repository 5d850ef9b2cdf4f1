import {
  Refusal,
  attentionOf,
  ballot,
  canonicalText,
  challengeOf,
  valueDigest,
} from '@countersign/protocol';
import type { ApprovalOffer, ApprovalStatement } from '@countersign/protocol';
import { answer, drawBytes, newId } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireApprovals } from '../approvals.js';
import { attentionAsked, attentionGiven } from '../attention.js';
import type { ReviewDeps } from '../deps.js';
import { readBallot, requireVotesLeft } from '../reading-ballots.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { OFFER_MS, asksForKey, keyToSign, statementOf } from '../signed-votes.js';
import type { UsableKey } from '../signed-votes.js';

/**
 * `review.offer-approval`: the statement of a vote before it is given, for the caller's key to sign (protocol §19.7), and with
 * the attention that a yes has had (§18.12). It asks everything that the vote is asked before its signature, and moves nothing
 * of the request.
 */
export function offerApproval(deps: ReviewDeps): OperationHandler<'review.offer-approval'> {
  return reviewerOperation(deps, 'review.offer-approval', ({ input }) => async (opened) => {
    const { row, reviewer } = opened;
    const stored = requireApprovals(opened.stored);
    // Nothing is signed or read before a vote then.
    if (!asksForKey(stored) && attentionOf(stored.request) === null) throw new Refusal('not_found');
    const read = await readBallot(deps, stored, reviewer.id, input);
    const asked = { id: newId(), input, found: read.candidate };
    const { record } = ballot(stored.lifecycle, stored, read.voting, read.member, asked, row.now);
    requireVotesLeft(read);
    const key = asksForKey(stored) ? await keyToSign(deps, stored, record, input.credential) : null;
    const policy = attentionAsked(stored, record);
    const given =
      policy === null
        ? { attention: null, characters: null, now: row.now }
        : await attentionGiven(deps, stored, record, policy, input);
    const offered = {
      ...{ credential: key?.key.id ?? null, issuedAt: given.now },
      ...{ attention: given.attention, characters: given.characters },
      nonce: drawBytes(16).toString('base64url'),
    };
    const statement = statementOf(deps, stored, record, offered);
    const digest = valueDigest(statement);
    await deps.signing.saveOffer(stored.tenant, { digest, person: record.person, ...offered });
    const offer: ApprovalOffer = {
      statement,
      offer: digest,
      options: key === null ? null : optionsFor(key, statement),
      expires_at: new Date(given.now + OFFER_MS).toISOString(),
    };
    return answer(200, canonicalText(offer));
  });
}

function optionsFor(
  { key, bound }: UsableKey,
  statement: ApprovalStatement,
): ApprovalOffer['options'] {
  return {
    challenge: challengeOf(statement),
    timeout: OFFER_MS,
    rpId: bound.rp_id,
    allowCredentials: [{ type: 'public-key', id: key.credentialId }],
    userVerification: 'required',
  };
}
