import type { Signed, SignedRecord } from '@countersign/protocol';
import { forged } from '../../evidence/forging.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { accepted } from '../vector.js';
import type { Vector } from '../vector.js';
import { CONTRACT_RECEIPT } from './contract.js';

const MINE = { tenant: 'acme', audience: 'bot-7' };
const EXECUTOR = { ...MINE, identity: 'runner-1/run-88', nonce: 'n0nce_-000000000001' };

const evidence = buildEvidence();
const record = (name: string): SignedRecord => (evidence.records[name] as Signed).record;
const checkpoint = evidence.document.anchor?.checkpoint as SignedRecord;

/** Single records that fail nothing. By itself only a checkpoint of the anchor store holds (protocol R36). */
export function goodRecords(): Vector[] {
  const signature = { code: 'record_signature', status: 'holds' } as const;
  const { store } = evidence.ledger;
  return [
    accepted(
      'record-receipt',
      'A decision.',
      record('receipt'),
      signature,
      { expected: MINE },
      'incomplete',
    ),
    accepted(
      'record-receipt-for-anyone',
      'The same without an expected audience.',
      record('receipt'),
      { code: 'expected_audience', status: 'not checked' },
      {},
      'incomplete',
    ),
    accepted(
      'record-contract-example',
      'The receipt of protocol §2.6.',
      CONTRACT_RECEIPT,
      signature,
      { expected: MINE },
      'incomplete',
    ),
    accepted(
      'record-claim',
      'A claim.',
      record('claim'),
      { code: 'expected_identity', status: 'holds' },
      { expected: EXECUTOR },
      'incomplete',
    ),
    accepted(
      'record-admission',
      'An admission with the proof that it carries.',
      record('admission'),
      { code: 'expected_nonce', status: 'holds' },
      { expected: EXECUTOR, store },
      'incomplete',
    ),
    accepted(
      'record-outcome',
      'An outcome.',
      record('outcome'),
      signature,
      { expected: MINE },
      'incomplete',
    ),
    accepted(
      'record-checkpoint',
      'A checkpoint that the anchor store holds.',
      checkpoint,
      { code: 'anchor_store', status: 'holds' },
      { store },
    ),
    accepted(
      'record-second-key',
      'Signed under the next key: both are trusted.',
      forged(record('receipt'), { key: 'k-2026-02' }),
      signature,
      { expected: MINE },
      'incomplete',
    ),
    accepted(
      'record-30-seconds-ahead',
      'Issued 30 seconds after now: clocks may differ by as much.',
      record('receipt'),
      signature,
      { expected: { ...MINE, now: '2026-05-01T09:04:30.000Z' } },
      'incomplete',
    ),
    accepted(
      'record-before-revocation',
      'Signed before its key was revoked.',
      forged(record('receipt'), { key: 'k-revoked' }),
      signature,
      { expected: MINE },
      'incomplete',
    ),
    accepted(
      'record-members-in-other-order',
      'Members in another order: the canonical form is the same.',
      reversed(record('receipt')),
      signature,
      { expected: MINE },
      'incomplete',
    ),
  ];
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}
