import { verify } from 'node:crypto';
import { IDENTIFIER, PROTOCOL_REVISION, SECONDS } from '../constants.js';
import { canonicalText } from '../json/canonical.js';
import { isJsonObject } from '../json/value.js';
import type { RecordType, SignedRecord } from '../records/index.js';
import { PURPOSES, parseTimestamp, validate } from '../records/index.js';
import { fitsPurpose, isRecordType, keyMaySign } from './policy.js';
import type { VerificationReason } from './reasons.js';
import { signaturePreimage } from './signed-record.js';
import type { Trust } from './trust-manifest.js';

/** The facts about the record that the verifier knows from elsewhere. */
export interface ExpectedRecord {
  readonly type: RecordType | readonly RecordType[];
  /** null only when the verifier cannot know it, as in a ledger of many producers. */
  readonly audience: string | null;
  readonly tenant?: string;
  readonly purpose?: SignedRecord['protected']['purpose'];
  readonly profiles?: Readonly<Record<string, string>>;
  /** Epoch milliseconds; when given, records from more than 30 s later are refused. */
  readonly now?: number;
}

export type Verification =
  | { readonly ok: true; readonly record: SignedRecord; readonly issuedAt: number }
  | { readonly ok: false; readonly reason: VerificationReason };

const purposes: readonly string[] = [...PURPOSES, 'service'];

const headerMembers: readonly string[] = [
  'audience',
  'issued_at',
  'issuer',
  'key_id',
  'profiles',
  'protocol_revision',
  'purpose',
  'tenant',
  'type',
];

/**
 * Verifies one record against the manifest that the verifier trusts (protocol §2.4, in its order; the types of its key,
 * R36, are compared as soon as the key is found).
 */
export function verifyRecord(
  record: unknown,
  trust: Trust,
  expected: ExpectedRecord,
): Verification {
  if (!isRecordShaped(record)) return refused('malformed_record');
  const header = record.protected;
  const issuedAt = parseTimestamp(header.issued_at);
  if (issuedAt === null) return refused('malformed_record');

  const mismatch = mismatchOf(header, trust, expected);
  if (mismatch !== null) return refused(mismatch);

  if (trust.keys.get(header.key_id) === undefined) return refused('unknown_key');
  if (!keyMaySign(header.key_id, header.type as RecordType)) return refused('key_not_for_type');
  return verifySignature(record, issuedAt, trust, expected);
}

/**
 * Verifies what can be known of a record whose type this release does not know (protocol §18.8): issuer, tenant, revision,
 * key, time and signature. Refuses a type that it knows as `type_mismatch`.
 */
export function verifyUnknownType(record: unknown, trust: Trust, tenant: string): Verification {
  if (!isRecordShaped(record)) return refused('malformed_record');
  const header = record.protected;
  const issuedAt = parseTimestamp(header.issued_at);
  if (issuedAt === null) return refused('malformed_record');
  if (isRecordType(header.type)) return refused('type_mismatch');
  if (isForeign(header, trust)) return refused('issuer_mismatch');
  if (isOfAnotherRevision(header)) return refused('revision_mismatch');
  if (header.tenant !== tenant) return refused('tenant_mismatch');
  if (!purposes.includes(header.purpose)) return refused('purpose_mismatch');
  return verifySignature(record, issuedAt, trust, {});
}

function verifySignature(
  record: SignedRecord,
  issuedAt: number,
  trust: Trust,
  expected: Pick<ExpectedRecord, 'now'>,
): Verification {
  const { protected: header } = record;
  const key = trust.keys.get(header.key_id);
  if (key === undefined) return refused('unknown_key');
  if (issuedAt < key.notBefore) return refused('key_not_yet_valid');
  if (issuedAt >= key.notAfter) return refused('key_expired');
  if (key.revokedAt !== null && issuedAt >= key.revokedAt) return refused('key_revoked');
  if (expected.now !== undefined && issuedAt > expected.now + SECONDS.clockTolerance * 1000) {
    return refused('issued_in_future');
  }

  const signature = signatureBytes(record.signature);
  if (signature === null) return refused('malformed_signature');
  const preimage = preimageOf(record);
  if (preimage === null) return refused('malformed_record');
  return verify(null, preimage, key.publicKey, signature)
    ? { ok: true, record, issuedAt }
    : refused('wrong_signature');
}

function mismatchOf(
  header: SignedRecord['protected'],
  trust: Trust,
  expected: ExpectedRecord,
): VerificationReason | null {
  const types: readonly string[] =
    typeof expected.type === 'string' ? [expected.type] : expected.type;
  if (isForeign(header, trust)) return 'issuer_mismatch';
  if (expected.audience !== null && header.audience !== expected.audience) {
    return 'audience_mismatch';
  }
  if (!isRecordType(header.type) || !types.includes(header.type)) return 'type_mismatch';
  if (isOfAnotherRevision(header)) return 'revision_mismatch';
  if (expected.tenant !== undefined && header.tenant !== expected.tenant) return 'tenant_mismatch';
  if (!fitsPurpose(header.type, header.purpose)) return 'purpose_mismatch';
  if (expected.purpose !== undefined && header.purpose !== expected.purpose) {
    return 'purpose_mismatch';
  }
  if (
    expected.profiles !== undefined &&
    canonicalText(header.profiles) !== canonicalText(expected.profiles)
  ) {
    return 'profiles_mismatch';
  }
  return null;
}

function isForeign(header: SignedRecord['protected'], trust: Trust): boolean {
  return header.issuer !== trust.issuer;
}

function isOfAnotherRevision(header: SignedRecord['protected']): boolean {
  return header.protocol_revision !== PROTOCOL_REVISION;
}

/** Shape alone: revision and signature are checked later, with reasons of their own. */
function isRecordShaped(record: unknown): record is SignedRecord {
  if (!isJsonObject(record) || !hasExactly(record, ['payload', 'protected', 'signature'])) {
    return false;
  }
  const header = record['protected'];
  return (
    isJsonObject(header) &&
    hasExactly(header, headerMembers) &&
    headerMembers.every((name) => name === 'profiles' || typeof header[name] === 'string') &&
    ['type', 'tenant', 'key_id'].every((name) => IDENTIFIER.test(header[name] as string)) &&
    validate('Profiles', header['profiles']) &&
    typeof record['signature'] === 'string'
  );
}

function hasExactly(object: object, members: readonly string[]): boolean {
  return (
    Object.keys(object).length === members.length &&
    members.every((name) => Object.hasOwn(object, name))
  );
}

/** 64 bytes out of base64url, in the one spelling that encodes them. */
function signatureBytes(text: string): Buffer | null {
  if (text.length !== 86) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 64 && bytes.toString('base64url') === text ? bytes : null;
}

/** null when a payload made elsewhere has no canonical form, or is nested beyond measure. */
function preimageOf(record: SignedRecord): Buffer | null {
  try {
    return signaturePreimage(record);
  } catch {
    return null;
  }
}

function refused(reason: VerificationReason): Verification {
  return { ok: false, reason };
}
