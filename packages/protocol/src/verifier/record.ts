import { canonicalText, textDigest } from '../json/canonical.js';
import type { Digest } from '../json/canonical.js';
import type { JsonValue } from '../json/value.js';
import type {
  PayloadOf,
  Profiles,
  RecordName,
  RecordType,
  SignedRecord,
} from '../records/index.js';
import { SIGNED_RECORDS, faultOf, isExtended, parseTimestamp, validate } from '../records/index.js';
import { VERIFICATION_REASONS, verifyRecord } from '../signing/index.js';
import type { ExpectedRecord, Verification } from '../signing/index.js';
import type { VerifierContext } from './context.js';
import { plainText } from './plain-text.js';

/** A record whose payload has the shape of its type, whether or not its signature is good. */
export interface CheckedRecord<Type extends RecordType = RecordType> {
  readonly path: string;
  readonly digest: Digest;
  readonly type: Type;
  readonly header: SignedRecord['protected'];
  readonly payload: PayloadOf<Type>;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  /** Signature, header and time hold. */
  readonly proven: boolean;
}

/** The record expected at a place, computed once for all places with the same expectation. */
export interface RecordExpectation {
  readonly expected: ExpectedRecord;
  readonly key: string;
}

export function expecting(expected: ExpectedRecord): RecordExpectation {
  return { expected, key: canonicalText(expected) };
}

/** The payload member that repeats the time of issue (protocol §15.5). */
const TIMES: Partial<Record<RecordType, string>> = {
  DecisionReceipt: 'confirmed_at',
  ExecutionClaim: 'claimed_at',
  AdmissionStatus: 'checked_at',
  ExecutionOutcome: 'recorded_at',
  ExecutionReconciliation: 'recorded_at',
  WebhookDelivery: 'timestamp',
  BundleRegistered: 'created_at',
  MembershipConfigured: 'configured_at',
  ApprovalRecord: 'approved_at',
  ApprovalEnded: 'ended_at',
  CredentialBound: 'bound_at',
  CredentialEnded: 'ended_at',
  LegalHoldSet: 'set_at',
  LegalHoldLifted: 'lifted_at',
};

/**
 * Verifies a record by itself.
 *
 * @param knownDigest digest of its canonical text, when that was computed before
 * @returns null when it does not have a record's shape, so that nothing more can be checked
 */
export function checkRecord(
  { trust, memory, findings }: VerifierContext,
  record: unknown,
  path: string,
  { expected, key }: RecordExpectation,
  knownDigest?: Digest,
): CheckedRecord | null {
  const digest = knownDigest ?? digestOrNull(record);
  const known = `${digest} ${key}`;
  let verified: Verification | undefined = memory.verified.get(known);
  if (verified === undefined) {
    verified = verifyRecord(record, trust, expected);
    if (digest !== null) memory.verified.set(known, verified);
  }
  const good = findings.check(
    'record_signature',
    path,
    verified.ok,
    verified.ok ? {} : { reason: verified.reason, detail: VERIFICATION_REASONS[verified.reason] },
  );
  if (digest === null || !validate('SignedRecord', record) || !isType(record.protected.type)) {
    // Where no record is returned, a failure must have been recorded.
    if (good) findings.check('record_payload', path, false);
    return null;
  }
  const { protected: header, payload } = record;
  const type = header.type as RecordType;
  const name = payloadRecordOf(type, header.profiles);
  if (!validate(name, payload)) {
    const detail = plainText(faultOf(name, payload) ?? '');
    findings.check('record_payload', `${path}/payload`, false, { detail });
    return null;
  }
  findings.check('record_payload', `${path}/payload`, true);
  const issuedAt = parseTimestamp(header.issued_at) as number;
  const shaped = { path, digest, type, header, payload, issuedAt } as Omit<CheckedRecord, 'proven'>;
  const [timely, coherent] = [timeFits(shaped), headerFits(shaped)];
  if (timely !== null) findings.check('record_time', `${path}/protected/issued_at`, timely);
  if (coherent !== null) findings.check('record_header', `${path}/protected`, coherent);
  return { ...shaped, proven: good && timely !== false && coherent !== false };
}

/** A receipt has the form that its profiles select (protocol §18.3). */
function payloadRecordOf(type: RecordType, profiles: Profiles): RecordName {
  return type === 'DecisionReceipt' && isExtended(profiles)
    ? 'ExtendedDecisionReceipt'
    : SIGNED_RECORDS[type].payload;
}

function timeFits({ type, header, payload }: Omit<CheckedRecord, 'proven'>): boolean | null {
  const member = TIMES[type];
  if (member === undefined) return null;
  return (payload as unknown as Record<string, JsonValue>)[member] === header.issued_at;
}

/** Members that are in both header and payload (protocol §2.5, §3.4, §3.5). */
function headerFits(record: Omit<CheckedRecord, 'proven'>): boolean | null {
  const { header } = record;
  if (isOf(record, 'DecisionReceipt') || isOf(record, 'ApprovalRecord')) {
    return record.payload.purpose === header.purpose;
  }
  const { audience } = SIGNED_RECORDS[record.type];
  if (audience === 'proto.directory' || audience === 'proto.custody') {
    return header.audience === audience;
  }
  if (isOf(record, 'RequestChangedEvent')) {
    const { status_ref, request_id } = record.payload;
    return status_ref === `${header.issuer}/v2/requests/${request_id}`;
  }
  if (isOf(record, 'BundleRegistered')) {
    return record.payload.tenant === header.tenant && record.payload.publisher === header.audience;
  }
  if (isOf(record, 'AuditCheckpoint')) {
    return record.payload.ledger_id === header.tenant && header.audience === 'proto.audit';
  }
  if (isOf(record, 'RecoveryFence')) {
    return record.payload.key === header.tenant && header.audience === 'proto.recovery';
  }
  return null;
}

export function isOf<Type extends RecordType>(
  record: Omit<CheckedRecord, 'proven'>,
  type: Type,
): record is CheckedRecord<Type> {
  return record.type === type;
}

/** The records of one type among them. */
export function recordsOf<Type extends RecordType>(
  records: readonly CheckedRecord[],
  type: Type,
): CheckedRecord<Type>[] {
  return records.filter((record): record is CheckedRecord<Type> => isOf(record, type));
}

function isType(name: string): name is RecordType {
  return Object.hasOwn(SIGNED_RECORDS, name);
}

function digestOrNull(record: unknown): Digest | null {
  const text = canonicalOrNull(record);
  return text === null ? null : textDigest(text);
}

/** Null for a value without a canonical form; every value that was read strictly has one. */
export function canonicalOrNull(value: unknown): string | null {
  try {
    return canonicalText(value);
  } catch {
    return null;
  }
}
