import {
  Refusal,
  effective,
  isNo,
  isReachable,
  jsonText,
  materialReadable,
  openSeats,
  openStage,
  seatsOf,
  shortages,
} from '@countersign/protocol';
import type {
  ApprovalBoard,
  DecisionCandidate,
  Digest,
  QuorumPolicy,
  Tally,
  Voting,
} from '@countersign/protocol';
import { openRequest, requireIntegrity, storedVotes, withFreshState } from '@countersign/database';
import type { Principal, StoredVote } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { eligiblePeople, requireApprovals, votingIn, votingOptions } from '../approvals.js';
import type { ApprovedRequest } from '../approved-request.js';
import type { ReviewDeps } from '../deps.js';

/** `review.approvals`: the votes of a request, its open seats, and what the caller may do (protocol §18.11). */
export function approvals(deps: ReviewDeps): OperationHandler<'review.approvals'> {
  return async ({ caller, id }) =>
    withFreshState(async () => {
      const { tenant } = caller;
      const found = await deps.store.load(caller, id, '', null);
      const opened = await openRequest(deps.directory, caller, found, '');
      const stored = requireApprovals(await opened.visible());
      requireIntegrity(stored, tenant, deps.profiles);
      const read = await deps.store.board(tenant, id);
      const voting = votingIn(stored, read);
      const { decision } = effective(stored.lifecycle, stored.row.now);
      const candidates = candidatesIn(read.candidates);
      const { policy, policy_digest } = stored.request.approval;
      const { quorum } = policy;
      const board: ApprovalBoard = {
        request_id: id,
        policy_digest,
        phase: phaseOf(decision, voting.tally),
        ...(await reachOf(deps, stored, voting.tally)),
        candidates: candidates.map(({ candidate, candidateDigest }) => ({
          candidate: showsCandidates(stored, caller.id) ? candidate : null,
          candidate_id: candidate.id,
          candidate_digest: candidateDigest,
          author: candidate.reviewer,
          decision: candidate.decision,
          ...seatsOfCandidate(quorum, voting.tally, candidateDigest, isNo(candidate.decision)),
        })),
        rejections: voting.tally.live.filter(({ yes }) => !yes).length,
        votes: storedVotes(read).map((vote) => shownVote(vote, decision === 'pending')),
        mine:
          caller.kind === 'human'
            ? await mineOf(deps, opened.principal, stored, voting, candidates)
            : null,
      };
      await noteCandidates(deps, stored, opened.principal, board);
      return answer(200, jsonText(board));
    });
}

/** Notes the candidates that a person is shown, where the policy asks for attention (protocol §18.12). */
async function noteCandidates(
  { readings, persons }: ReviewDeps,
  stored: ApprovedRequest,
  { id, kind }: Principal,
  { candidates }: ApprovalBoard,
): Promise<void> {
  if (kind !== 'human') return;
  const shown = candidates.filter(({ candidate }) => candidate !== null);
  await readings.note(
    stored,
    shown.map(({ candidate_digest: digest }) => digest),
    () => persons.digestOf(stored.tenant, id, stored.row.directory_revision),
  );
}

function candidatesIn(text: string | null) {
  const pairs = JSON.parse(text ?? '[]') as [Digest, string][];
  return pairs.map(([candidateDigest, text]) => ({
    candidate: JSON.parse(text) as DecisionCandidate,
    candidateDigest,
  }));
}

/** Private material, which the owner may not see before the request is decided (R39). */
function showsCandidates({ lifecycle, owner, row }: ApprovedRequest, caller: string): boolean {
  if (!materialReadable(lifecycle, row.now)) return false;
  return owner !== caller || lifecycle.decision === 'confirmed';
}

function phaseOf(decision: string, { phase }: Tally): ApprovalBoard['phase'] {
  if (decision === 'pending' || decision === 'confirmed') return phase;
  return 'ended';
}

/** Whether those who may vote could fill the open seats: of the candidate that is furthest, or of a new one. */
async function reachOf(
  deps: ReviewDeps,
  { tenant, route, request, row }: ApprovedRequest,
  tally: Tally,
): Promise<Pick<ApprovalBoard, 'reachable' | 'short_of'>> {
  const { quorum } = request.approval.policy;
  const of = { tenant, route, approval: request.approval };
  const people = await eligiblePeople(deps, of, row.directory_revision);
  const reachable = isReachable(quorum, tally, people);
  return { reachable, short_of: reachable ? [] : shortages(quorum, people) };
}

function seatsOfCandidate(
  quorum: QuorumPolicy,
  tally: Tally,
  digest: Digest,
  refuses: boolean,
): Pick<ApprovalBoard['candidates'][number], 'open_stage' | 'seats'> {
  if (refuses) return { open_stage: null, seats: [] };
  const complete = tally.complete.get(digest) ?? [];
  const open = openStage(tally, digest);
  const seats = quorum.stages.flatMap((stage, at) => {
    const groups = seatsOf(stage);
    const filled =
      at + 1 === open ? openSeats(quorum, tally, digest).map(({ vote }) => vote) : complete[at];
    return groups.map((group, seat) => ({
      ...{ stage: at + 1, group, filled_by: filled?.[seat]?.reviewer ?? null },
    }));
  });
  return { open_stage: open > quorum.stages.length ? null : open, seats };
}

function shownVote({ row }: StoredVote, isPending: boolean): ApprovalBoard['votes'][number] {
  return {
    approval: row.record_digest,
    reviewer: row.reviewer,
    acting_for: null,
    decision: row.decision,
    candidate_digest: row.candidate_digest,
    stage: row.stage,
    state: row.state === 'live' && !isPending ? 'lapsed' : row.state,
    approved_at: new Date(row.approved_at).toISOString(),
    ended_reason: row.ended_reason,
  };
}

async function mineOf(
  deps: ReviewDeps,
  { id }: Principal,
  stored: ApprovedRequest,
  voting: Voting,
  candidates: ReturnType<typeof candidatesIn>,
): Promise<ApprovalBoard['mine']> {
  try {
    const { member, can, whyNot } = await votingOptions(deps, id, stored, voting, candidates);
    const { stages } = stored.request.approval.policy.quorum;
    const seats = new Set(stages.flatMap((stage) => stage.seats.map(({ group }) => group)));
    const groups = member.groups.filter((group) => seats.has(group));
    return { can: [...can], why_not: whyNot, groups };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { can: [], why_not: error.code, groups: [] };
  }
}
