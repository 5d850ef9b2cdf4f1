import type { Tally, Vote } from '../approval/index.js';
import { cast, countedIn, end, isNo, openStage, voteOf } from '../approval/index.js';
import { Refusal } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import type { Digest } from '../json/canonical.js';
import type {
  ApprovalEnded,
  ApprovalRecord,
  Confirmation,
  DecisionCandidate,
  ExtendedDecisionRequest,
  Quorum,
} from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import { applyDue } from './apply-due.js';
import { decided } from './confirm.js';
import { isOfPurpose, requirePending } from './pending.js';
import { hasUnusedGrant } from './state.js';
import type { Lifecycle } from './state.js';
import { quietly, step } from './transition.js';
import type { RequestFacts, Transition } from './transition.js';
import { withdraw } from './withdraw.js';

/** A request that several people decide (protocol §18.3). */
export interface ApprovalFacts extends RequestFacts {
  readonly request: ExtendedDecisionRequest;
}

/** The parts of it that its votes are counted and ended by. */
export type VotedFacts = Pick<ApprovalFacts, 'id' | 'digest'> & {
  readonly request: Pick<ExtendedDecisionRequest, 'approval'>;
};

/** The votes of a request, and the last number among its votes and endings. */
export interface Voting {
  readonly tally: Tally;
  readonly number: number;
}

/** A person with the membership in force. */
export interface Member {
  readonly reviewer: string;
  readonly person: Digest;
  readonly groups: readonly string[];
  readonly team: string | null;
  /** Digest of the MembershipConfigured. */
  readonly membership: Digest;
}

/** A candidate as it is found: null when it has ended; `authorPerson` is its author's. */
export interface FoundCandidate {
  readonly candidate: DecisionCandidate | null;
  /** Null where there never was such a candidate. */
  readonly candidateDigest: Digest | null;
  readonly authorPerson: Digest | null;
}

/** A vote that may be given. Its record is signed before it is counted, because a receipt names the record's digest. */
export interface Ballot {
  readonly pending: Transition;
  readonly record: ApprovalRecord;
  readonly candidate: DecisionCandidate;
}

/**
 * Whether this person may vote for this candidate now, and the record of it (protocol §18.4, in the order of its checks from
 * `separation_of_duties` on). `id`: that of the vote.
 */
export function ballot(
  state: Lifecycle,
  { id: requestId, request, digest }: ApprovalFacts,
  { tally, number }: Voting,
  member: Member,
  { id, input, found }: { id: string; input: Confirmation; found: FoundCandidate },
  now: number,
): Ballot {
  const { quorum } = request.approval.policy;
  const { candidate, candidateDigest, authorPerson } = found;
  const refuses = candidate !== null && isNo(candidate.decision);
  requireNotExcluded(request, member);
  if (!quorum.author_may_approve && !refuses && authorPerson === member.person) {
    throw new Refusal('separation_of_duties');
  }
  const pending = requirePending(state, now);
  if (candidate?.id !== input.candidate_id || candidateDigest !== input.candidate_digest) {
    throw new Refusal('candidate_changed');
  }
  if (!isOfPurpose(state.purpose, candidate.decision)) throw new Refusal('candidate_changed');
  if (liveVoteOf(tally, member) !== undefined) throw new Refusal('approval_exists');
  const stage = refuses ? 0 : openStage(tally, candidateDigest);
  const record: ApprovalRecord = {
    acting_for: null,
    approved_at: formatTimestamp(now),
    attention: null,
    candidate_digest: candidateDigest,
    candidate_id: candidate.id,
    decision: candidate.decision,
    emergency: null,
    groups: seatGroupsOf(request, member, stage),
    human: null,
    id,
    membership: member.membership,
    mode: 'normal',
    number: number + 1,
    person: member.person,
    policy_digest: request.approval.policy_digest,
    purpose: request.purpose,
    request_digest: digest,
    request_id: requestId,
    response_digest: candidate.response_digest,
    reviewer: member.reviewer,
    stage,
    team: member.team,
    via: null,
  };
  return { pending, record, candidate };
}

/** Refuses `separation_of_duties` to a person whom the request excludes. */
export function requireNotExcluded(
  { approval }: ExtendedDecisionRequest,
  { person }: Pick<Member, 'person'>,
): void {
  if (approval.excluded.includes(person)) throw new Refusal('separation_of_duties');
}

/** The groups of the stage's seats, or of all seats for a no, that the person could fill; sorted. */
function seatGroupsOf(
  { approval }: ExtendedDecisionRequest,
  { groups }: Member,
  stage: number,
): string[] {
  const { stages } = approval.policy.quorum;
  const held = (of: typeof stages) =>
    [...new Set(of.flatMap(({ seats }) => seats.map(({ group }) => group)))].filter((group) =>
      groups.includes(group),
    );
  const any = held(stages);
  if (any.length === 0) throw new Refusal('reviewer_ineligible');
  const open = stage === 0 ? any : held(stages.slice(stage - 1, stage));
  if (open.length === 0) throw new Refusal('stage_not_open');
  return open.sort();
}

/** The vote that uses a person up, or undefined. */
export function liveVoteOf({ live }: Tally, { person }: Pick<Member, 'person'>): Vote | undefined {
  return live.find((vote) => vote.person === person || vote.forPerson === person);
}

/** Whether a vote decided, and what it leaves: an event, or the decision with its receipt. */
export interface Voted {
  readonly transition: Transition;
  readonly tally: Tally;
}

/** Counts a ballot whose record was signed (protocol §18.5). The record comes before those of the transition. */
export function count(
  { pending, record, candidate }: Ballot,
  recordDigest: Digest,
  about: ApprovalFacts,
  { tally }: Voting,
  now: number,
): Voted {
  const { policy, policy_digest } = about.request.approval;
  const next = cast(policy.quorum, tally, voteOf(record, recordDigest));
  if (next.phase === 'collecting') {
    return { transition: step(pending, 'approval', {}), tally: next };
  }
  const quorum: Quorum = {
    approvals: countedIn(next),
    mode: 'normal',
    outcome: next.phase,
    policy_digest,
  };
  const { candidate_digest: candidateDigest, reviewer } = record;
  const transition = decided(pending, about, { candidate, candidateDigest, reviewer, quorum }, now);
  return { transition, tally: next };
}

const MOST_ENDED = 20;

export type EndingReason = Exclude<ApprovalEnded['reason'], 'earlier_stage_reopened'>;

export interface VotesToEnd {
  /** Those of them that have ended already are left out. */
  readonly votes: readonly Vote[];
  readonly reason: EndingReason;
  readonly recordedBy: ApprovalEnded['recorded_by'];
}

/**
 * Ends live votes of a pending request, and with a counted one of a complete stage every vote for a later stage. Without any
 * of them there is no step.
 */
export function endVotes(
  from: Transition,
  about: VotedFacts,
  voting: Voting,
  { votes, ...ending }: VotesToEnd,
  now: number,
): Voted & Voting {
  let ended = { transition: from, ...voting };
  for (const portion of inPortions(votes)) {
    const live = portion.filter((vote) => ended.tally.live.includes(vote));
    if (live.length > 0) ended = endPortion(ended, about, { votes: live, ...ending }, now);
  }
  return ended;
}

function endPortion(
  { transition, tally, number }: Voted & Voting,
  { id, digest, request }: VotedFacts,
  { votes, reason, recordedBy }: VotesToEnd,
  now: number,
): Voted & Voting {
  const ids = new Set(votes.map((vote) => vote.id));
  const ended = end(request.approval.policy.quorum, tally, ids);
  const reopened = inPortions(ended.reopened);
  const endings = [
    { of: votes, why: reason },
    ...reopened.map((of) => ({ of, why: 'earlier_stage_reopened' as const })),
  ].map(({ of, why }, at) => ({
    record: {
      type: 'ApprovalEnded' as const,
      payload: {
        approvals: of.map((vote) => vote.id as Digest),
        ended_at: formatTimestamp(now),
        number: number + 1 + at,
        reason: why,
        recorded_by: recordedBy,
        request_digest: digest,
        request_id: id,
      },
    },
  }));
  const before = endings.slice(0, -1).reduce((sofar, each) => quietly(sofar, {}, each), transition);
  return {
    transition: step(before, 'approval_ended', {}, endings.at(-1)),
    tally: ended.tally,
    number: number + endings.length,
  };
}

/** As many votes as one ApprovalEnded may name. */
function inPortions(votes: readonly Vote[]): Vote[][] {
  const portions = Math.ceil(votes.length / MOST_ENDED);
  return Array.from({ length: portions }, (_, at) =>
    votes.slice(at * MOST_ENDED, (at + 1) * MOST_ENDED),
  );
}

/**
 * Takes a person's vote back. While the request is pending the vote ends; after the decision it takes away an unused grant,
 * if the policy allows it and the vote was counted (protocol §18.4). Otherwise `approval_unavailable`.
 */
export function withdrawVote(
  state: Lifecycle,
  about: ApprovalFacts,
  voting: Voting,
  member: Pick<Member, 'reviewer' | 'person'>,
  now: number,
): Voted {
  const { tally } = voting;
  requireNotExcluded(about.request, member);
  const due = applyDue(state, now);
  if (due.next.decision === 'confirmed' && due.next.invalidated === null) {
    const counted = tally.counted.some(({ vote }) => vote.person === member.person);
    const { withdraw_after_completion: allowed } = about.request.approval.policy.quorum;
    if (!counted || !allowed || !hasUnusedGrant(due.next))
      throw new Refusal('approval_unavailable');
    const transition = withdraw(due, 'approval_withdrawn', 'approval_withdrawn', 'cancelled');
    return { transition, tally };
  }
  const pending = requirePending(state, now);
  const vote = liveVoteOf(tally, member);
  if (vote === undefined) throw new Refusal('approval_unavailable');
  const recordedBy = { kind: 'human', subject: member.reviewer } as const;
  return endVotes(pending, about, voting, { votes: [vote], reason: 'withdrawn', recordedBy }, now);
}

/**
 * Freezing a candidate over one's own earlier one ends the votes for the earlier one (protocol §18.4). `replaced`: its digest,
 * or null where there is none.
 */
export function replaceCandidate(
  state: Lifecycle,
  about: ApprovalFacts,
  voting: Voting,
  member: Pick<Member, 'reviewer' | 'person'>,
  replaced: Digest | null,
  now: number,
): Voted {
  requireNotExcluded(about.request, member);
  const pending = requirePending(state, now);
  const votes = voting.tally.live.filter(({ candidate }) => candidate === replaced);
  const recordedBy = { kind: 'human', subject: member.reviewer } as const;
  return endVotes(pending, about, voting, { votes, reason: 'candidate_replaced', recordedBy }, now);
}

/** `review.confirm` on such a request: always refused, as `approval_required` while a person may still decide. */
export function refuseConfirmation(
  state: Lifecycle,
  { request }: ApprovalFacts,
  member: Member,
  now: number,
): never {
  requireNotExcluded(request, member);
  requirePending(state, now);
  throw new Refusal('approval_required');
}

/** What a person may do on a request now, and the code of the refusal that a yes would meet, or null. */
export interface Options {
  readonly can: readonly ('approve' | 'reject' | 'withdraw')[];
  readonly whyNot: ErrorCode | null;
}

/** A candidate that may be voted for, in the parts that its voters are judged by. */
export interface LiveCandidate extends Omit<FoundCandidate, 'candidate'> {
  readonly candidate: Pick<DecisionCandidate, 'decision'>;
}

/**
 * What the commands of this file would let a person do (protocol §18.11). A yes is for one of `candidates`, the live ones, or for
 * one that the person freezes first; a no can always be frozen.
 */
export function optionsOf(
  state: Lifecycle,
  about: ApprovalFacts,
  voting: Voting,
  member: Member,
  candidates: readonly LiveCandidate[],
  now: number,
): Options {
  const canWithdraw = codeOfRefusal(() => withdrawVote(state, about, voting, member, now)) === null;
  const withdrawal = canWithdraw ? (['withdraw'] as const) : [];
  const { request } = about;
  const barred = codeOfRefusal(() => {
    requireNotExcluded(request, member);
    requirePending(state, now);
    if (liveVoteOf(voting.tally, member) !== undefined) throw new Refusal('approval_exists');
    seatGroupsOf(request, member, 0);
  });
  if (barred !== null) return { can: withdrawal, whyNot: barred };
  const asked = candidates.filter(({ candidate }) => !isNo(candidate.decision));
  const { author_may_approve: authorsMay } = request.approval.policy.quorum;
  const refusals = [
    ...asked.map(({ candidateDigest, authorPerson }) =>
      codeOfRefusal(() => {
        if (!authorsMay && authorPerson === member.person) {
          throw new Refusal('separation_of_duties');
        }
        seatGroupsOf(request, member, openStage(voting.tally, candidateDigest as Digest));
      }),
    ),
    ...(authorsMay ? [codeOfRefusal(() => seatGroupsOf(request, member, 1))] : []),
  ];
  const canApprove = refusals.includes(null);
  return {
    can: [...(canApprove ? (['approve'] as const) : []), 'reject', ...withdrawal],
    whyNot: canApprove ? null : (refusals.find((code) => code !== null) ?? 'candidate_changed'),
  };
}

function codeOfRefusal(command: () => unknown): ErrorCode | null {
  try {
    command();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
