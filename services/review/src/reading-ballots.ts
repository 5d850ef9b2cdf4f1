import { Refusal } from '@countersign/protocol';
import type {
  Confirmation,
  DecisionCandidate,
  FoundCandidate,
  Member,
  Voting,
} from '@countersign/protocol';
import { storedVotes } from '@countersign/database';
import { authorPerson, memberOf, votingIn } from './approvals.js';
import type { ApprovedRequest } from './approved-request.js';
import type { ReviewDeps } from './deps.js';
import type { BallotRow } from './store/index.js';

/** Votes of one person on one request, those that have ended among them (protocol §18.4). */
const MOST_VOTES = 16;

/** What a vote is judged by: its giver, the votes before it, and its candidate. */
export interface ReadBallot {
  readonly member: Member & { readonly record: string };
  readonly voting: Voting;
  readonly candidate: FoundCandidate;
  /** Votes that this person gave already, ended or not. */
  readonly given: number;
}

/** Throws `reviewer_ineligible`, `identity_uncertain`. */
export async function readBallot(
  deps: ReviewDeps,
  stored: ApprovedRequest,
  reviewer: string,
  { candidate_id }: Pick<Confirmation, 'candidate_id'>,
): Promise<ReadBallot> {
  const member = await memberOf(deps, reviewer, stored);
  const found = await deps.store.ballot(stored.tenant, stored.id, candidate_id);
  return {
    member,
    voting: votingIn(stored, found),
    candidate: await candidateOf(deps, found, stored),
    given: storedVotes(found).filter(({ vote }) => vote.person === member.person).length,
  };
}

/** Throws `proposal_revision_limit`. */
export function requireVotesLeft({ given }: ReadBallot): void {
  if (given >= MOST_VOTES) throw new Refusal('proposal_revision_limit');
}

async function candidateOf(
  deps: ReviewDeps,
  found: BallotRow,
  stored: ApprovedRequest,
): Promise<FoundCandidate> {
  const { candidate: text, candidate_digest, candidate_live } = found;
  const candidate = text === null ? null : (JSON.parse(text) as DecisionCandidate);
  return {
    candidate: candidate_live ? candidate : null,
    candidateDigest: candidate_digest,
    authorPerson: candidate && (await authorPerson(deps, candidate.reviewer, stored)),
  };
}
