import { Refusal, jsonText, liveVoteOf, progressOf } from '@countersign/protocol';
import type { ApprovalTodo, DecisionCandidate, Digest } from '@countersign/protocol';
import {
  requireCaller,
  requireRequestIntegrity,
  storedRequest,
  storedVotes,
  votingOf,
  withFreshState,
} from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { personOf, requireApprovals, votingOptions } from '../approvals.js';
import type { ApprovedRequest } from '../approved-request.js';
import type { ReviewDeps } from '../deps.js';
import type { TodoRow } from '../store/index.js';

type Item = ApprovalTodo['items'][number];

/**
 * `review.todo`: the pending requests of the caller's routes that several people decide, by deadline (protocol §18.11).
 * Material is not read: a request whose own digest does not hold, or that is not decided here, is left out, and its own
 * reads say why.
 */
export function todo(deps: ReviewDeps): OperationHandler<'review.todo'> {
  return async ({ caller }) =>
    withFreshState(async () => {
      const rows = await deps.store.todo(caller);
      const principal = await requireCaller(deps.directory, caller, rows[0]?.directory_revision);
      if (principal.kind !== 'human') throw new Refusal('human_required');
      const items: Item[] = [];
      // One after the other: they ask for the same people, whom the first of them makes known.
      for (const row of rows) {
        const stored = opened(deps, row);
        if (stored !== null) items.push(await itemOf(deps, principal.id, stored, row));
      }
      return answer(200, jsonText({ items }));
    });
}

function opened({ profiles }: ReviewDeps, row: TodoRow): ApprovedRequest | null {
  try {
    const stored = storedRequest(row);
    if (stored === null) return null;
    requireRequestIntegrity(stored, stored.tenant, profiles);
    return requireApprovals(stored);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function itemOf(
  deps: ReviewDeps,
  reviewer: string,
  stored: ApprovedRequest,
  row: TodoRow,
): Promise<Item> {
  const { quorum, attention } = stored.request.approval.policy;
  const voting = votingOf(quorum, row);
  const candidates = (
    JSON.parse(row.candidates ?? '[]') as [Digest, string, DecisionCandidate['decision']][]
  ).map(([candidateDigest, author, decision]) => ({
    ...{ candidateDigest, candidate: { reviewer: author, decision } },
  }));
  const allowed = async () => {
    const { can } = await votingOptions(deps, reviewer, stored, voting, candidates);
    return can.includes('approve');
  };
  const mine = async () => {
    const vote = liveVoteOf(voting.tally, await personOf(deps, reviewer, stored));
    const kept = storedVotes(row).find(({ row: { record_digest } }) => record_digest === vote?.id);
    return kept?.row.decision ?? null;
  };
  return {
    request_id: stored.id,
    summary: stored.request.summary,
    deadline: new Date(stored.lifecycle.reviewDeadline).toISOString(),
    tier: attention?.tier ?? null,
    ...progressOf(quorum, voting.tally),
    mine: await unlessRefused(mine, null),
    can_act: await unlessRefused(allowed, false),
  };
}

async function unlessRefused<Value>(ask: () => Promise<Value>, otherwise: Value): Promise<Value> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Refusal) return otherwise;
    throw error;
  }
}
