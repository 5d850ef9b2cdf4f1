import { allStand, candidaturesOf, endingsOf, isReachable } from '../approval/index.js';
import type { Voters } from '../approval/index.js';
import type { ApprovalEnded } from '../records/index.js';
import { applyDue } from './apply-due.js';
import { endVotes } from './approval.js';
import type { VotedFacts, Voted, Voting } from './approval.js';
import { hasUnusedGrant, materialReadable } from './state.js';
import type { Lifecycle } from './state.js';
import { step, unchanged } from './transition.js';

/** The directory as a change leaves it, for a request that several people decide. */
export interface VotersNow {
  readonly voters: Voters;
  /** Digests of candidates that end with their authors. */
  readonly gone: ReadonlySet<string>;
  /** Record digests of votes whose key was lost. */
  readonly keyless?: ReadonlySet<string>;
  /** Whether an earlier change has made the quorum unreachable: it has one event. */
  readonly wasUnreachable: boolean;
}

/** Whether a change of the directory takes an unused grant away, because a vote that was counted stands no longer (protocol §18.7). */
export function losesVoter(
  state: Lifecycle,
  { tally }: Voting,
  { voters, keyless }: VotersNow,
  now: number,
): boolean {
  const { decision, grant, invalidated } = applyDue(state, now).next;
  if (decision !== 'confirmed' || invalidated !== null || !hasUnusedGrant({ grant })) return false;
  const isKeyless = tally.counted.some(({ vote }) => keyless?.has(vote.id));
  return isKeyless || !allStand(tally.counted, voters);
}

/**
 * Ends the votes of a pending request that stand no longer, with a record and an event for each reason, and tells once that the
 * seats cannot be filled any more (protocol §18.7). Without any of them there is no step.
 */
export function changeVoters(
  state: Lifecycle,
  about: VotedFacts,
  voting: Voting,
  { voters, gone, keyless, wasUnreachable }: VotersNow,
  recordedBy: ApprovalEnded['recorded_by'],
  now: number,
): Voted {
  const { decision, invalidated } = applyDue(state, now).next;
  let ended = { transition: unchanged(state), ...voting };
  if (decision !== 'pending' || invalidated !== null || !materialReadable(state, now)) return ended;
  const byKey = voting.tally.live.filter(({ id }) => keyless?.has(id));
  if (byKey.length > 0) {
    const ending = { votes: byKey, reason: 'credential_ended', recordedBy } as const;
    ended = endVotes(ended.transition, about, ended, ending, now);
  }
  for (const { reason, votes } of endingsOf(ended.tally.live, voters, gone)) {
    ended = endVotes(ended.transition, about, ended, { votes, reason, recordedBy }, now);
  }
  const { policy, excluded } = about.request.approval;
  const people = candidaturesOf({ excluded }, voters);
  if (wasUnreachable || isReachable(policy.quorum, ended.tally, people)) return ended;
  const incidents = ['quorum_unreachable'] as const;
  const transition = step(ended.transition, 'quorum_unreachable', {}, { incidents });
  return { ...ended, transition };
}
