import type { AuditExport } from '../records/index.js';
import { checkEvents } from './events.js';
import type { CheckedReceipt } from './export-decision.js';
import type { CheckedEntry } from './export-ledger.js';
import { time } from './export-request.js';
import type { VerifierContext } from './context.js';
import type { CheckedRecord } from './record.js';
import { isOf, recordsOf } from './record.js';

/** The events of the request: complete from the first on, and in agreement with the records. */
export function checkExportEvents(
  { findings }: VerifierContext,
  { request }: AuditExport,
  entries: readonly CheckedEntry[],
  receipt: CheckedReceipt | null,
): void {
  const found: CheckedRecord<'RequestChangedEvent'>[] = [];
  let lost = false;
  for (const { record } of entries) {
    if (record === null) lost = true;
    else if (isOf(record, 'RequestChangedEvent')) found.push(record);
  }
  if (entries.length === 0) {
    findings.unknown('event_revisions', '/audit', {
      says: 'No entry of the ledger is in this file.',
    });
    return;
  }
  if (lost) {
    findings.unknown('event_revisions', '/audit', {
      says: 'Texts of entries are gone, so whether an event is missing cannot be seen any more.',
    });
  } else {
    const events = found.map(({ path, payload }) => ({ path, payload }));
    if (events.length === 0) findings.check('event_revisions', '/audit', false);
    checkEvents(findings, events, true);
  }
  let decided = false;
  for (const { path, payload } of found) {
    decided ||= payload.reason === 'decision';
    const grant =
      receipt?.payload.purpose === 'authorise_execution' ? receipt.payload.grant_deadline : null;
    const deadline = decided && grant !== null ? grant : request.review_deadline;
    const execution = request.purpose === 'authorise_execution';
    const fits =
      payload.request_id === request.id &&
      time(payload.deadline) === time(deadline) &&
      (payload.state.execution === 'not_applicable') !== execution;
    findings.check('event_content', path, fits);
  }
  if (!lost) checkCompanions(findings, entries);
}

/** Each record and its event (protocol §4.1): neither occurs without the other. */
function checkCompanions(
  findings: VerifierContext['findings'],
  entries: readonly CheckedEntry[],
): void {
  const records = entries.flatMap(({ record }) => record ?? []);
  const events = recordsOf(records, 'RequestChangedEvent');
  const reasons = (reason: string): number =>
    events.filter(({ payload }) => payload.reason === reason).length;
  const count = (...types: CheckedRecord['type'][]): number =>
    records.filter(({ type }) => types.includes(type)).length;
  const pairs = [
    ['decision', count('DecisionReceipt')],
    ...approvalPairs(records),
    ['claimed', count('ExecutionClaim')],
    ['outcome', count('ExecutionOutcome', 'ExecutionReconciliation')],
    ['material_deleted', count('MaterialDiscarded')],
  ] as const;
  for (const [reason, made] of pairs) {
    // A drain may come between a record and its event, never the other way round.
    const reported = reasons(reason);
    if (reported > made || reported < made - 1) {
      const detail = `There are ${made} records and ${reported} events of ${reason}.`;
      findings.check('ledger_records', '/audit', false, { detail });
    }
  }
  const outcomes = records.flatMap((record) =>
    isOf(record, 'ExecutionOutcome') || isOf(record, 'ExecutionReconciliation')
      ? [record.payload.outcome.status]
      : [],
  );
  const said = events.filter(({ payload }) => payload.reason === 'outcome');
  for (const [at, { path, payload }] of said.entries()) {
    findings.check('event_content', path, payload.state.execution === outcomes[at]);
  }
}

/** The event of a vote that decides is the decision's alone, and votes for later stages end with the vote that they end with. */
function approvalPairs(records: readonly CheckedRecord[]): [reason: string, made: number][] {
  const votes = recordsOf(records, 'ApprovalRecord').length;
  const deciding = Math.min(votes, recordsOf(records, 'DecisionReceipt').length);
  const endings = recordsOf(records, 'ApprovalEnded').filter(
    ({ payload }) => payload.reason !== 'earlier_stage_reopened',
  );
  return [
    ['approval', votes - deciding],
    ['approval_ended', endings.length],
  ];
}
