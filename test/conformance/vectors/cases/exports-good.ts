import { buildEvidence } from '../../evidence/build-evidence.js';
import type { Scenario } from '../../evidence/scenario.js';
import { accepted } from '../vector.js';
import type { Vector } from '../vector.js';

/** Unchanged exports. */
export function goodExports(): Vector[] {
  const vectorOf = (
    name: string,
    what: string,
    scenario: Scenario,
    check: Vector['check'],
    verdict: 'holds' | 'incomplete' = 'holds',
  ): Vector => {
    const { document, ledger } = buildEvidence(scenario);
    const store = document.anchor === null ? null : ledger.store;
    return accepted(name, what, document, check, { store }, verdict);
  };
  const whole = buildEvidence();
  const expired = structuredClone(whole.document);
  if (expired.audit[0] !== undefined) expired.audit[0].record = null;
  const claim = whole.records['claim'];
  return [
    vectorOf(
      'export-executed',
      'An execution from the question to its outcome.',
      {},
      {
        code: 'anchor_store',
        status: 'holds',
      },
    ),
    accepted(
      'export-executed-without-store',
      'The same without a look into the anchor store: nothing fails, and it is not proven either.',
      whole.document,
      { code: 'anchor_store', status: 'not checked' },
      {},
      'incomplete',
    ),
    accepted(
      'export-executor-ready',
      'The same, with everything that an executor knows for itself.',
      whole.document,
      { code: 'expected_binding', status: 'holds' },
      {
        store: whole.ledger.store,
        expected: {
          tenant: 'acme',
          audience: 'bot-7',
          ledger: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
          identity: 'runner-1/run-88',
          nonce: 'n0nce_-000000000001',
          binding: String(
            (claim?.record.payload as { execution_binding_digest: string })
              .execution_binding_digest,
          ),
        },
      },
    ),
    vectorOf(
      'export-after-private-deletion',
      'Private material is gone; the signed record of its deletion is there.',
      { discarded: true },
      { code: 'material_kept', status: 'cannot be known' },
    ),
    vectorOf(
      'export-review-approved',
      'A review without any execution.',
      { purpose: 'review' },
      {
        code: 'receipt_present',
        status: 'holds',
      },
    ),
    vectorOf(
      'export-review-without-app',
      'A review without a bound app.',
      { purpose: 'review', bundle: false, decision: 'answer' },
      { code: 'receipt_candidate', status: 'holds' },
    ),
    vectorOf(
      'export-refused',
      'An execution that was refused.',
      { decision: 'refuse' },
      {
        code: 'receipt_grant',
        status: 'holds',
      },
    ),
    vectorOf(
      'export-reconciled',
      'An outcome that operators settled twice.',
      { reconciliations: 2 },
      {
        code: 'outcome_rules',
        status: 'holds',
      },
    ),
    vectorOf(
      'export-neighbours',
      'All entries are neighbours, so those before the decision are proven too.',
      { neighbours: false, until: 'anchored' },
      { code: 'ledger_place', status: 'cannot be known' },
    ),
    vectorOf(
      'export-pending',
      'Nothing was decided yet: what was asked is covered by no signature.',
      { until: 'asked' },
      { code: 'request_bound', status: 'cannot be known' },
      'incomplete',
    ),
    vectorOf(
      'export-not-anchored',
      'Decided, but not anchored yet.',
      { until: 'decided' },
      { code: 'anchor_proof', status: 'cannot be known' },
      'incomplete',
    ),
    accepted(
      'export-entry-text-expired',
      'The text of one entry is gone after its time; the chain goes on through its digest.',
      expired,
      { code: 'event_revisions', status: 'cannot be known' },
      { store: whole.ledger.store },
      'incomplete',
    ),
    accepted(
      'export-other-spelling',
      'The same export with white space: it says the same.',
      JSON.stringify(whole.document, null, 2),
      { code: 'record_signature', status: 'holds' },
      { store: whole.ledger.store },
    ),
  ];
}
