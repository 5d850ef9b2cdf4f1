import type { RecordType, SignedRecord } from '../records/index.js';
import { SIGNED_RECORDS, parseTimestamp } from '../records/index.js';
import type { Hearing } from './hearing.js';
import { expectLedger, hearProof, isText } from './proof.js';
import { canonicalOrNull, expecting, hearRecord, isOf } from './record.js';
import type { HeardRecord } from './record.js';
import { tellRecord } from './story.js';

const ALL_TYPES = Object.keys(SIGNED_RECORDS) as RecordType[];

/** Types whose tenant in the header is no tenant (protocol §2.5). */
const WITHOUT_TENANT: readonly RecordType[] = ['AuditCheckpoint', 'RecoveryFence'];

/** One signed record by itself: what it rests on is not here, and the verdict says so. */
export function hearSingle(hearing: Hearing, value: SignedRecord): HeardRecord | null {
  const { now } = hearing.expected;
  const expected = { type: ALL_TYPES, audience: null, ...(now === undefined ? {} : { now }) };
  const record = hearRecord(hearing, value, '', expecting(expected));
  if (record === null) return null;
  hearParties(hearing, record);
  hearAlone(hearing, record, value);
  tellRecord(hearing, record);
  return record;
}

/** For whom it is, and of which tenant: good for nobody until that was compared. */
export function hearParties({ findings, expected }: Hearing, { header, type }: HeardRecord): void {
  const fixed = SIGNED_RECORDS[type].audience.startsWith('proto.');
  const parties = [
    ['expected_audience', 'audience', fixed ? null : expected.audience],
    ['expected_tenant', 'tenant', WITHOUT_TENANT.includes(type) ? null : expected.tenant],
  ] as const;
  for (const [code, member, wanted] of parties) {
    const path = `/protected/${member}`;
    if (wanted === null) continue;
    if (wanted !== undefined) findings.judge(code, path, header[member] === wanted);
    else {
      findings.skipped(code, path, {
        says: `Its ${member} was not compared, because nobody said which one to expect.`,
      });
    }
  }
}

function hearAlone(hearing: Hearing, record: HeardRecord, value: SignedRecord): void {
  const { findings, expected, copies } = hearing;
  const { issuedAt } = record;
  const at = (text: string): number => parseTimestamp(text) as number;
  if (isOf(record, 'DecisionReceipt')) {
    const { payload } = record;
    if (payload.purpose === 'authorise_execution') {
      findings.judge(
        'receipt_grant',
        '/payload/grant_deadline',
        issuedAt < at(payload.grant_deadline),
      );
    }
    alone(hearing, 'request_bound', 'the request, the material and the candidate');
    notInLedger(hearing);
  } else if (isOf(record, 'ExecutionClaim')) {
    const { dispatch_before, execution_identity } = record.payload;
    findings.judge('claim_times', '/payload', issuedAt < at(dispatch_before));
    compareIdentity(hearing, execution_identity);
    alone(hearing, 'claim_receipt', 'the request and the decision that it rests on');
  } else if (isOf(record, 'AdmissionStatus')) {
    const { dispatch_before, execution_identity, nonce, anchor } = record.payload;
    findings.judge('admission_times', '/payload', issuedAt < at(dispatch_before));
    compareIdentity(hearing, execution_identity);
    if (expected.nonce !== undefined) {
      findings.judge('expected_nonce', '/payload/nonce', nonce === expected.nonce);
    } else {
      findings.skipped('expected_nonce', '/payload/nonce', {
        says: 'Whether it answers your own nonce was not compared.',
      });
    }
    hearProof(hearing, anchor, '/payload/anchor', null);
    alone(hearing, 'admission_claim', 'the request, the decision and the claim');
  } else if (isOf(record, 'AuditCheckpoint')) {
    const { ledger_id, generation, sequence } = record.payload;
    expectLedger(hearing, ledger_id, '/payload/ledger_id');
    if (copies === null) {
      findings.skipped('anchor_store', '', { says: 'The anchor store was not looked into.' });
    } else {
      const copy = copies.copy(ledger_id, generation, sequence);
      const text = canonicalOrNull(value) ?? '';
      findings.judge('anchor_store', '', copy !== null && isText(copy.bytes, text));
    }
  } else {
    notInLedger(hearing);
  }
}

function compareIdentity({ findings, expected }: Hearing, identity: string): void {
  const path = '/payload/execution_identity';
  if (expected.executionIdentity !== undefined) {
    findings.judge('expected_identity', path, identity === expected.executionIdentity);
  } else {
    findings.skipped('expected_identity', path, {
      says: `It is of ${identity}; whether that is the executor you mean was not compared.`,
    });
  }
}

/** A record alone shows that somebody had the key; what it names by digest is elsewhere (protocol R36). */
function alone(
  { findings }: Hearing,
  code: 'request_bound' | 'claim_receipt' | 'admission_claim',
  what: string,
): void {
  findings.unknown(code, '', {
    says: `It names only the digest of what it rests on: ${what} would have to be compared; an export holds all of it.`,
  });
}

/** That a key signed it does not show that the service put it down: a stolen key signs too. */
export function notInLedger({ findings }: Hearing): void {
  findings.unknown('anchor_proof', '', {
    says: 'It stands alone: the ledger and its anchor would have to be compared; an export or the pages of the ledger hold it.',
  });
}
