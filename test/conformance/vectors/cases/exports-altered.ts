import { textDigest, valueDigest } from '@countersign/protocol';
import type { AuditExport } from '@countersign/protocol';
import { copyOf, forged } from '../../evidence/forging.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';

type Check = Omit<Vector['check'], 'status'>;

/** Exports that were changed afterwards. */
export function alteredExports(): Vector[] {
  const { document, ledger } = buildEvidence({ reconciliations: 1 });
  const altered = (
    name: string,
    what: string,
    check: Check,
    change: (copy: any) => void,
    from: AuditExport = document,
  ): Vector => {
    const copy = copyOf(from);
    change(copy);
    return refused(`export-${name}`, what, copy, check, { store: ledger.store });
  };
  const discarded = buildEvidence({ discarded: true }).document;
  const foreign = buildEvidence({ neighbours: false });
  return [
    altered('payload', 'Another amount than was shown.', { code: 'material_payload' }, (it) => {
      it.material.payload.amount = 1200.6;
    }),
    altered('document', 'One character of the document.', { code: 'material_document' }, (it) => {
      it.material.review_document = it.material.review_document.replace('1200.50', '1300.50');
    }),
    altered('schema', 'Another response schema.', { code: 'material_schema' }, (it) => {
      it.material.response_schema.additionalProperties = true;
    }),
    altered(
      'app',
      'Another app than the one that was shown.',
      { code: 'material_bundle' },
      (it) => {
        it.material.bundle.html += '<!-- -->';
      },
    ),
    altered('app-manifest', 'The app of another publisher.', { code: 'material_bundle' }, (it) => {
      it.material.bundle.manifest.publisher = 'others';
    }),
    altered('request', 'Another summary.', { code: 'request_digest' }, (it) => {
      it.request.summary = 'Pay nothing';
    }),
    altered(
      'request-and-digest',
      'Another summary, and the digest that fits it: the signed records name the old one.',
      { code: 'request_bound' },
      (it) => {
        it.request.summary = 'Pay nothing';
        it.request_digest = valueDigest(it.request);
      },
    ),
    altered(
      'tenant',
      'The request of another tenant.',
      { code: 'record_signature', reason: 'tenant_mismatch' },
      (it) => {
        it.request.tenant = 'other';
      },
    ),
    altered(
      'candidate',
      'Another decision in the candidate.',
      { code: 'receipt_candidate' },
      (it) => {
        it.material.candidate.decision = 'refuse';
      },
    ),
    altered(
      'candidate-response',
      'Another response, with the digests that fit it.',
      { code: 'receipt_candidate' },
      (it) => {
        const { candidate } = it.material;
        candidate.response.score = 0.9;
        candidate.response_canonical = candidate.response_canonical.replace('0.1', '0.9');
        candidate.response_digest = valueDigest(candidate.response);
      },
    ),
    altered(
      'candidate-text',
      'Response and canonical text differ.',
      { code: 'candidate_response' },
      (it) => {
        it.material.candidate.response_canonical =
          '{"score":0.1,"note":"Checked against the order"}';
      },
    ),
    altered(
      'record-signature',
      'One letter of a signature.',
      { code: 'record_signature', path: '/records/0', reason: 'wrong_signature' },
      (it) => {
        const [record] = it.records;
        record.signature = (record.signature[0] === 'A' ? 'B' : 'A') + record.signature.slice(1);
      },
    ),
    altered(
      'record-missing',
      'The claim is left out of the records.',
      { code: 'ledger_records' },
      (it) => {
        it.records.splice(1, 1);
      },
    ),
    altered('records-swapped', 'Two records change places.', { code: 'ledger_records' }, (it) => {
      it.records.reverse();
    }),
    altered(
      'event-missing',
      'An entry in the middle is left out.',
      { code: 'event_revisions' },
      (it) => {
        it.audit.splice(3, 1);
      },
    ),
    altered(
      'entry-missing',
      'The entry of the decision is left out.',
      { code: 'ledger_records' },
      (it) => {
        it.audit.splice(1, 1);
      },
    ),
    altered('entries-swapped', 'Two entries change places.', { code: 'ledger_order' }, (it) => {
      [it.audit[1], it.audit[2]] = [it.audit[2], it.audit[1]];
    }),
    altered('entry-twice', 'An entry stands there twice.', { code: 'ledger_records' }, (it) => {
      it.audit.splice(1, 0, it.audit[1]);
    }),
    altered('entry-number', 'An entry has another number.', { code: 'ledger_entry' }, (it) => {
      it.audit[0].sequence = '4';
    }),
    altered('entry-text', 'The text of an entry is another.', { code: 'ledger_entry' }, (it) => {
      it.audit[0].record = it.audit[0].record.replace('created', 'expiry');
    }),
    altered(
      'entry-not-canonical',
      'The text of an entry in another order, chained anew.',
      { code: 'ledger_entry', reason: 'record_not_canonical' },
      (it) => {
        const entry = it.audit[0];
        entry.record = JSON.stringify(JSON.parse(entry.record), null, 1);
        entry.record_digest = textDigest(entry.record);
        entry.head = valueDigest({
          previous: entry.previous_head,
          record_digest: entry.record_digest,
          sequence: Number(entry.sequence),
        });
      },
    ),
    altered(
      'not-deleted',
      'Material is put back after its deletion.',
      { code: 'material_kept' },
      (it) => {
        it.material = copyOf(document.material);
      },
      discarded,
    ),
    altered(
      'node-missing',
      'A node of the proof is left out.',
      { code: 'anchor_proof', reason: 'node_sequence_gap' },
      (it) => {
        it.anchor.proof.splice(1, 1);
      },
    ),
    altered(
      'nodes-swapped',
      'Two nodes of the proof change places.',
      { code: 'anchor_proof', reason: 'node_sequence_gap' },
      (it) => {
        const { proof } = it.anchor;
        [proof[1], proof[2]] = [proof[2], proof[1]];
      },
    ),
    altered(
      'proof-of-another',
      'The proof starts at another record.',
      { code: 'anchor_proof', reason: 'receipt_not_proven' },
      (it) => {
        it.anchor.proof.shift();
      },
    ),
    altered(
      'proof-short',
      'The proof ends before the checkpoint.',
      { code: 'anchor_proof', reason: 'checkpoint_not_reached' },
      (it) => {
        it.anchor.proof.pop();
      },
    ),
    altered(
      'foreign-checkpoint',
      'A signed checkpoint of another history.',
      { code: 'anchor_proof', reason: 'checkpoint_not_reached' },
      (it) => {
        it.anchor.checkpoint = foreign.document.anchor?.checkpoint;
      },
    ),
    altered(
      'acceptance',
      'The acceptance of another checkpoint.',
      { code: 'anchor_proof', reason: 'acceptance_digest_mismatch' },
      (it) => {
        it.anchor.acceptance.digest = `sha256:${'0'.repeat(64)}`;
      },
    ),
    altered(
      'retention',
      'The anchor store keeps it for 89 days only.',
      { code: 'anchor_proof', reason: 'retention_too_short' },
      (it) => {
        it.anchor.acceptance.retained_until = '2026-07-29T09:05:01.000Z';
      },
    ),
    altered(
      'acceptance-key',
      'The acceptance names the place of another checkpoint.',
      { code: 'anchor_key' },
      (it) => {
        it.anchor.acceptance.key = it.anchor.acceptance.key.replace('07.json', '08.json');
      },
    ),
    altered('unknown-member', 'A member that no export has.', { code: 'document_shape' }, (it) => {
      it.verdict = 'valid';
    }),
    altered(
      'record-of-stranger',
      'The outcome, signed by a stranger.',
      { code: 'record_signature', reason: 'unknown_key' },
      (it) => {
        it.records[3] = forged(it.records[3], { key: 'k-stranger' });
      },
    ),
    refused(
      'export-store-differs',
      'The anchor store holds something else.',
      document,
      { code: 'anchor_store' },
      {
        store: Object.fromEntries(
          Object.entries(ledger.store).map(([key, text]) => [key, `${text} `]),
        ),
      },
    ),
    refused(
      'export-store-empty',
      'The anchor store holds nothing there.',
      document,
      { code: 'anchor_store' },
      {
        store: { 'checkpoints/none': '' },
      },
    ),
    refused(
      'export-other-ledger',
      'The checkpoint is of another ledger than expected.',
      document,
      { code: 'anchor_ledger' },
      {
        store: ledger.store,
        expected: { ledger: '11111111-1111-4111-8111-111111111111' },
      },
    ),
    refused(
      'export-other-tenant',
      'The export is of another tenant than expected.',
      document,
      { code: 'expected_tenant' },
      {
        store: ledger.store,
        expected: { tenant: 'other' },
      },
    ),
  ];
}
