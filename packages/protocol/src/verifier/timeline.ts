import type { ApprovalEnded, AuditExport, Quorum } from '../records/index.js';
import { plainText } from './plain-text.js';
import type { VerifierContext } from './context.js';
import type { CheckedProof } from './proof.js';
import { isOf } from './record.js';
import type { CheckedRecord } from './record.js';

/** Reasons of ApprovalEnded (protocol §18.4). */
const ENDINGS: Readonly<Record<ApprovalEnded['reason'], string>> = {
  withdrawn: 'its giver took it back',
  candidate_replaced: 'the candidate was replaced',
  candidate_gone: 'the candidate is gone',
  member_removed: 'its giver may no longer vote',
  earlier_stage_reopened: 'an earlier stage is open again',
  credential_ended: 'the key that signed it has ended',
  delegation_ended: 'the delegation has ended',
  same_person: 'its giver is the same person as another voter',
};

const REASONS: Readonly<Record<string, string>> = {
  anchor_accepted: 'The anchor store has accepted the checkpoint over the decision.',
  expiry: 'A deadline passed.',
  reminder: 'The reviewers were reminded.',
  cancelled: 'The request was cancelled.',
  revoked: 'The request was revoked.',
  supersession: 'Another request replaced this one.',
  requester_removed: 'The requester was removed.',
  reviewer_removed: 'The reviewer was removed.',
  producer_removed: 'The route no longer allows the producer.',
  producer_authorisation_changed: 'What the producer may do was changed.',
  authorisation_changed: 'The rules of the route were changed.',
  approval_withdrawn: 'A vote that counted was taken back.',
  quorum_unreachable: 'Too few people were left to fill the seats.',
  reconciliation_due: 'The time of the execution passed without a reported outcome.',
};

/** Events that only repeat a record of their own. */
const REPEATED: ReadonlySet<string> = new Set([
  'created',
  'decision',
  'claimed',
  'outcome',
  'material_deleted',
  'approval',
  'approval_ended',
]);

/** Events that change nothing for the people and programs of the request. */
const MINOR: readonly string[] = ['anchor_accepted', 'reminder'];

function isMinor(record: CheckedRecord): boolean {
  return isOf(record, 'RequestChangedEvent') && MINOR.includes(record.payload.reason);
}

/** Those whose votes the receipt counts, each with the seat that it filled. */
function peopleOf({ approvals }: Quorum): string {
  const people = approvals.map(({ reviewer, group, stage }) =>
    group === null ? reviewer : `${reviewer} (${group}, stage ${stage})`,
  );
  const last = people.pop() ?? '';
  return people.length === 0 ? last : `${people.join(', ')} and ${last}`;
}

/** The sentence for a record; null for an event that only repeats another record. */
export function sentenceOf(record: CheckedRecord): string | null {
  if (isOf(record, 'DecisionReceipt')) {
    const { reviewer, decision, purpose, grant_deadline } = {
      grant_deadline: '',
      ...record.payload,
    };
    const bound =
      purpose === 'review' || decision === 'refuse' ? '' : `; the grant ends at ${grant_deadline}`;
    const people =
      'quorum' in record.payload ? peopleOf(record.payload.quorum as Quorum) : reviewer;
    return `${people} decided: ${decision}${bound}.`;
  }
  if (isOf(record, 'ExecutionClaim')) {
    const { execution_identity, action_occurrence_id, dispatch_before } = record.payload;
    return `${execution_identity} claimed ${action_occurrence_id}, to be dispatched before ${dispatch_before}.`;
  }
  if (isOf(record, 'AdmissionStatus')) {
    return `${record.payload.execution_identity} was admitted, nonce ${record.payload.nonce}.`;
  }
  if (isOf(record, 'ExecutionOutcome') || isOf(record, 'ExecutionReconciliation')) {
    const { recorded_by, outcome } = record.payload;
    const verb = record.type === 'ExecutionOutcome' ? 'reported' : 'settled';
    return `${recorded_by.subject} (${recorded_by.kind}) ${verb} the outcome: ${outcome.status}.`;
  }
  if (isOf(record, 'MaterialDiscarded')) {
    return `Private material was deleted by ${record.payload.recorded_by.subject}.`;
  }
  if (isOf(record, 'RequestChangedEvent')) {
    const { reason } = record.payload;
    return REPEATED.has(reason) ? null : (REASONS[reason] ?? `The request changed: ${reason}.`);
  }
  if (isOf(record, 'AuditCheckpoint')) {
    const { ledger_id, sequence } = record.payload;
    return `Checkpoint of the ledger ${ledger_id} at entry ${sequence}.`;
  }
  if (isOf(record, 'BundleRegistered')) {
    return `${record.payload.publisher} registered the app ${record.payload.id}.`;
  }
  if (isOf(record, 'PrincipalConfigured')) {
    const { kind, id, enabled } = record.payload;
    return `The ${kind} ${id} was configured and is ${enabled ? 'enabled' : 'disabled'}.`;
  }
  if (isOf(record, 'RouteConfigured')) {
    return `The route ${record.payload.id} was configured, revision ${record.payload.revision}.`;
  }
  if (isOf(record, 'ApprovalRecord')) {
    const { reviewer, decision, groups } = record.payload;
    return `${reviewer} voted: ${decision} (${groups.join(', ')}).`;
  }
  if (isOf(record, 'ApprovalEnded')) {
    const { approvals, reason } = record.payload;
    return `${approvals.length === 1 ? 'A vote' : `${approvals.length} votes`} ended: ${ENDINGS[reason]}.`;
  }
  if (isOf(record, 'RoutePolicyConfigured')) {
    const { route, policy, revision } = record.payload;
    return `The policy of the route ${route} was ${policy === null ? 'removed' : 'configured'}, revision ${revision}.`;
  }
  if (isOf(record, 'MembershipConfigured')) {
    const { principal, groups } = record.payload;
    return `${principal} is in ${groups.length === 0 ? 'no group' : groups.join(', ')}.`;
  }
  if (isOf(record, 'CredentialBound')) {
    const { principal, credential, algorithm } = record.payload;
    return `The key ${credential} (${algorithm}) of ${principal} was bound.`;
  }
  if (isOf(record, 'CredentialEnded')) {
    const { principal, credential, reason } = record.payload;
    return `The key ${credential} of ${principal} ended: ${reason}.`;
  }
  if (isOf(record, 'LegalHoldSet')) {
    const { id, revision, requests, until, set_by } = record.payload;
    return `${set_by} set the hold ${id}, revision ${revision}, on ${requests.length} ${requests.length === 1 ? 'request' : 'requests'} until ${until}.`;
  }
  if (isOf(record, 'LegalHoldLifted')) {
    const { id, lifted_by, set_by } = record.payload;
    return `${lifted_by} lifted the hold ${id} of ${set_by}.`;
  }
  if (isOf(record, 'WebhookDelivery')) {
    return `The event ${record.payload.event_id} was sent to ${record.header.audience}.`;
  }
  return `A record of the type ${record.type}.`;
}

export function addToTimeline(
  { findings }: VerifierContext,
  record: CheckedRecord,
  isBrief = !isMinor(record),
): void {
  const says = sentenceOf(record);
  if (says === null) return;
  const { path, proven } = record;
  findings.add({ at: record.header.issued_at, says, path, proven, brief: isBrief });
}

/** The whole lifecycle, in the order of time. */
export function addExportToTimeline(
  context: VerifierContext,
  { request, material }: AuditExport,
  records: readonly CheckedRecord[],
  anchor: CheckedProof | null,
  issuer: string,
): void {
  const { findings } = context;
  const bound =
    findings.allHold('request_bound') === true && findings.allHold('request_digest') === true;
  const add = (at: string, says: string, path: string, proven: boolean, brief = false): void =>
    findings.add({ at, says, path, proven, brief });
  const { subject } = request.requester;
  add(
    request.accepted_at,
    `${request.producer} of ${request.tenant} asked for ${subject} on the route ${request.route}, at ${plainText(issuer)}: ${plainText(request.summary)}`,
    '/request',
    bound,
    true,
  );
  const candidate = material?.candidate;
  if (candidate) {
    const { created_at, reviewer, decision } = candidate;
    const proven = bound && findings.allHold('receipt_candidate') === true;
    add(created_at, `${reviewer} proposed: ${decision}.`, '/material/candidate', proven);
  }
  // The receipt names the votes that count, and would be lost among twenty of them.
  const isDecided = records.some((record) => isOf(record, 'DecisionReceipt'));
  for (const record of records) {
    const isTold = isDecided && isOf(record, 'ApprovalRecord');
    addToTimeline(context, record, !isTold && !isMinor(record));
  }
  if (anchor !== null) {
    const { issued_at } = anchor.proof.checkpoint.protected;
    const { sequence } = anchor.checkpoint;
    add(issued_at, `A checkpoint at entry ${sequence} covers the decision.`, '/anchor', true);
  }
  findings.timeline.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
