import { canonicalText, textDigest, valueDigest } from '@countersign/protocol';
import { copyOf, forged } from '../../evidence/forging.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';

type Check = Omit<Vector['check'], 'status'>;

/** Exports whose parts contradict each other, although each of them holds by itself. */
export function contradictoryExports(): Vector[] {
  const { document, ledger } = buildEvidence();
  const { store } = ledger;
  const altered = (
    name: string,
    what: string,
    check: Check,
    change: (copy: any) => void,
  ): Vector => {
    const copy = copyOf(document);
    change(copy);
    return refused(`export-${name}`, what, copy, check, { store });
  };
  const other = `sha256:${'6'.repeat(64)}`;
  return [
    altered(
      'decision-missing',
      'Decision, candidate and proof are left out; the events speak of a decision.',
      { code: 'receipt_present' },
      (it) => {
        it.records = [];
        it.audit = it.audit.filter(({ record }: any) => record.includes('RequestChangedEvent'));
        it.anchor = null;
        it.material.candidate = null;
      },
    ),
    altered(
      'entry-forked',
      'The decision stands at another place than the proof says; its head follows from that.',
      { code: 'ledger_place' },
      (it) => {
        const entry = it.audit[1];
        entry.previous_head = other;
        entry.head = valueDigest({
          previous: other,
          record_digest: entry.record_digest,
          sequence: Number(entry.sequence),
        });
      },
    ),
    altered(
      'candidate-of-another',
      'The candidate answers another request.',
      { code: 'candidate_request' },
      (it) => void (it.material.candidate.request_digest = other),
    ),
    altered(
      'record-of-another',
      'An event of another request is among the entries.',
      { code: 'record_request' },
      (it) => {
        const entry = it.audit[3];
        const record = forged(JSON.parse(entry.record), { payload: { request_id: 'another' } });
        entry.record = canonicalText(record);
        entry.record_digest = textDigest(entry.record);
        entry.head = valueDigest({
          previous: entry.previous_head,
          record_digest: entry.record_digest,
          sequence: Number(entry.sequence),
        });
      },
    ),
    refused(
      'export-other-execution',
      'The execution is another one than the executor is about to start.',
      document,
      { code: 'expected_binding' },
      { store, expected: { binding: other } },
    ),
  ];
}
