import { PROTOCOL_REVISION } from '../constants.js';
import { canonicalText, textDigest } from '../json/index.js';
import type { LedgerEntry } from '../records/index.js';
import { CHAIN_START, chainHead } from './chain.js';
import { generateSigningKey, signerFromPem } from './keys.js';
import { verifyLedgerRange } from './ledger-range.js';
import type { LedgerReason } from './reasons.js';
import type { RecordHeader } from './signed-record.js';
import { signPayloadText } from './signed-record.js';
import { createTrustManifest } from './change-trust.js';
import { loadTrust } from './trust-manifest.js';

const key = generateSigningKey('k1');
const signer = signerFromPem('k1', key.privatePem);
const window = { notBefore: 0, notAfter: Date.UTC(2030, 0, 1) };
const trust = loadTrust(createTrustManifest('https://a.example', { ...key, ...window }));
const requests = ['0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d', '6f1d0c1e-2b5a-4c7e-9a40-0d3c5b7e9f11'];

function recordText(number: number, change: Partial<RecordHeader> = {}): string {
  const request = requests[number % 2] as string;
  const configuration = number === 1;
  const header: RecordHeader = {
    type: configuration ? 'RouteConfigured' : 'RequestChangedEvent',
    purpose: configuration ? 'service' : 'review',
    profiles: {},
    issuer: 'https://a.example',
    audience: configuration ? 'ops' : 'bot',
    tenant: 'acme',
    issuedAt: number,
    ...change,
  };
  return signPayloadText(
    signer,
    header,
    configuration ? `{"id":"r","request_id":"x"}` : `{"request_id":"${request}"}`,
  ).text;
}

/** A record without a request, whatever its header says. */
function signedByLaterRelease(change: object): string {
  const header = {
    audience: 'proto.directory',
    issued_at: '2026-05-01T09:05:00.000Z',
    issuer: 'https://a.example',
    key_id: 'k1',
    profiles: {},
    protocol_revision: PROTOCOL_REVISION,
    tenant: 'acme',
    ...change,
  };
  const open = { payload: {}, protected: header };
  const signature = signer.sign(Buffer.from(canonicalText(open))).toString('base64url');
  return canonicalText({ ...open, signature });
}

/** Chains texts; null stands for a record whose text is gone. */
function chained(texts: readonly (string | null)[], from = CHAIN_START): LedgerEntry[] {
  let { head } = from;
  return texts.map((text, i) => {
    const sequence = from.sequence + i + 1;
    const record_digest = textDigest(text ?? `gone ${sequence}`);
    const previous_head = head;
    head = chainHead(previous_head, record_digest, sequence);
    return {
      tenant: 'acme',
      sequence: String(sequence),
      request_id: sequence === 1 ? null : (requests[sequence % 2] as string),
      previous_head,
      head,
      record_digest,
      record: text,
      created_at: '2026-05-01T09:05:00.000Z',
    };
  });
}

const entries = chained([recordText(1), recordText(2), null, recordText(4), recordText(5)]);
const at = (index: number): LedgerEntry => entries[index] as LedgerEntry;
const end = { sequence: 5, head: at(4).head };
const expected = { tenant: 'acme', points: [end] };
const replaced = (index: number, change: Partial<LedgerEntry>): LedgerEntry[] =>
  entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry));

/** A whole chain rebuilt around one other record, as a forger without the key would. */
function rebuilt(index: number, text: string): LedgerEntry[] {
  return chained(entries.map(({ record }, i) => (i === index ? text : record)));
}

describe('verifyLedgerRange accepts', () => {
  it('a chain from its start, with deleted texts', () => {
    expect(verifyLedgerRange(entries, trust, expected)).toEqual({
      ok: true,
      end,
      verifiedRecords: 4,
      unknownTypes: [],
    });
  });

  it('page after page', () => {
    const first = verifyLedgerRange(entries.slice(0, 2), trust, { tenant: 'acme' });
    if (!first.ok) throw new Error(first.reason);
    expect(first.end).toEqual({ sequence: 2, head: at(1).head });
    expect(
      verifyLedgerRange(entries.slice(2), trust, { ...expected, from: first.end }),
    ).toMatchObject({ ok: true, end });
  });

  it('an empty page', () => {
    expect(verifyLedgerRange([], trust, { tenant: 'acme', from: end, points: [end] })).toEqual({
      ok: true,
      end,
      verifiedRecords: 0,
      unknownTypes: [],
    });
  });

  it('known points along the way', () => {
    const points = entries.map(({ sequence, head }) => ({ sequence: Number(sequence), head }));
    expect(verifyLedgerRange(entries, trust, { tenant: 'acme', points })).toMatchObject({
      ok: true,
    });
  });
});

describe('a record of a type that this release does not know', () => {
  const later = { type: 'DelegationGranted' as never, purpose: 'service' as const };
  // A signer of a later release writes it; this one refuses to.
  const text = (change: object = {}) => signedByLaterRelease({ ...later, ...change });
  const pass = { tenant: 'acme', passUnknownTypes: true };

  it('is refused, unless it may pass', () => {
    const range = rebuilt(0, text());
    expect(verifyLedgerRange(range, trust, { tenant: 'acme' })).toEqual({
      ok: false,
      reason: 'type_mismatch',
      sequence: 1,
    });
    expect(verifyLedgerRange(range, trust, pass)).toMatchObject({
      ok: true,
      verifiedRecords: 4,
      unknownTypes: [1],
    });
  });

  it.each<[LedgerReason, object]>([
    ['issuer_mismatch', { issuer: 'https://b.example' }],
    ['tenant_mismatch', { tenant: 'other' }],
    ['revision_mismatch', { protocol_revision: '3' }],
    ['purpose_mismatch', { purpose: 'anything' }],
    ['unknown_key', { key_id: 'k9' }],
    ['key_expired', { issued_at: '2031-01-01T00:00:00.000Z' }],
    ['malformed_record', { issued_at: 'today' }],
    // A type that is known, and never in a ledger.
    ['type_mismatch', { type: 'AuditCheckpoint' }],
  ])('is refused with %s all the same', (reason, change) => {
    expect(verifyLedgerRange(rebuilt(0, text(change)), trust, pass)).toEqual({
      ok: false,
      reason,
      sequence: 1,
    });
  });

  it('is refused at the place of another request', () => {
    expect(verifyLedgerRange(rebuilt(1, text()), trust, pass)).toEqual({
      ok: false,
      reason: 'request_mismatch',
      sequence: 2,
    });
  });

  it('is refused with a signature of another text', () => {
    const range = rebuilt(0, text().replace('"payload":{}', '"payload":{"a":1}'));
    expect(verifyLedgerRange(range, trust, pass)).toMatchObject({ reason: 'wrong_signature' });
  });
});

describe('verifyLedgerRange refuses', () => {
  const digest = `sha256:${'00'.repeat(32)}`;
  it.each<[LedgerReason, string, unknown[], number]>([
    ['malformed_entry', 'what is no entry', [at(0), null], 2],
    ['malformed_entry', 'a number as the sequence', replaced(1, { sequence: 2 as never }), 2],
    ['malformed_entry', 'one member more', replaced(1, { extra: 1 } as never), 2],
    ['sequence_gap', 'a missing first entry', entries.slice(1), 1],
    ['sequence_gap', 'a missing entry', entries.filter((_, i) => i !== 2), 3],
    ['sequence_gap', 'an entry twice', [at(0), at(1), at(1)], 3],
    ['sequence_gap', 'two entries swapped', [at(0), at(2), at(1), at(3)], 2],
    ['sequence_gap', 'another spelling of the number', replaced(1, { sequence: '02' }), 2],
    ['previous_head_mismatch', 'another previous head', replaced(1, { previous_head: digest }), 2],
    [
      'previous_head_mismatch',
      'a head before the first',
      replaced(0, { previous_head: digest }),
      1,
    ],
    ['head_mismatch', 'another head', replaced(2, { head: digest }), 3],
    ['head_mismatch', 'another digest', replaced(1, { record_digest: digest }), 2],
    ['head_mismatch', 'a digest of another form', replaced(1, { record_digest: 'x' }), 2],
    ['record_digest_mismatch', 'another record', replaced(1, { record: recordText(4) }), 2],
    ['record_digest_mismatch', 'an altered record', replaced(1, { record: `${at(1).record} ` }), 2],
    [
      'record_digest_mismatch',
      'a text for one that is gone',
      replaced(2, { record: recordText(3) }),
      3,
    ],
    ['record_not_canonical', 'a record with a space', rebuilt(1, `${at(1).record} `), 2],
    ['record_not_canonical', 'a record that is no JSON', rebuilt(1, 'x'), 2],
    ['malformed_record', 'a record of another shape', rebuilt(1, '{}'), 2],
    [
      'type_mismatch',
      'a type that no ledger keeps',
      rebuilt(1, recordText(2, { type: 'AuditCheckpoint', purpose: 'service' })),
      2,
    ],
    [
      'tenant_mismatch',
      'a record of another tenant',
      rebuilt(1, recordText(2, { tenant: 'b' })),
      2,
    ],
    ['tenant_mismatch', 'an entry of another tenant', replaced(2, { tenant: 'b' }), 3],
    [
      'wrong_signature',
      'an unsigned record',
      rebuilt(1, (at(1).record as string).replace('bot', 'bob')),
      2,
    ],
    ['request_mismatch', 'another request', replaced(1, { request_id: requests[1] as string }), 2],
    ['request_mismatch', 'no request', replaced(1, { request_id: null }), 2],
    [
      'request_mismatch',
      'a request for configuration',
      replaced(0, { request_id: requests[0] as string }),
      1,
    ],
    ['point_outside_range', 'an end that is cut off', entries.slice(0, 4), 5],
    ['point_outside_range', 'nothing at all', [], 5],
    [
      'point_mismatch',
      'a forked end',
      chained([at(0).record, at(1).record, null, recordText(4), recordText(5, { audience: 'b' })]),
      5,
    ],
  ])('%s: %s', (reason, _, list, sequence) => {
    expect(verifyLedgerRange(list, trust, expected)).toEqual({ ok: false, reason, sequence });
  });

  it('point_mismatch: a start that is known otherwise', () => {
    const from = { sequence: 2, head: digest };
    const points = [{ sequence: 2, head: at(1).head }];
    expect(verifyLedgerRange([], trust, { tenant: 'acme', from, points })).toEqual({
      ok: false,
      reason: 'point_mismatch',
      sequence: 2,
    });
  });

  it('point_outside_range: a point before the start', () => {
    const from = { sequence: 2, head: at(1).head };
    const points = [{ sequence: 1, head: at(0).head }];
    expect(verifyLedgerRange(entries.slice(2), trust, { tenant: 'acme', from, points })).toEqual({
      ok: false,
      reason: 'point_outside_range',
      sequence: 1,
    });
  });

  it('every chain with one entry changed, dropped, doubled or swapped', () => {
    const members = ['sequence', 'previous_head', 'head', 'record_digest', 'record'] as const;
    for (const [i, entry] of entries.entries()) {
      for (const member of members) {
        const value = entry[member];
        if (value === null) continue;
        const altered = value === '' ? 'x' : value.slice(0, -1) + (value.endsWith('1') ? '2' : '1');
        expect(verifyLedgerRange(replaced(i, { [member]: altered }), trust, expected).ok).toBe(
          false,
        );
      }
      const dropped = entries.filter((_, j) => j !== i);
      const doubled = entries.flatMap((other, j) => (j === i ? [other, other] : [other]));
      const swapped = [...entries.slice(0, i), ...entries.slice(i).reverse()];
      expect(verifyLedgerRange(dropped, trust, expected).ok).toBe(false);
      expect(verifyLedgerRange(doubled, trust, expected).ok).toBe(false);
      if (i < 4) expect(verifyLedgerRange(swapped, trust, expected).ok).toBe(false);
    }
  });
});
