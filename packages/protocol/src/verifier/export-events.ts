import type { AuditExport } from '../records/index.js';
import { hearEvents } from './events.js';
import type { HeardReceipt } from './export-decision.js';
import type { HeardEntry } from './export-ledger.js';
import { time } from './export-request.js';
import type { Hearing } from './hearing.js';
import type { HeardRecord } from './record.js';
import { isOf, recordsOf } from './record.js';

/** The events of the request: complete from the first on, and telling what the records tell. */
export function hearExportEvents(
  { findings }: Hearing,
  { request }: AuditExport,
  entries: readonly HeardEntry[],
  receipt: HeardReceipt | null,
): void {
  const told: HeardRecord<'RequestChangedEvent'>[] = [];
  let lost = false;
  for (const { record } of entries) {
    if (record === null) lost = true;
    else if (isOf(record, 'RequestChangedEvent')) told.push(record);
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
    const events = told.map(({ path, payload }) => ({ path, payload }));
    if (events.length === 0) findings.judge('event_revisions', '/audit', false);
    hearEvents(findings, events, true);
  }
  let decided = false;
  for (const { path, payload } of told) {
    decided ||= payload.reason === 'decision';
    const grant =
      receipt?.payload.purpose === 'authorise_execution' ? receipt.payload.grant_deadline : null;
    const deadline = decided && grant !== null ? grant : request.review_deadline;
    const execution = request.purpose === 'authorise_execution';
    const fits =
      payload.request_id === request.id &&
      time(payload.deadline) === time(deadline) &&
      (payload.state.execution === 'not_applicable') !== execution;
    findings.judge('event_content', path, fits);
  }
  if (!lost) hearCompanions(findings, entries);
}

/** Each record and the event that comes with it (protocol §4.1): neither goes without the other. */
function hearCompanions(findings: Hearing['findings'], entries: readonly HeardEntry[]): void {
  const records = entries.flatMap(({ record }) => record ?? []);
  const events = recordsOf(records, 'RequestChangedEvent');
  const reasons = (reason: string): number =>
    events.filter(({ payload }) => payload.reason === reason).length;
  const count = (...types: HeardRecord['type'][]): number =>
    records.filter(({ type }) => types.includes(type)).length;
  const pairs = [
    ['decision', count('DecisionReceipt')],
    ['claimed', count('ExecutionClaim')],
    ['outcome', count('ExecutionOutcome', 'ExecutionReconciliation')],
    ['material_deleted', count('MaterialDiscarded')],
  ] as const;
  for (const [reason, made] of pairs) {
    // The drain may stand between a record and its event, never the other way round.
    const told = reasons(reason);
    if (told > made || told < made - 1) {
      const detail = `There are ${made} records and ${told} events of ${reason}.`;
      findings.judge('ledger_records', '/audit', false, { detail });
    }
  }
  const outcomes = records.flatMap((record) =>
    isOf(record, 'ExecutionOutcome') || isOf(record, 'ExecutionReconciliation')
      ? [record.payload.outcome.status]
      : [],
  );
  const said = events.filter(({ payload }) => payload.reason === 'outcome');
  for (const [at, { path, payload }] of said.entries()) {
    findings.judge('event_content', path, payload.state.execution === outcomes[at]);
  }
}
