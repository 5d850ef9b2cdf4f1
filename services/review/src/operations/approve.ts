import { Refusal, asJsonText, ballot, canonicalObject, count } from '@countersign/protocol';
import type { ApprovalResult, DecisionCandidate, Tally } from '@countersign/protocol';
import { commit, requireEligibleReviewer, storedVotes } from '@countersign/database';
import { answer, newId } from '@countersign/platform';
import type { IssuedRecord, OperationHandler } from '@countersign/platform';
import { authorPerson, memberOf, requireApprovals, votingIn } from '../approvals.js';
import type { ApprovedRequest } from '../approvals.js';
import type { ReviewDeps } from '../deps.js';
import { reviewerOperation } from '../reviewer-operation.js';
import { DECIDE, VOTE } from '../store/index.js';
import type { BallotRow } from '../store/index.js';

/** Votes of one person on one request, those that have ended among them (protocol §18.4). */
const MOST_VOTES = 16;

/**
 * `review.approve`: one person's signed yes or no to one frozen candidate (protocol §18.4). The vote is signed before it is
 * counted, because a receipt names its record (decisions/0035). All votes of a request move one version: of those that are
 * given at the same time each is counted on those before it.
 */
export function approve(deps: ReviewDeps): OperationHandler<'review.approve'> {
  return reviewerOperation(deps, 'review.approve', (call) => async (opened) => {
    const { row, reviewer } = opened;
    const stored = requireApprovals(opened.stored);
    const { tenant, lifecycle, request } = stored;
    const member = await memberOf(deps, reviewer.id, stored);
    const found = await deps.store.ballot(tenant, stored.id, call.input.candidate_id);
    const voting = votingIn(stored, found);
    const candidate = await candidateOf(deps, found, stored);
    const asked = { id: newId(), input: call.input, found: candidate };
    const cast = ballot(lifecycle, stored, voting, member, asked, row.now);
    const given = storedVotes(found).filter(({ vote }) => vote.person === member.person);
    if (given.length >= MOST_VOTES) throw new Refusal('proposal_revision_limit');

    const { record } = cast;
    const subject = {
      ...{ tenant, audience: stored.owner },
      ...{ purpose: request.purpose, profiles: request.profiles },
    };
    const vote = await deps.notary.issue('ApprovalRecord', subject, row.now, record);
    const { transition, tally } = count(cast, vote.digest, stored, voting, row.now);
    const decides = tally.phase !== 'collecting';
    if (decides) await requireCounted(deps, tally, reviewer.id, stored);
    const seat = tally.counted.find((each) => each.vote.id === vote.digest);
    const others = tally.counted.filter((each) => each !== seat);
    const signed = await commit(deps, decides ? DECIDE : VOTE, stored, transition, {
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
        membership_digest: record.membership,
        membership: member.record,
        ...(decides && {
          counted_votes: others.map((each) => each.vote.id),
          counted_groups: others.map(({ group }) => group),
        }),
      },
    });
    deps.votes.voted(record.decision, record.mode);
    if (decides) deps.votes.decided(row.now - row.accepted_at);
    return answer(201, resultOf(vote, signed));
  });
}

async function candidateOf(deps: ReviewDeps, found: BallotRow, stored: ApprovedRequest) {
  const { candidate: text, candidate_digest, candidate_live } = found;
  const candidate = text === null ? null : (JSON.parse(text) as DecisionCandidate);
  return {
    candidate: candidate_live ? candidate : null,
    candidateDigest: candidate_digest,
    authorPerson: candidate && (await authorPerson(deps, candidate.reviewer, stored)),
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
