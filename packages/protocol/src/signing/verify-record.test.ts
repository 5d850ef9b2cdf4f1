import type { RecordType, SignedRecord } from '../records/index.js';
import { SERVICES } from '../services.js';
import { SIGNED_RECORDS } from '../records/index.js';
import { generateSigningKey, signerFromPem } from './keys.js';
import type { VerificationReason } from './reasons.js';
import { VERIFICATION_REASONS } from './reasons.js';
import type { RecordHeader } from './signed-record.js';
import { signPayloadText } from './signed-record.js';
import type { TrustManifest } from '../records/index.js';
import { addKey, createTrustManifest, revokeKey } from './change-trust.js';
import { SIGNING_POLICY, isRecordType } from './policy.js';
import type { SigningService } from './policy.js';
import { loadTrust } from './trust-manifest.js';
import type { ExpectedRecord } from './verify-record.js';
import { verifyRecord } from './verify-record.js';

const issuer = 'https://review.example';
const issuedAt = Date.UTC(2026, 4, 1, 9, 5);
const iso = (at: number): string => new Date(at).toISOString();
const key = generateSigningKey('k1');
const second = generateSigningKey('k2');
const signer = signerFromPem('k1', key.privatePem);
const window = { notBefore: Date.UTC(2026, 0, 1), notAfter: Date.UTC(2027, 0, 1) };
const manifest = addKey(createTrustManifest(issuer, { ...key, ...window }), {
  ...second,
  ...window,
});
const trust = loadTrust(manifest);
const header: RecordHeader = {
  type: 'DecisionReceipt',
  purpose: 'authorise_execution',
  profiles: { 'proto.execution': '1-draft.1' },
  issuer,
  audience: 'bot-7',
  tenant: 'acme',
  issuedAt,
};
const expected: ExpectedRecord = {
  type: 'DecisionReceipt',
  audience: 'bot-7',
  tenant: 'acme',
  purpose: 'authorise_execution',
  profiles: { 'proto.execution': '1-draft.1' },
  now: issuedAt,
};
const payloadText = '{"amount":12.5,"note":"déjà vu","request_id":"r1"}';

function signed(change: Partial<RecordHeader> = {}, by = signer): SignedRecord {
  const { text } = signPayloadText(by, { ...header, ...change }, payloadText);
  return JSON.parse(text) as SignedRecord;
}
/** A header that `signRecord` would not make, signed all the same. */
function forged(change: Record<string, unknown>, without: string[] = []): unknown {
  const protectedHeader = Object.fromEntries(
    Object.entries({ ...signed().protected, ...change }).filter(
      ([name]) => !without.includes(name),
    ),
  );
  const sorted = Object.fromEntries(
    Object.keys(protectedHeader)
      .sort()
      .map((name) => [name, protectedHeader[name]]),
  );
  const unsigned = `{"payload":${payloadText},"protected":${JSON.stringify(sorted)}`;
  const signature = signer.sign(Buffer.from(`${unsigned}}`)).toString('base64url');
  return JSON.parse(`${unsigned},"signature":"${signature}"}`);
}
function trusting(change: Partial<TrustManifest['keys'][number]>, changedIssuer = issuer) {
  const keys = manifest.keys.map((entry) =>
    entry.key_id === 'k1' ? { ...entry, ...change } : entry,
  );
  return loadTrust({ ...manifest, issuer: changedIssuer, keys });
}

const record = signed();
const payload = record.payload as Record<string, unknown>;
const nextLetter = (text: string, at: number): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const letter = alphabet[(alphabet.indexOf(text.charAt(at)) + 1) % 64] as string;
  return text.slice(0, at) + letter + text.slice(at + 1);
};

describe('verifyRecord accepts', () => {
  it.each<[string, unknown, ExpectedRecord]>([
    ['the record as it was signed', record, expected],
    [
      'its members in another order',
      Object.fromEntries(Object.entries(record).reverse()),
      expected,
    ],
    ['one of several types', record, { ...expected, type: ['ExecutionClaim', 'DecisionReceipt'] }],
    [
      'what only type and audience are known of',
      record,
      { type: 'DecisionReceipt', audience: 'bot-7' },
    ],
    ['an audience that cannot be known', record, { ...expected, audience: null }],
    ['a clock 30 seconds late', record, { ...expected, now: issuedAt - 30_000 }],
    ['a record of the key’s first moment', signed({ issuedAt: window.notBefore }), expected],
    [
      'a record of the key’s last moment',
      signed({ issuedAt: window.notAfter - 1 }),
      { ...expected, now: window.notAfter },
    ],
    [
      'a record of another listed key',
      signed({}, signerFromPem('k2', second.privatePem)),
      expected,
    ],
  ])('%s', (_, value, expectation) => {
    expect(verifyRecord(value, trust, expectation)).toMatchObject({ ok: true });
  });

  it('a record from just before its key was revoked', () => {
    const revoked = trusting({ revoked_at: iso(issuedAt + 1) });
    expect(verifyRecord(record, revoked, expected)).toMatchObject({ ok: true, issuedAt });
  });
});

describe('verifyRecord refuses', () => {
  it.each<[VerificationReason, string, unknown, ExpectedRecord?]>([
    ['malformed_record', 'null', null],
    ['malformed_record', 'a text', JSON.stringify(record)],
    ['malformed_record', 'an array', [record]],
    ['malformed_record', 'a missing payload', { ...record, payload: undefined }],
    ['malformed_record', 'no payload', { protected: record.protected, signature: 'x' }],
    ['malformed_record', 'one member more', { ...record, extra: 1 }],
    ['malformed_record', 'one header member more', forged({ zeta: 'x' })],
    ['malformed_record', 'one header member less', forged({}, ['profiles'])],
    ['malformed_record', 'a number as the audience', forged({ audience: 7 })],
    ['malformed_record', 'a number as the signature', { ...record, signature: 7 }],
    ['malformed_record', 'profiles that are a list', forged({ profiles: [] })],
    ['malformed_record', 'a profile that is a number', forged({ profiles: { a: 1 } })],
    ['malformed_record', 'a type that is no identifier', forged({ type: 'Decision Receipt' })],
    ['malformed_record', 'an empty tenant', forged({ tenant: '' })],
    [
      'malformed_record',
      'a day that does not exist',
      forged({ issued_at: '2026-02-30T00:00:00Z' }),
    ],
    ['malformed_record', 'a time without a zone', forged({ issued_at: '2026-05-01T09:05:00' })],
    ['malformed_record', 'a payload with a lone surrogate', { ...record, payload: '\ud800' }],
    ['malformed_record', 'a payload that JSON cannot hold', { ...record, payload: new Date(0) }],
    ['issuer_mismatch', 'another issuer', signed({ issuer: 'https://evil.example' })],
    ['issuer_mismatch', 'an issuer with a slash', signed({ issuer: `${issuer}/` })],
    ['audience_mismatch', 'another audience', signed({ audience: 'bot-8' })],
    ['type_mismatch', 'another type', signed({ type: 'ExecutionClaim' })],
    [
      'type_mismatch',
      'an unknown type',
      forged({ type: 'X' }),
      { ...expected, type: ['X'] as never },
    ],
    ['revision_mismatch', 'another revision', forged({ protocol_revision: '2.0.0-draft.2' })],
    ['tenant_mismatch', 'another tenant', signed({ tenant: 'acme2' })],
    ['purpose_mismatch', 'another purpose', signed({ purpose: 'review' })],
    [
      'purpose_mismatch',
      'a purpose that the type never has',
      forged({ purpose: 'service' }),
      { type: 'DecisionReceipt', audience: 'bot-7' },
    ],
    [
      'purpose_mismatch',
      'an unknown purpose',
      forged({ purpose: 'play' }),
      { type: 'DecisionReceipt', audience: 'bot-7' },
    ],
    ['profiles_mismatch', 'other profiles', signed({ profiles: {} })],
    [
      'profiles_mismatch',
      'one profile more',
      signed({ profiles: { ...header.profiles, 'proto.agent-ui': '2' } }),
    ],
    ['unknown_key', 'an unlisted key', signed({}, signerFromPem('k9', key.privatePem))],
    [
      'unknown_key',
      'a key id out of a prototype',
      signed({}, signerFromPem('__proto__', key.privatePem)),
    ],
    ['key_not_yet_valid', 'one millisecond too early', signed({ issuedAt: window.notBefore - 1 })],
    ['key_expired', 'the end of the window', signed({ issuedAt: window.notAfter })],
    ['issued_in_future', '30.001 seconds ahead', record, { ...expected, now: issuedAt - 30_001 }],
    ['malformed_signature', 'no signature', { ...record, signature: '' }],
    [
      'malformed_signature',
      'a short signature',
      { ...record, signature: record.signature.slice(1) },
    ],
    ['malformed_signature', 'padding', { ...record, signature: `${record.signature}==` }],
    [
      'malformed_signature',
      'plain base64',
      { ...record, signature: `${record.signature.slice(0, 84)}+/` },
    ],
    [
      'malformed_signature',
      'a letter outside the alphabet',
      { ...record, signature: `${record.signature.slice(0, 85)}!` },
    ],
    [
      'malformed_signature',
      'unused bits that are set',
      { ...record, signature: nextLetter(record.signature, 85) },
    ],
    [
      'wrong_signature',
      'one bit of the signature',
      { ...record, signature: nextLetter(record.signature, 40) },
    ],
    ['wrong_signature', 'a signature of zeros', { ...record, signature: 'A'.repeat(86) }],
    ['wrong_signature', 'another number', { ...record, payload: { ...payload, amount: 12.6 } }],
    [
      'wrong_signature',
      'one member more in the payload',
      { ...record, payload: { ...payload, x: null } },
    ],
    [
      'wrong_signature',
      'one member less in the payload',
      { ...record, payload: { request_id: 'r1' } },
    ],
    [
      'wrong_signature',
      'the same text in another normal form',
      { ...record, payload: { ...payload, note: 'de\u0301ja\u0300 vu' } },
    ],
    [
      'wrong_signature',
      'a later time',
      { ...record, protected: { ...record.protected, issued_at: iso(issuedAt + 1) } },
    ],
    [
      'wrong_signature',
      'the same time in other words',
      { ...record, protected: { ...record.protected, issued_at: '2026-05-01T09:05:00Z' } },
    ],
    [
      'wrong_signature',
      'the id of another listed key',
      { ...record, protected: { ...record.protected, key_id: 'k2' } },
    ],
    [
      'wrong_signature',
      'the signature of another record',
      { ...record, signature: signed({ issuedAt: issuedAt + 1 }).signature },
    ],
    [
      'wrong_signature',
      'a key of the same name',
      signed({}, signerFromPem('k1', second.privatePem)),
    ],
  ])('%s: %s', (reason, _, value, expectation = expected) => {
    expect(verifyRecord(value, trust, expectation)).toEqual({ ok: false, reason });
  });

  it('key_revoked: a record from the moment of revocation', () => {
    const revoked = trusting({ revoked_at: iso(issuedAt) });
    expect(verifyRecord(record, revoked, expected)).toEqual({ ok: false, reason: 'key_revoked' });
  });

  it('issuer_mismatch: the manifest of another service', () => {
    const foreign = trusting({}, 'https://other.example');
    expect(verifyRecord(record, foreign, expected)).toMatchObject({ reason: 'issuer_mismatch' });
  });

  it('wrong_signature: a manifest with another key of that name', () => {
    const replaced = trusting({ public_key: second.publicPem });
    expect(verifyRecord(record, replaced, expected)).toMatchObject({ reason: 'wrong_signature' });
  });

  it('malformed_record: nesting without end', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const bottomless = { ...record, payload: deep };
    expect(verifyRecord(bottomless, trust, expected)).toMatchObject({ reason: 'malformed_record' });
  });

  it('every altered byte of the signed text', () => {
    const text = JSON.stringify(record);
    for (let at = 0; at < text.length; at++) {
      const altered = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
      let value: unknown;
      try {
        value = JSON.parse(altered);
      } catch {
        continue;
      }
      expect(verifyRecord(value, trust, expected).ok).toBe(false);
    }
  });

  it('for reasons that are put in words', () => {
    for (const sentence of Object.values(VERIFICATION_REASONS))
      expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the record types of a key', () => {
  const services = Object.keys(SIGNING_POLICY) as SigningService[];
  const types = Object.keys(SIGNED_RECORDS).filter(isRecordType);
  const verdict = (keyId: string, type: RecordType, revoked = false) => {
    const listed = createTrustManifest(issuer, { ...key, keyId, ...window });
    const known = loadTrust(revoked ? revokeKey(listed, keyId, window.notBefore) : listed);
    const purpose = SIGNED_RECORDS[type].purpose === 'service' ? 'service' : header.purpose;
    const value = signed({ type, purpose }, signerFromPem(keyId, key.privatePem));
    const verified = verifyRecord(value, known, { type, audience: null });
    return verified.ok ? 'ok' : verified.reason;
  };

  it.each(
    services.flatMap((service) =>
      types.map((type): [SigningService, RecordType] => [service, type]),
    ),
  )('is asked of the key of %s for a %s', (service, type) => {
    const may = (SIGNING_POLICY[service] as readonly RecordType[]).includes(type);
    expect(verdict(`${service}-0123456789abcdef`, type)).toBe(may ? 'ok' : 'key_not_for_type');
  });

  const without = Object.keys(SERVICES).filter(
    (service) => !Object.hasOwn(SIGNING_POLICY, service),
  );

  it('is none for a service that no record type names, such as the gateway', () => {
    expect(without).toContain('gateway');
    const verdicts = without.flatMap((name) => types.map((type) => verdict(`${name}-1`, type)));
    expect(new Set(verdicts)).toEqual(new Set(['key_not_for_type']));
  });

  it.each([
    'k-2026-01',
    'reviewer-1',
    'review',
    'review.1',
    'my-review-1',
    'caller-1',
    'Notifier-1',
  ])('is any type for a key %s, which names no service', (keyId) =>
    expect(types.map((type) => verdict(keyId, type))).toEqual(types.map(() => 'ok')),
  );

  it('comes before the window and the revocation of the key', () => {
    expect(verdict('notifier-1', 'DecisionReceipt', true)).toBe('key_not_for_type');
    expect(verdict('notifier-1', 'WebhookDelivery', true)).toBe('key_revoked');
  });
});
