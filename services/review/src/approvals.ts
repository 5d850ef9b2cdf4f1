import {
  Refusal,
  eligibleFor,
  isExtended,
  optionsOf,
  replaceCandidate,
  requireNotExcluded as refuseExcluded,
  textDigest,
} from '@countersign/protocol';
import type {
  Candidature,
  DecisionCandidate,
  Digest,
  ExtendedDecisionRequest,
  Member,
  Voting,
} from '@countersign/protocol';
import { StaleRead, endedIn, endedValues, requireMayDecide, votingOf } from '@countersign/database';
import type { EndedVote, KnownPerson, StoredRequest, VotesRow } from '@countersign/database';
import type { ApprovedRequest } from './approved-request.js';
import type { ReviewDeps } from './deps.js';
import { asksForKey, keyToSign } from './signed-votes.js';
import type { ReviewRow } from './store/index.js';

// What reviewers of a request that several people decide are asked beside the rest (protocol §18.4).

/** By the profile, as every verifier tells it. */
export function decidedByApprovals(stored: StoredRequest): stored is ApprovedRequest {
  return isExtended(stored.request.profiles);
}

/** Throws `not_found` for a request that one person decides: it has no votes. */
export function requireApprovals(stored: StoredRequest): ApprovedRequest {
  if (!decidedByApprovals(stored)) throw new Refusal('not_found');
  return stored;
}

export const personOf = (
  { persons }: ReviewDeps,
  reviewer: string,
  { tenant, row }: StoredRequest,
) => persons.of(tenant, reviewer, row.directory_revision);

/** Whether a reviewer has a membership. Throws `identity_uncertain`. */
export async function isMember(
  deps: ReviewDeps,
  reviewer: string,
  stored: StoredRequest,
): Promise<boolean> {
  return (await personOf(deps, reviewer, stored)).membership !== null;
}

/** Throws `separation_of_duties` for a person whom the request excludes (protocol §18.3), and `identity_uncertain`. */
export async function requireNotExcluded(
  deps: ReviewDeps,
  reviewer: string,
  stored: ApprovedRequest,
): Promise<void> {
  refuseExcluded(stored.request, await personOf(deps, reviewer, stored));
}

/** The membership in force of a reviewer, with its signed text. Throws `reviewer_ineligible` without one. */
export async function memberOf(
  deps: ReviewDeps,
  reviewer: string,
  stored: StoredRequest,
): Promise<Member & { readonly record: string }> {
  const { person, membership, record } = await personOf(deps, reviewer, stored);
  if (membership === null || record === null) throw new Refusal('reviewer_ineligible');
  const { groups, team } = membership;
  return { reviewer, person, groups, team, membership: textDigest(record), record };
}

/** The person of the author of a candidate, or null where that is not certain to be known. */
export async function authorPerson(
  deps: ReviewDeps,
  author: string,
  stored: StoredRequest,
): Promise<KnownPerson['person'] | null> {
  try {
    return (await personOf(deps, author, stored)).person;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** The people who may vote on a request, by its route and their memberships. */
export async function eligiblePeople(
  { directory, approvers }: ReviewDeps,
  {
    tenant,
    route: id,
    approval,
  }: { tenant: string; route: string; approval: ExtendedDecisionRequest['approval'] },
  revision: number,
): Promise<Candidature[]> {
  const route = await directory.route(tenant, id, revision);
  const of = {
    ...{ reviewers: route?.config.reviewers ?? [], parties: [] },
    ...{ publisher: null, operators: false },
  };
  const { people } = await approvers.approving(tenant, of, revision);
  return eligibleFor(approval, await approvers.signing(tenant, approval.policy, people));
}

/** Counts the votes that a committed step ended. */
export function countEndings({ votes }: ReviewDeps, ended: readonly EndedVote[]): void {
  for (const { reason } of ended) votes.ended(reason);
}

/** What a reviewer may do on a request now. Throws the refusal that every vote of the reviewer would meet. */
export async function votingOptions(
  deps: ReviewDeps,
  reviewer: string,
  stored: ApprovedRequest,
  voting: Voting,
  candidates: readonly ReadCandidate[],
) {
  const { tenant, lifecycle, row } = stored;
  const voter = () => isMember(deps, reviewer, stored);
  await requireMayDecide(deps.directory, tenant, reviewer, stored, 'decide', voter);
  const member = await memberOf(deps, reviewer, stored);
  const found = await Promise.all(
    candidates.map(async ({ candidate, candidateDigest }) => ({
      ...{ candidate, candidateDigest },
      authorPerson: await authorPerson(deps, candidate.reviewer, stored),
    })),
  );
  const options = optionsOf(lifecycle, stored, voting, member, found, row.now);
  if (
    options.can.includes('reject') &&
    asksForKey(stored) &&
    !(await canSign(deps, stored, member))
  ) {
    const can = options.can.filter((each) => each === 'withdraw');
    return { member, can, whyNot: options.whyNot ?? ('human_key_required' as const) };
  }
  return { member, ...options };
}

/** Whether a person has a key that votes of this request can be signed with. */
async function canSign(deps: ReviewDeps, stored: ApprovedRequest, member: Member) {
  try {
    await keyToSign(deps, stored, member, undefined);
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'human_key_required') return false;
    throw error;
  }
}

/** A live candidate, in the parts that its voters are judged by. */
export interface ReadCandidate {
  readonly candidate: Pick<DecisionCandidate, 'decision' | 'reviewer'>;
  readonly candidateDigest: Digest;
}

/** The votes as they were read behind the request. Throws StaleRead where another step moved it in between. */
export function votingIn(
  { request, version }: ApprovedRequest,
  row: VotesRow & { readonly read_version: number | null },
): Voting {
  if (row.read_version !== version) throw new StaleRead('review.votes');
  return votingOf((request as ExtendedDecisionRequest).approval.policy.quorum, row);
}

/** The step that freezing a candidate is: it ends the votes for the author's candidate before it. */
export async function replacedBy(
  deps: ReviewDeps,
  reviewer: string,
  { stored, row }: { stored: ApprovedRequest; row: ReviewRow },
) {
  const { person } = await personOf(deps, reviewer, stored);
  const voting = votingIn(stored, await deps.store.votes(stored.tenant, stored.id));
  const replaced = row.candidate_live === true ? row.candidate_digest : null;
  const author = { reviewer, person };
  const { transition } = replaceCandidate(
    stored.lifecycle,
    stored,
    voting,
    author,
    replaced,
    row.now,
  );
  const ended = endedIn(transition.records, voting);
  return { transition, ended, own: endedValues(ended, voting, row.now) };
}
