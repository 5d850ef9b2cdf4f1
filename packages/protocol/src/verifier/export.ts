import type { AuditExport } from '../records/index.js';
import { hearDecision } from './export-decision.js';
import { hearEntries, hearPlaces } from './export-ledger.js';
import { hearExportEvents } from './export-events.js';
import { hearExecution } from './export-execution.js';
import { hearBinding, hearMaterial, hearRequest } from './export-request.js';
import type { Hearing } from './hearing.js';
import { hearProof } from './proof.js';
import type { HeardProof } from './proof.js';
import { expecting, hearRecord, isOf } from './record.js';
import type { HeardRecord } from './record.js';
import { tellExport } from './story.js';

/** An audit export: whatever can be recomputed is recomputed, whatever is said twice is compared. */
export function hearExport(hearing: Hearing, document: AuditExport): void {
  const { findings, trust, expected } = hearing;
  const { request } = document;
  const about = {
    audience: request.producer,
    tenant: request.tenant,
    purpose: request.purpose,
    profiles: request.profiles,
    ...(expected.now === undefined ? {} : { now: expected.now }),
  };
  hearRequest(hearing, document);

  const types = [
    'DecisionReceipt',
    'ExecutionClaim',
    'AdmissionStatus',
    'ExecutionOutcome',
    'ExecutionReconciliation',
  ] as const;
  const inRecords = expecting({ type: types, ...about });
  const listed = document.records.map((record, at) =>
    hearRecord(hearing, record, `/records/${at}`, inRecords),
  );
  const ofRequest = expecting({
    type: [...types, 'RequestChangedEvent', 'MaterialDiscarded'],
    ...about,
  });
  const entries = hearEntries(hearing, document, listed, ofRequest);
  const records = allOf(
    listed,
    entries.map(({ record }) => record),
  );
  for (const record of records) {
    const id: unknown = (record.payload as { request_id?: string }).request_id;
    findings.judge('record_request', record.path, id === request.id);
  }

  hearBinding(hearing, document, records);
  hearMaterial(hearing, document, records);
  const receipt = hearDecision(hearing, document, records);
  const claimed = records.some(({ type }) => type === 'ExecutionClaim');
  const anchor = hearAnchor(hearing, document, receipt, claimed);
  hearPlaces(hearing, entries, anchor);
  hearExecution(hearing, document, records, receipt, anchor);
  hearExportEvents(hearing, document, entries, receipt);
  nameUncovered(hearing, document, anchor, records);
  tellExport(hearing, document, records, anchor, trust.issuer);
}

/** Each record once: those of `records`, and those that only the ledger has. */
function allOf(
  listed: readonly (HeardRecord | null)[],
  inLedger: readonly (HeardRecord | null)[],
): HeardRecord[] {
  return [...new Set([...listed, ...inLedger])].filter((record) => record !== null);
}

function hearAnchor(
  hearing: Hearing,
  { anchor, request }: AuditExport,
  receipt: HeardRecord<'DecisionReceipt'> | null,
  claimed: boolean,
): HeardProof | null {
  const { findings } = hearing;
  if (anchor === null) {
    if (receipt !== null) {
      findings.unknown('anchor_proof', '/anchor', {
        says: 'The decision is not anchored yet, so it could still be left out of the ledger.',
      });
    }
    return null;
  }
  const heard = hearProof(hearing, anchor, '/anchor', receipt?.digest ?? null);
  if (heard === null || request.authority_namespace === undefined) return heard;
  const { generation } = heard.checkpoint;
  const path = '/anchor/checkpoint/payload/generation';
  if (generation === request.authority_namespace || claimed) {
    findings.judge('anchor_generation', path, generation === request.authority_namespace);
  } else {
    findings.unknown('anchor_generation', path, {
      says: 'The decision was anchored under a later generation than the request was made in: a recovery lay between them, and no authority outlives that.',
      decisive: false,
    });
  }
  return heard;
}

function nameUncovered(
  { findings }: Hearing,
  { anchor }: AuditExport,
  heard: HeardProof | null,
  records: readonly HeardRecord[],
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
  if (heard?.keyKnown !== true) {
    uncovered('/anchor/acceptance/key', `${says} Only its end was compared with the checkpoint.`);
  }
}
