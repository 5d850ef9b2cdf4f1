import type { RecordType, SignedRecord } from '../records/index.js';
import { SIGNED_RECORDS, parseTimestamp } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { expectLedger, checkProof, isText } from './proof.js';
import { canonicalOrNull, expecting, checkRecord, isOf } from './record.js';
import type { CheckedRecord } from './record.js';
import { addToTimeline } from './timeline.js';

const ALL_TYPES = Object.keys(SIGNED_RECORDS) as RecordType[];

/** Types whose tenant in the header is no tenant (protocol §2.5). */
const WITHOUT_TENANT: readonly RecordType[] = ['AuditCheckpoint', 'RecoveryFence'];

/** One signed record by itself. The records that it depends on are absent, and the verdict says so. */
export function checkSingle(context: VerifierContext, value: SignedRecord): CheckedRecord | null {
  const { now } = context.expected;
  const expected = { type: ALL_TYPES, audience: null, ...(now === undefined ? {} : { now }) };
  const record = checkRecord(context, value, '', expecting(expected));
  if (record === null) return null;
  checkParties(context, record);
  checkAlone(context, record, value);
  addToTimeline(context, record);
  return record;
}

/** Its audience and its tenant, which must be compared before anyone relies on it. */
export function checkParties(
  { findings, expected }: VerifierContext,
  { header, type }: CheckedRecord,
): void {
  const fixed = SIGNED_RECORDS[type].audience.startsWith('proto.');
  const parties = [
    ['expected_audience', 'audience', fixed ? null : expected.audience],
    ['expected_tenant', 'tenant', WITHOUT_TENANT.includes(type) ? null : expected.tenant],
  ] as const;
  for (const [code, member, wanted] of parties) {
    const path = `/protected/${member}`;
    if (wanted === null) continue;
    if (wanted !== undefined) findings.check(code, path, header[member] === wanted);
    else {
      findings.skipped(code, path, {
        says: `Its ${member} was not compared, because no expected one was given.`,
      });
    }
  }
}

function checkAlone(context: VerifierContext, record: CheckedRecord, value: SignedRecord): void {
  const { findings, expected, copies } = context;
  const { issuedAt } = record;
  const at = (text: string): number => parseTimestamp(text) as number;
  if (isOf(record, 'DecisionReceipt')) {
    const { payload } = record;
    if (payload.purpose === 'authorise_execution') {
      findings.check(
        'receipt_grant',
        '/payload/grant_deadline',
        issuedAt < at(payload.grant_deadline),
      );
    }
    alone(context, 'request_bound', 'the request, the material and the candidate');
    notInLedger(context);
  } else if (isOf(record, 'ExecutionClaim')) {
    const { dispatch_before, execution_identity } = record.payload;
    findings.check('claim_times', '/payload', issuedAt < at(dispatch_before));
    compareIdentity(context, execution_identity);
    alone(context, 'claim_receipt', 'the request and the decision that it rests on');
  } else if (isOf(record, 'AdmissionStatus')) {
    const { dispatch_before, execution_identity, nonce, anchor } = record.payload;
    findings.check('admission_times', '/payload', issuedAt < at(dispatch_before));
    compareIdentity(context, execution_identity);
    if (expected.nonce !== undefined) {
      findings.check('expected_nonce', '/payload/nonce', nonce === expected.nonce);
    } else {
      findings.skipped('expected_nonce', '/payload/nonce', {
        says: 'Whether it answers your own nonce was not compared.',
      });
    }
    checkProof(context, anchor, '/payload/anchor', null);
    alone(context, 'admission_claim', 'the request, the decision and the claim');
  } else if (isOf(record, 'ApprovalRecord')) {
    alone(context, 'request_bound', 'the request, the candidate and the membership of its giver');
    notInLedger(context);
  } else if (isOf(record, 'AuditCheckpoint')) {
    const { ledger_id, generation, sequence } = record.payload;
    expectLedger(context, ledger_id, '/payload/ledger_id');
    if (copies === null) {
      findings.skipped('anchor_store', '', { says: 'The anchor store was not looked into.' });
    } else {
      const copy = copies.copy(ledger_id, generation, sequence);
      const text = canonicalOrNull(value) ?? '';
      findings.check('anchor_store', '', copy !== null && isText(copy.bytes, text));
    }
  } else {
    notInLedger(context);
  }
}

function compareIdentity({ findings, expected }: VerifierContext, identity: string): void {
  const path = '/payload/execution_identity';
  if (expected.executionIdentity !== undefined) {
    findings.check('expected_identity', path, identity === expected.executionIdentity);
  } else {
    findings.skipped('expected_identity', path, {
      says: `It is of ${identity}; whether that is the executor you mean was not compared.`,
    });
  }
}

/** A record alone shows that its signer had the key; the objects that it names by digest are elsewhere (protocol R36). */
function alone(
  { findings }: VerifierContext,
  code: 'request_bound' | 'claim_receipt' | 'admission_claim',
  what: string,
): void {
  findings.unknown(code, '', {
    says: `It names only the digest of what it rests on: ${what} would have to be compared; an export holds all of it.`,
  });
}

/** A valid signature does not show that the record is in the ledger: a stolen key signs too. */
export function notInLedger({ findings }: VerifierContext): void {
  findings.unknown('anchor_proof', '', {
    says: 'It stands alone: the ledger and its anchor would have to be compared; an export or the pages of the ledger hold it.',
  });
}
