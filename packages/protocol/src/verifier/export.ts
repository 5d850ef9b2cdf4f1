import { EXTENSION_PROFILES, KEY_PROFILE, SUPPORTED_PROFILES } from '../constants.js';
import type { AuditExport, ExtendedAuditExport, RecordType } from '../records/index.js';
import { checkApprovals } from './export-approvals.js';
import { checkDecision } from './export-decision.js';
import { checkEntries, checkPlaces } from './export-ledger.js';
import { checkExportEvents } from './export-events.js';
import { checkExecution } from './export-execution.js';
import { checkBinding, checkMaterial, checkRequest } from './export-request.js';
import type { VerifierContext } from './context.js';
import { checkProof } from './proof.js';
import type { CheckedProof } from './proof.js';
import { expecting, checkRecord, isOf } from './record.js';
import type { CheckedRecord } from './record.js';
import { addExportToTimeline } from './timeline.js';

/** The profiles that exports are judged under. */
export const ALL_PROFILES = { ...SUPPORTED_PROFILES, ...EXTENSION_PROFILES, ...KEY_PROFILE };

/** An audit export: recomputes every value that can be recomputed, and compares every value that appears twice. */
export function checkExport(
  context: VerifierContext,
  document: AuditExport | ExtendedAuditExport,
): void {
  const { findings, trust, expected } = context;
  const { request } = document;
  const about = {
    audience: request.producer,
    tenant: request.tenant,
    purpose: request.purpose,
    profiles: request.profiles,
    ...(expected.now === undefined ? {} : { now: expected.now }),
  };
  const extended = 'evidence' in document ? document : null;
  const profiles = extended === null ? SUPPORTED_PROFILES : ALL_PROFILES;
  checkRequest(context, document, profiles);

  const types: RecordType[] = [
    'DecisionReceipt',
    'ExecutionClaim',
    'AdmissionStatus',
    'ExecutionOutcome',
    'ExecutionReconciliation',
    ...(extended === null ? [] : (['ApprovalRecord', 'ApprovalEnded'] as const)),
  ];
  const inRecords = expecting({ type: types, ...about });
  const listed = document.records.map((record, at) =>
    checkRecord(context, record, `/records/${at}`, inRecords),
  );
  const ofRequest = expecting({
    type: [...types, 'RequestChangedEvent', 'MaterialDiscarded'],
    ...about,
  });
  const entries = checkEntries(context, document, listed, ofRequest);
  const records = allOf(
    listed,
    entries.map(({ record }) => record),
  );
  for (const record of records) {
    const id: unknown = (record.payload as { request_id?: string }).request_id;
    findings.check('record_request', record.path, id === request.id);
  }

  checkBinding(context, document, records);
  checkMaterial(context, document, records);
  const receipt = checkDecision(context, document, records);
  if (extended !== null) checkApprovals(context, extended, { records, entries, receipt });
  const claimed = records.some(({ type }) => type === 'ExecutionClaim');
  const anchor = checkAnchor(context, document, receipt, claimed);
  checkPlaces(context, entries, anchor);
  checkExecution(context, document, records, receipt, anchor);
  checkExportEvents(context, document, entries, receipt);
  nameUncovered(context, document, anchor, records);
  addExportToTimeline(context, document, records, anchor, trust.issuer);
}

/** Each record once: those of `records`, and those that only the ledger has. */
function allOf(
  listed: readonly (CheckedRecord | null)[],
  inLedger: readonly (CheckedRecord | null)[],
): CheckedRecord[] {
  return [...new Set([...listed, ...inLedger])].filter((record) => record !== null);
}

/** The proof of the decision, and of which generation it is (protocol §4.3). */
export function checkAnchor(
  context: VerifierContext,
  { anchor, request }: AuditExport,
  receipt: CheckedRecord<'DecisionReceipt'> | null,
  claimed: boolean,
): CheckedProof | null {
  const { findings } = context;
  if (anchor === null) {
    if (receipt !== null) {
      findings.unknown('anchor_proof', '/anchor', {
        says: 'The decision is not anchored yet, so it could still be left out of the ledger.',
      });
    }
    return null;
  }
  const checked = checkProof(context, anchor, '/anchor', receipt?.digest ?? null);
  if (checked === null || request.authority_namespace === undefined) return checked;
  const { generation } = checked.checkpoint;
  const path = '/anchor/checkpoint/payload/generation';
  if (generation === request.authority_namespace || claimed) {
    findings.check('anchor_generation', path, generation === request.authority_namespace);
  } else {
    findings.unknown('anchor_generation', path, {
      says: 'The decision was anchored under a later generation than the request was made in: a recovery lay between them, and no authority outlives that.',
      decisive: false,
    });
  }
  return checked;
}

function nameUncovered(
  { findings }: VerifierContext,
  { anchor }: AuditExport,
  checked: CheckedProof | null,
  records: readonly CheckedRecord[],
): void {
  const uncovered = (path: string, says: string) => findings.uncovered.push({ path, says });
  uncovered('/verification', 'Advice in words; nothing signs it.');
  if (anchor === null) return;
  // An admission is signed over the whole proof.
  const signed = records.some((record) => isOf(record, 'AdmissionStatus') && record.proven);
  if (signed && findings.allHold('admission_anchor') === true) return;
  const says = 'What the anchor store answered is not signed.';
  for (const member of ['backend', 'version_id', 'retained_until']) {
    uncovered(`/anchor/acceptance/${member}`, says);
  }
  if (checked?.keyKnown !== true) {
    uncovered('/anchor/acceptance/key', `${says} Only its end was compared with the checkpoint.`);
  }
}
