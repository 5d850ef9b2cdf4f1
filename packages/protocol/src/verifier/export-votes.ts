import { NO_VOTES, cast, countedIn, end, openStage, voteOf } from '../approval/index.js';
import type { Tally } from '../approval/index.js';
import { canonicalText } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import type { ExtendedAuditExport, Quorum, QuorumPolicy } from '../records/index.js';
import type { VerifierContext } from './context.js';
import type { CheckedReceipt } from './export-decision.js';
import { isOf } from './record.js';
import type { CheckedRecord } from './record.js';

export type CheckedVote = CheckedRecord<'ApprovalRecord'>;
export type CheckedEnding = CheckedRecord<'ApprovalEnded'>;
type Step = CheckedVote | CheckedEnding;

/** Votes and endings once more, in the order of their numbers (protocol §18.5). */
export function checkReplay(
  { findings }: VerifierContext,
  { request }: ExtendedAuditExport,
  steps: readonly Step[],
  receipt: CheckedReceipt | null,
  quorum: Quorum | null,
): void {
  if (steps.length === 0 && receipt === null) return;
  const ordered = [...steps].sort((one, other) => one.payload.number - other.payload.number);
  const live = liveAfter(ordered);
  const counts = quorum?.approvals.every(({ record }) => live?.has(record)) ?? true;
  const path = receipt?.path ?? '/records';
  findings.check('approval_live', path, live !== null && counts);
  // Counting costs more than linear time, so it is done for votes alone that the service has signed.
  if (!steps.every(({ proven }) => proven)) {
    const says = 'A vote or an ending does not verify, so they were not counted again.';
    findings.skipped('approval_complete', path, { says });
    return;
  }
  const tally = replay(request.approval.policy.quorum, ordered);
  findings.check('approval_complete', path, tally !== null && decides(tally, ordered, receipt));
}

/** The votes that are live after all steps; null when a person had two, or a vote ended that was not live. */
function liveAfter(steps: readonly Step[]): ReadonlyMap<string, readonly string[]> | null {
  const live = new Map<string, readonly string[]>();
  const voting = new Set<string>();
  for (const step of steps) {
    if (isOf(step, 'ApprovalRecord')) {
      const { person, acting_for: other } = step.payload;
      const persons = other === null ? [person] : [person, other.person];
      if (persons.some((each) => voting.has(each))) return null;
      for (const each of persons) voting.add(each);
      live.set(step.digest, persons);
    } else if (isOf(step, 'ApprovalEnded')) {
      for (const digest of step.payload.approvals) {
        const persons = live.get(digest);
        if (persons === undefined) return null;
        live.delete(digest);
        for (const each of persons) voting.delete(each);
      }
    }
  }
  return live;
}

/** The tally of all steps; null when one of them cannot have followed those before it. */
function replay(quorum: QuorumPolicy, steps: readonly Step[]): Tally | null {
  let tally = NO_VOTES;
  // Votes that the next step has to end, because an earlier stage is open again.
  let reopened: readonly string[] = [];
  for (const step of steps) {
    if (tally.phase !== 'collecting') return null;
    if (isOf(step, 'ApprovalRecord')) {
      const vote = voteOf(step.payload, step.digest);
      const stage = vote.yes ? openStage(tally, vote.candidate) : 0;
      if (reopened.length > 0 || vote.stage !== stage) return null;
      tally = cast(quorum, tally, vote);
      continue;
    }
    if (!isOf(step, 'ApprovalEnded')) continue;
    const { approvals, reason } = step.payload;
    if ((reason === 'earlier_stage_reopened') !== reopened.length > 0) return null;
    if (reopened.length > 0) {
      if (!approvals.every((each) => reopened.includes(each))) return null;
      // More than one record can name has several.
      reopened = reopened.filter((each) => !approvals.includes(each as Digest));
      continue;
    }
    const ended = end(quorum, tally, new Set(approvals));
    tally = ended.tally;
    reopened = ended.reopened.map(({ id }) => id);
  }
  return reopened.length > 0 ? null : tally;
}

/** Whether the votes decide as the receipt says, with the last one; without a receipt, whether they leave it open. */
function decides(tally: Tally, steps: readonly Step[], receipt: CheckedReceipt | null): boolean {
  if (receipt === null) return tally.phase === 'collecting';
  const { payload } = receipt;
  const last = steps.at(-1);
  if (!('quorum' in payload) || last === undefined || !isOf(last, 'ApprovalRecord')) return false;
  const { outcome, approvals } = payload.quorum as Quorum;
  return (
    tally.phase === outcome &&
    last.payload.reviewer === payload.reviewer &&
    canonicalText(countedIn(tally)) === canonicalText(approvals)
  );
}
