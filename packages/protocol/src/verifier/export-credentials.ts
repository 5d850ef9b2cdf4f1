import {
  countersignStatement,
  enrolmentStatement,
  faultOfSigned,
  mayUse,
} from '../human-key/index.js';
import { canonicalText } from '../json/canonical.js';
import type { CredentialBound } from '../records/index.js';
import type { VerifierContext } from './context.js';
import { time } from './export-request.js';
import type { CheckedRecord } from './record.js';
import { recordsOf } from './record.js';

export type BoundKeyRecord = CheckedRecord<'CredentialBound'>;
type EndedKeyRecord = CheckedRecord<'CredentialEnded'>;

/** The keys of people in an export's evidence. */
export interface Keyring {
  /** By their record digests. */
  readonly bound: ReadonlyMap<string, BoundKeyRecord>;
  readonly ended: readonly EndedKeyRecord[];
}

export function keyringOf(cited: readonly CheckedRecord[]): Keyring {
  const bound = recordsOf(cited, 'CredentialBound');
  return {
    bound: new Map(bound.map((record) => [record.digest, record])),
    ended: recordsOf(cited, 'CredentialEnded'),
  };
}

/** Whether a key counted no more at a time (epoch milliseconds): it had ended, or was in other hands since before. */
export function hasEnded({ ended }: Keyring, bound: BoundKeyRecord, at: number): boolean {
  return ended.some(({ payload, issuedAt }) => {
    if (payload.credential !== bound.payload.credential) return false;
    const { reason, compromised_since: since } = payload;
    return issuedAt <= at || (reason === 'compromised' && since !== null && time(since) <= at);
  });
}

/** That the holder of each key agreed to be bound to its person, and that somebody vouched for it (protocol §19.3). */
export function checkEnrolments(context: VerifierContext, keyring: Keyring): void {
  const { findings } = context;
  for (const bound of keyring.bound.values()) {
    const { path, proven } = bound;
    // Verifying costs, and the record has failed already.
    if (!proven) continue;
    const enrolled = isEnrolled(context, bound);
    const vouched = isVouchedFor(context, bound, keyring);
    if (enrolled && vouched === null) {
      findings.unknown('human_enrolment', `${path}/payload/countersigned_by`, {
        says: 'The key that vouched for this one is not in the file.',
      });
    } else findings.check('human_enrolment', path, enrolled && vouched === true);
  }
}

function isEnrolled(
  { trust }: VerifierContext,
  { header, payload, issuedAt }: BoundKeyRecord,
): boolean {
  const { enrolment, public_key, principal, person, credential, origin, rp_id } = payload;
  const { statement } = enrolment;
  const { issued_at, nonce } = statement;
  const about = { issuer: trust.issuer, tenant: header.tenant, principal, person, credential };
  const expected = enrolmentStatement({ ...about, issued_at, nonce }, public_key);
  return (
    canonicalText(statement) === canonicalText(expected) &&
    time(issued_at) <= issuedAt &&
    origin === trust.issuer &&
    mayUse(rp_id, origin) &&
    faultOfSigned(statement, enrolment, payload) === null
  );
}

/** Null where the key that vouched is not in the file. */
function isVouchedFor(
  context: VerifierContext,
  bound: BoundKeyRecord,
  keyring: Keyring,
): boolean | null {
  const { countersigned_by: by, principal } = bound.payload;
  // Whether that is enough, the policy says.
  if (by === null) return true;
  if (by.signature === null) {
    // A person without a key, or a bearer token: only the directory says so.
    return by.credential === null && by.kind !== 'own_credential' && by.subject !== principal;
  }
  const vouching = [...keyring.bound.values()].filter(
    ({ payload, proven }) => proven && payload.credential === by.credential,
  );
  if (vouching.length === 0) return null;
  return vouching.some((key) => vouches(context, bound, by, key, keyring));
}

type Countersigner = NonNullable<CredentialBound['countersigned_by']>;

function vouches(
  { trust }: VerifierContext,
  { header, payload, issuedAt }: BoundKeyRecord,
  { kind, subject, signature }: Countersigner,
  key: BoundKeyRecord,
  keyring: Keyring,
): boolean {
  if (signature === null) return false;
  const { principal: operator, person, credential } = key.payload;
  const { attempt } = signature.statement;
  const about = { issuer: trust.issuer, tenant: header.tenant, operator, person, attempt };
  const expected = countersignStatement(about, payload.enrolment.statement);
  const isSame = person === payload.person;
  return (
    subject === operator &&
    credential !== payload.credential &&
    (kind === 'own_credential' ? isSame : kind === 'human' && !isSame) &&
    key.issuedAt <= issuedAt &&
    !hasEnded(keyring, key, issuedAt) &&
    canonicalText(signature.statement) === canonicalText(expected) &&
    faultOfSigned(signature.statement, signature, key.payload) === null
  );
}
