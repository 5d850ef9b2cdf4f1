import { PROTOCOL_REVISION } from '../constants.js';
import type { Digest } from '../json/canonical.js';
import { canonicalText, textDigest } from '../json/canonical.js';
import { asJsonText } from '../json/text.js';
import type { JsonText } from '../json/text.js';
import type { JsonValue } from '../json/value.js';
import type { PayloadOf, RecordType, SignedRecord } from '../records/index.js';
import { formatTimestamp } from '../records/timestamp.js';
import type { RemoteSigner, Signer } from './keys.js';
import { fitsPurpose } from './policy.js';

/** The header of a record; key id and revision are added when it is signed. */
export interface RecordHeader<Type extends RecordType = RecordType> {
  readonly type: Type;
  /** The request's purpose, or `service` when no request is involved. */
  readonly purpose: SignedRecord['protected']['purpose'];
  /** The request's profiles, or `{}`. */
  readonly profiles: Readonly<Record<string, string>>;
  /** The service's exact origin. */
  readonly issuer: string;
  readonly audience: string;
  readonly tenant: string;
  /** Service time of the operation, epoch milliseconds. */
  readonly issuedAt: number;
}

/** A signed record as it is stored, chained and sent: as text. */
export interface SignedText {
  /** Canonical form of the complete record, signature included. */
  readonly text: JsonText<SignedRecord>;
  /** Digest of `text`: receipt_digest, claim_digest, record_digest (protocol §2.2). */
  readonly digest: Digest;
}

export interface Signed extends SignedText {
  readonly record: SignedRecord;
}

/**
 * Signs a record (protocol §2.3). The payload is canonicalised once; a caller that already has its
 * canonical form hands it over as `payloadText`.
 *
 * @throws TypeError when the payload is no JSON value or the type never carries that purpose
 */
export function signRecord<Type extends RecordType>(
  signer: Signer,
  header: RecordHeader<Type>,
  payload: PayloadOf<Type>,
  payloadText: string = canonicalText(payload),
): Signed {
  const { text, digest, protectedHeader, signature } = sign(signer, header, payloadText);
  return {
    record: { protected: protectedHeader, payload: payload as JsonValue, signature },
    text,
    digest,
  };
}

/** As `signRecord` for a payload that exists as canonical text only, see `canonicalObject`. */
export function signPayloadText(
  signer: Signer,
  header: RecordHeader,
  payloadText: string,
): SignedText {
  const { text, digest } = sign(signer, header, payloadText);
  return { text, digest };
}

/**
 * As `signPayloadText`, by a signer that takes its time.
 *
 * @throws TypeError also when the record is of a time at which the key does not count, see {@link RemoteSigner}
 */
export async function signPayloadTextLater(
  signer: RemoteSigner,
  header: RecordHeader,
  payloadText: string,
): Promise<SignedText> {
  const open = unsigned(signer, header, payloadText);
  const { text, digest } = sealed(open, await signer.signLater(Buffer.from(`${open.text}}`)));
  return { text, digest };
}

interface Unsigned {
  readonly protectedHeader: SignedRecord['protected'];
  /** Canonical form of the record up to its payload and header, without its end. */
  readonly text: string;
}

interface Sealed extends SignedText {
  readonly protectedHeader: SignedRecord['protected'];
  readonly signature: string;
}

function sign(
  signer: Signer & Pick<RemoteSigner, 'window'>,
  header: RecordHeader,
  payloadText: string,
): Sealed {
  const open = unsigned(signer, header, payloadText);
  return sealed(open, signer.sign(Buffer.from(`${open.text}}`)));
}

function unsigned(
  { keyId, window }: Pick<RemoteSigner, 'keyId' | 'window'>,
  header: RecordHeader,
  payloadText: string,
): Unsigned {
  const { issuedAt } = header;
  if (window !== undefined && !(issuedAt >= window.notBefore && issuedAt < window.end)) {
    throw new TypeError(`${keyId} may not sign a record of this time`);
  }
  if (!fitsPurpose(header.type, header.purpose)) {
    throw new TypeError(`${header.type} never has the purpose ${header.purpose}`);
  }
  // In canonical order, which is written fastest.
  const protectedHeader: SignedRecord['protected'] = {
    audience: header.audience,
    issued_at: formatTimestamp(header.issuedAt),
    issuer: header.issuer,
    key_id: keyId,
    profiles: { ...header.profiles },
    protocol_revision: PROTOCOL_REVISION,
    purpose: header.purpose,
    tenant: header.tenant,
    type: header.type,
  };
  // `payload` < `protected` < `signature`: splicing the members in this order is the canonical form.
  const text = `{"payload":${payloadText},"protected":${canonicalText(protectedHeader)}`;
  return { protectedHeader, text };
}

function sealed({ protectedHeader, text: open }: Unsigned, bytes: Buffer): Sealed {
  const signature = bytes.toString('base64url');
  const text = asJsonText<SignedRecord>(`${open},"signature":"${signature}"}`);
  return { text, digest: textDigest(text), protectedHeader, signature };
}

/** The bytes that a record's signature is over: the record without its `signature` (protocol §2.3). */
export function signaturePreimage(record: Pick<SignedRecord, 'payload' | 'protected'>): Buffer {
  return Buffer.from(canonicalText({ payload: record.payload, protected: record.protected }));
}
