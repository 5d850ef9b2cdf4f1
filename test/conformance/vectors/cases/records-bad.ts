import type { JsonValue, Signed, SignedRecord } from '@countersign/protocol';
import { copyOf, forged, replaced } from '../../evidence/forging.js';
import type { Forgery } from '../../evidence/forging.js';
import { trustManifest } from '../../evidence/keys.js';
import { buildEvidence } from '../../evidence/build-evidence.js';
import { refused } from '../vector.js';
import type { Options, Vector } from '../vector.js';

const MINE = { tenant: 'acme', audience: 'bot-7' };
const EXECUTOR = { ...MINE, identity: 'runner-1/run-88', nonce: 'n0nce_-000000000001' };

const evidence = buildEvidence();
const record = (name: string): SignedRecord => (evidence.records[name] as Signed).record;
const checkpoint = evidence.document.anchor?.checkpoint as SignedRecord;

/** Single records that were altered, sent to the wrong audience, or signed with the wrong key. */
export function badRecords(): Vector[] {
  const receipt = record('receipt');
  const text = JSON.stringify(receipt);
  const failing = (
    name: string,
    what: string,
    reason: string,
    document: unknown,
    options: Options = {},
  ): Vector =>
    refused(
      `record-${name}`,
      what,
      document,
      { code: 'record_signature', reason },
      {
        expected: MINE,
        ...options,
      },
    );
  const sealed = (changes: Forgery, of = receipt): SignedRecord => forged(of, changes);
  const withSignature = (signature: string): SignedRecord => ({ ...copyOf(receipt), signature });
  const { signature } = receipt;
  const elsewhere = trustManifest('https://other.example');
  const renamed = { ...elsewhere, issuer: 'https://other.example' };
  return [
    failing(
      'altered-payload',
      'Another decision.',
      'wrong_signature',
      replaced(text, '"authorise"', '"refuse"'),
    ),
    failing(
      'altered-header',
      'A later time in the header.',
      'wrong_signature',
      replaced(
        text,
        '"issued_at":"2026-05-01T09:05:00.000Z"',
        '"issued_at":"2026-05-01T09:05:00.001Z"',
      ),
    ),
    failing(
      'altered-signature',
      'One letter of the signature.',
      'wrong_signature',
      withSignature(`${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`),
    ),
    failing(
      'signature-of-another',
      'The signature of another record.',
      'wrong_signature',
      withSignature(record('claim').signature),
    ),
    failing(
      'signature-padded',
      'Base64 with padding.',
      'malformed_signature',
      withSignature(`${signature}==`),
    ),
    failing(
      'signature-plain-base64',
      'The letters of plain base64.',
      'malformed_signature',
      withSignature(`${signature.slice(0, 84)}+/`),
    ),
    failing(
      'signature-spare-bits',
      'Unused bits of the last letter are set.',
      'malformed_signature',
      withSignature(spareBits(signature)),
    ),
    failing(
      'signature-short',
      'One letter less.',
      'malformed_signature',
      withSignature(signature.slice(1)),
    ),
    failing(
      'unknown-key',
      'A key that the manifest does not list.',
      'unknown_key',
      sealed({ key: 'k-stranger' }),
    ),
    failing(
      'stranger-under-a-known-name',
      'A stranger’s key under the name of a trusted one.',
      'wrong_signature',
      sealed({ key: 'k-stranger', keyId: 'k-2026-01' }),
    ),
    failing(
      'key-of-another-name',
      'A trusted key under the name of another.',
      'wrong_signature',
      sealed({ key: 'k-2026-01', keyId: 'k-2026-02' }),
    ),
    failing(
      'key-ran-out',
      'Issued after its key ran out.',
      'key_expired',
      sealed({ key: 'k-2025' }),
    ),
    failing(
      'key-ends-at-that-moment',
      'Issued at the very moment when its key ran out.',
      'key_expired',
      sealed({
        key: 'k-2025',
        protected: { issued_at: '2026-01-01T00:00:00.000Z' },
        payload: { confirmed_at: '2026-01-01T00:00:00.000Z' },
      }),
    ),
    failing(
      'key-not-yet-valid',
      'Issued before its key became valid.',
      'key_not_yet_valid',
      sealed({
        protected: { issued_at: '2025-12-31T23:59:59.999Z' },
        payload: { confirmed_at: '2025-12-31T23:59:59.999Z' },
      }),
    ),
    failing(
      'key-revoked',
      'Issued at the very moment when its key was revoked.',
      'key_revoked',
      sealed({
        key: 'k-revoked',
        protected: { issued_at: '2026-05-01T12:00:00.000Z' },
        payload: { confirmed_at: '2026-05-01T12:00:00.000Z' },
      }),
    ),
    failing(
      'other-issuer',
      'Issued by another service.',
      'issuer_mismatch',
      sealed({ protected: { issuer: 'https://other.example' } }),
    ),
    failing(
      'manifest-of-another',
      'Verified under the manifest of another service.',
      'issuer_mismatch',
      receipt,
      { trust: renamed },
    ),
    failing('issued-in-future', 'Issued 31 seconds after now.', 'issued_in_future', receipt, {
      expected: { ...MINE, now: '2026-05-01T09:04:29.000Z' },
    }),
    failing(
      'unknown-type',
      'A type that does not exist.',
      'type_mismatch',
      sealed({ protected: { type: 'DecisionReceipts' } }),
    ),
    failing(
      'wrong-purpose',
      'A receipt never serves the service itself.',
      'purpose_mismatch',
      sealed({ protected: { purpose: 'service' } }),
    ),
    refused(
      'record-wrong-audience',
      'Addressed to another producer.',
      receipt,
      { code: 'expected_audience' },
      { expected: { ...MINE, audience: 'bot-8' } },
    ),
    refused(
      'record-wrong-tenant',
      'Of another tenant.',
      receipt,
      { code: 'expected_tenant' },
      { expected: { ...MINE, tenant: 'other' } },
    ),
    refused(
      'record-of-a-type-it-is-not',
      'A claim’s payload in a receipt, well signed.',
      sealed({ protected: { type: 'DecisionReceipt' } }, record('claim')),
      { code: 'record_payload' },
      { expected: MINE },
    ),
    refused(
      'record-other-time',
      'It tells another time than that of its issue, well signed.',
      sealed({ payload: { confirmed_at: '2026-05-01T09:04:00.000Z' } }),
      { code: 'record_time' },
      { expected: MINE },
    ),
    refused(
      'record-purpose-of-payload',
      'Header and payload serve different purposes, well signed.',
      sealed({ protected: { purpose: 'review' } }),
      { code: 'record_header' },
      { expected: MINE },
    ),
    refused(
      'record-other-revision',
      'Another revision of the protocol.',
      sealed({ protected: { protocol_revision: '2.0.0-draft.2' } }),
      { code: 'record_signature', reason: 'revision_mismatch' },
      { expected: MINE },
    ),
    refused(
      'record-extra-header',
      'A header member that no record has.',
      sealed({ protected: { kid: 'k-2026-01' } }),
      { code: 'record_signature', reason: 'malformed_record' },
      { expected: MINE },
    ),
    refused(
      'record-other-normal-form',
      'The same letters in another normal form.',
      sealedNote('de\u0301ja\u0300 vu'),
      { code: 'record_signature', reason: 'wrong_signature' },
      { expected: MINE },
    ),
    refused(
      'record-other-nonce',
      'The admission answers another nonce than yours.',
      record('admission'),
      { code: 'expected_nonce' },
      { expected: { ...EXECUTOR, nonce: 'n0nce_-999999999999' }, store: evidence.ledger.store },
    ),
    refused(
      'record-other-identity',
      'The claim is of another executor.',
      record('claim'),
      { code: 'expected_identity' },
      { expected: { ...EXECUTOR, identity: 'runner-2/run-1' } },
    ),
    refused(
      'record-late-admission',
      'Admitted when the claim had ended, well signed.',
      sealed(
        {
          protected: { issued_at: '2026-05-02T09:00:00.000Z' },
          payload: { checked_at: '2026-05-02T09:00:00.000Z' },
        },
        record('admission'),
      ),
      { code: 'admission_times' },
      { expected: EXECUTOR, store: evidence.ledger.store },
    ),
    refused(
      'record-checkpoint-of-another-ledger',
      'Header and payload name different ledgers, well signed.',
      forged(checkpoint, { protected: { tenant: '11111111-1111-4111-8111-111111111111' } }),
      { code: 'record_header' },
      {},
    ),
  ];
}

/** An outcome with a note, whose text is then written in another normal form. */
function sealedNote(note: string): SignedRecord {
  const { outcome, ...payload } = record('outcome').payload as Record<string, JsonValue>;
  const told = { ...(outcome as Record<string, JsonValue>), details: { note: 'déjà vu' } };
  const good = forged(record('outcome'), { payload: { ...payload, outcome: told } });
  const copy = copyOf(good) as unknown as { payload: { outcome: { details: { note: string } } } };
  copy.payload.outcome.details.note = note;
  return copy as unknown as SignedRecord;
}

/** The last of 86 letters holds two bits; the other four have to be zero. */
function spareBits(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(signature.at(-1) ?? '');
  return `${signature.slice(0, -1)}${letters[last + 1]}`;
}
