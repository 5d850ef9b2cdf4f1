import {
  Refusal,
  asJsonText,
  ballot,
  canonicalObject,
  count,
  isFasterThanReading,
  textDigest,
} from '@countersign/protocol';
import type {
  ApprovalRecord,
  ApprovalResult,
  AttentionPolicy,
  Member,
  Tally,
} from '@countersign/protocol';
import { commit, requireEligibleReviewer } from '@countersign/database';
import type { Values } from '@countersign/database';
import { answer, newId } from '@countersign/platform';
import type { IssuedRecord, OperationHandler } from '@countersign/platform';
import { memberOf, requireApprovals } from '../approvals.js';
import { attentionAsked, offeredVote } from '../attention.js';
import type { ApprovedRequest } from '../approved-request.js';
import type { ReviewDeps } from '../deps.js';
import { readBallot, requireVotesLeft } from '../reading-ballots.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { asksForKey, signedVote } from '../signed-votes.js';
import type { OfferedVote, SignedVote } from '../signed-votes.js';
import { DECIDE, OFFERED, SIGNED, VOTE } from '../store/index.js';
import { withinLimits } from '../store/limits.js';

/**
 * `review.approve`: one person's signed yes or no to one frozen candidate (protocol §18.4). The vote is signed before it is
 * counted, because a receipt names its record (decisions/0035). All votes of a request move one version: of those that are
 * given at the same time each is counted on those before it. Where the policy asks for keys, the person has signed it before
 * (protocol §19.7); where it asks for attention, a yes has an offer and its giver is within the limits of the route (§18.12).
 */
export function approve(deps: ReviewDeps): OperationHandler<'review.approve'> {
  return reviewerOperation(deps, 'review.approve', (call) => async (opened) => {
    const { row, reviewer } = opened;
    const stored = requireApprovals(opened.stored);
    const { tenant, lifecycle, request } = stored;
    const read = await readBallot(deps, stored, reviewer.id, call.input);
    const { member, voting } = read;
    const asked = { id: newId(), input: call.input, found: read.candidate };
    const cast = ballot(lifecycle, stored, voting, member, asked, row.now);
    requireVotesLeft(read);
    const signature = asksForKey(stored)
      ? await signedVote(deps, stored, cast.record, call.input, row.now)
      : null;
    const offered =
      signature ?? (await offeredVote(deps, stored, cast.record, call.input, row.now));
    const record = {
      ...cast.record,
      ...{ attention: offered?.attention ?? null, human: signature?.human ?? null },
    };

    const subject = {
      ...{ tenant, audience: stored.owner },
      ...{ purpose: request.purpose, profiles: request.profiles },
    };
    const vote = await deps.notary.issue('ApprovalRecord', subject, row.now, record);
    const { transition, tally } = count({ ...cast, record }, vote.digest, stored, voting, row.now);
    const decides = tally.phase !== 'collecting';
    if (decides) await requireCounted(deps, tally, reviewer.id, stored);
    const seat = tally.counted.find((each) => each.vote.id === vote.digest);
    const others = tally.counted.filter((each) => each !== seat);
    const statements = statementsOf(signature, offered);
    const statement = decides ? statements.DECIDE : statements.VOTE;
    const limits = attentionAsked(stored, record);
    const signed = await withinLimits(limits, async () =>
      commit(deps, statement, stored, transition, {
        before: lifecycle.reviewDeadline,
        first: [vote],
        answer: (records) => ({ call, status: 201, result: resultOf(vote, records) }),
        own: {
          vote_id: record.id,
          vote_number: record.number,
          candidate_id: record.candidate_id,
          candidate_digest: record.candidate_digest,
          vote_decision: record.decision,
          person: record.person,
          stage: record.stage,
          groups: record.groups,
          team: record.team,
          state: seat === undefined ? 'live' : 'counted',
          seat_group: seat?.group ?? null,
          vote_record: vote.id,
          vote_digest: vote.digest,
          approved_at: record.approved_at,
          ...evidenceOf(member, signature),
          ...(offered !== null && takenOffer(offered, limits, stored.route)),
          ...(decides && {
            counted_votes: others.map((each) => each.vote.id),
            counted_groups: others.map(({ group }) => group),
          }),
        },
      }),
    );
    deps.votes.voted(record.decision, record.mode);
    if (decides) deps.votes.decided(row.now - row.accepted_at);
    countReading(deps, record, offered, row.now);
    return answer(201, resultOf(vote, signed));
  });
}

/** Counts how a yes with attention was given. */
function countReading(
  { votes }: ReviewDeps,
  { attention }: ApprovalRecord,
  offered: OfferedVote | null,
  now: number,
): void {
  if (attention === null) return;
  const { tier, material_first_read_at: first } = attention;
  const isFast = isFasterThanReading(attention, offered?.characters ?? 0);
  votes.read(tier, now - Date.parse(first), isFast);
}

function statementsOf(signature: SignedVote | null, offered: OfferedVote | null) {
  if (signature !== null) return SIGNED;
  return offered === null ? { DECIDE, VOTE } : OFFERED;
}

/** The values of the offer that a vote takes, and of the limits of its giver. */
function takenOffer(
  { statementDigest }: OfferedVote,
  limits: AttentionPolicy | null,
  route: string,
): Values {
  return {
    statement_digest: statementDigest,
    limited_on: route,
    per_hour: limits?.per_hour ?? 0,
    per_day: limits?.per_day ?? 0,
  };
}

/** The values of the records that the vote cites, and of its signature. */
function evidenceOf(
  { membership, record }: Member & { readonly record: string },
  signature: SignedVote | null,
): Values {
  const cited = { membership_digest: membership, membership: record };
  if (signature === null) return cited;
  const { human, counter, evidence } = signature;
  return {
    ...cited,
    ...{ credential: human.credential, counter },
    signed_by: human.credential,
    key_digests: evidence.map(({ text }) => textDigest(text)),
    key_types: evidence.map(({ type }) => type),
    key_records: evidence.map(({ text }) => text),
  };
}

/**
 * The others whose votes count must be able to decide now as well: a person who is not certain to be known, or who configured the
 * route meanwhile, keeps a vote. Throws `identity_uncertain`.
 */
async function requireCounted(
  deps: ReviewDeps,
  { counted }: Tally,
  voter: string,
  stored: ApprovedRequest,
): Promise<void> {
  for (const { vote, group } of counted) {
    if (vote.reviewer === voter) continue;
    try {
      const { directory, profiles } = deps;
      const { tenant } = stored;
      await requireEligibleReviewer(directory, tenant, vote.reviewer, stored, 'decide', profiles);
      const { person, groups, team } = await memberOf(deps, vote.reviewer, stored);
      const holds = group === null || groups.includes(group);
      if (person === vote.person && team === vote.team && holds) continue;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
    throw new Refusal('identity_uncertain');
  }
}

function resultOf(vote: IssuedRecord, records: readonly IssuedRecord[]) {
  const receipt = records.find(({ type }) => type === 'DecisionReceipt')?.text ?? 'null';
  return asJsonText<ApprovalResult>(canonicalObject({}, { approval: vote.text, receipt }));
}
