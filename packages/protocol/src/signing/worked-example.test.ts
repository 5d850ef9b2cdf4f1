import { createHash } from 'node:crypto';
import { canonicalText, parseStrictJson, textDigest, valueDigest } from '../json/index.js';
import { chainHead } from './chain.js';
import { signerFromPem } from './keys.js';
import type { RecordHeader } from './signed-record.js';
import { signaturePreimage, signPayloadText, signRecord } from './signed-record.js';
import { createTrustManifest } from './change-trust.js';
import { loadTrust } from './trust-manifest.js';
import { verifyRecord } from './verify-record.js';

// Protocol §2.6, byte for byte.
const seed = '96176e1069df54bfb25b64fb78666854eb84a689fa5a41c0ddc4a98332707fc1';
const privatePem = [
  '-----BEGIN PRIVATE KEY-----',
  Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64'),
  '-----END PRIVATE KEY-----',
].join('\n');
const publicPem =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAozWuYviOKJbywKbOIVSUEo+cgk54xuxnNXrGMJVIiC4=\n-----END PUBLIC KEY-----\n';
const signer = signerFromPem('k-2026-01', privatePem);
const trust = loadTrust(
  createTrustManifest('https://review.example', {
    keyId: 'k-2026-01',
    publicPem,
    notBefore: Date.UTC(2026, 0, 1),
    notAfter: Date.UTC(2027, 0, 1),
  }),
);

const receiptHeader = {
  type: 'DecisionReceipt',
  purpose: 'review',
  profiles: {},
  issuer: 'https://review.example',
  audience: 'bot-7',
  tenant: 'acme',
  issuedAt: Date.UTC(2026, 4, 1, 9, 5),
} as const satisfies RecordHeader;
const configuredHeader = {
  ...receiptHeader,
  type: 'PrincipalConfigured',
  purpose: 'service',
  audience: 'ops-1',
  issuedAt: Date.UTC(2026, 4, 1, 9, 0),
} as const;
const checkpointHeader = {
  ...receiptHeader,
  type: 'AuditCheckpoint',
  purpose: 'service',
  audience: 'proto.audit',
  tenant: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
} as const;

const response = parseStrictJson(
  Buffer.from('{"choice":"accept","score":0.1,"note":"déjà vu — ✓"}'),
);
const responseCanonical = '{"choice":"accept","note":"déjà vu — ✓","score":0.1}';
const responseDigest = 'sha256:5b54688d7b19a484e4aaf58ceb795a80dc8f490eadca8528c68a01efcd1cdb8e';
const requestDigest = `sha256:${'ab'.repeat(32)}` as const;
const candidateDigest = 'sha256:3e27d95b1a508f92046a4034f947e04980e82dadb79b11abe8b73c3d29e3ce84';
const requestId = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const candidateId = '6f1d0c1e-2b5a-4c7e-9a40-0d3c5b7e9f11';

const receiptPayload = {
  purpose: 'review',
  request_id: requestId,
  request_digest: requestDigest,
  candidate_id: candidateId,
  candidate_digest: candidateDigest,
  reviewer: 'rev-2',
  requester: 'owner-1',
  response_digest: responseDigest,
  decision: 'answer',
  confirmed_at: '2026-05-01T09:05:00.000Z',
} as const;
const receiptText =
  '{"payload":{"candidate_digest":"sha256:3e27d95b1a508f92046a4034f947e04980e82dadb79b11abe8b73c3d29e3ce84","candidate_id":"6f1d0c1e-2b5a-4c7e-9a40-0d3c5b7e9f11","confirmed_at":"2026-05-01T09:05:00.000Z","decision":"answer","purpose":"review","request_digest":"sha256:abababababababababababababababababababababababababababababababab","request_id":"0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d","requester":"owner-1","response_digest":"sha256:5b54688d7b19a484e4aaf58ceb795a80dc8f490eadca8528c68a01efcd1cdb8e","reviewer":"rev-2"},"protected":{"audience":"bot-7","issued_at":"2026-05-01T09:05:00.000Z","issuer":"https://review.example","key_id":"k-2026-01","profiles":{},"protocol_revision":"2.0.0-draft.3","purpose":"review","tenant":"acme","type":"DecisionReceipt"},"signature":"axMnQqmuSKJfG80oBhtMGQ-3yZw6n-Onbn40VHaI1zhDWu0ek71iW01yFQYSInLxx7qEj4KBDMMhgJWVJVL8Aw"}';
const recordDigest1 = 'sha256:929524f06a687685c9e3702bc5b35eb93e40a4e86e145a419b2376eabdaf2f90';
const recordDigest2 = 'sha256:3d584f24d5071db9e39e4ec70f7fe24160e6c11c4da3b84b4eb7b6766bb69a5d';
const head1 = 'sha256:5b9821742076324cfdc20024f030f19c0ee682cca367d29c7513d8aba18e6c9e';
const head2 = 'sha256:eac687358f1a2d0ced1cb3b77820600bb7e5c463921ebf9933c16f9f780192df';

describe('the worked example of protocol §2.6', () => {
  it('has that public key', () => {
    expect(signer.publicPem).toBe(publicPem);
    const raw = trust.keys.get('k-2026-01')?.publicKey.export({ format: 'jwk' }).x;
    expect(Buffer.from(raw ?? '', 'base64url').toString('hex')).toBe(
      'a335ae62f88e2896f2c0a6ce215494128f9c824e78c6ec67357ac6309548882e',
    );
  });

  it('canonicalises and digests the response', () => {
    expect(canonicalText(response)).toBe(responseCanonical);
    expect(valueDigest(response)).toBe(responseDigest);
  });

  it('digests the candidate', () => {
    const candidate = {
      id: candidateId,
      request_id: requestId,
      request_digest: requestDigest,
      reviewer: 'rev-2',
      revision: 1,
      response,
      response_canonical: responseCanonical,
      response_digest: responseDigest,
      decision: 'answer',
      created_at: '2026-05-01T09:04:59.500Z',
    };
    expect(valueDigest(candidate)).toBe(candidateDigest);
  });

  it('signs ledger entry 1', () => {
    const payload = { id: 'bot-7', kind: 'producer', enabled: true } as const;
    const signed = signRecord(signer, configuredHeader, payload);
    expect(signed.record.signature).toBe(
      'zPyHZc6RPyuzty-8yP8cDDLTzLgusVAk_JCfg3R5sYhqT9v3qKarvvrXXkRKLhguS0Cjv0-Q24qDgGRVzOdHAw',
    );
    expect(signed.digest).toBe(recordDigest1);
    expect(signed.text).toBe(canonicalText(signed.record));
    expect(chainHead('', recordDigest1, 1)).toBe(head1);
    expect(
      textDigest(
        '{"previous":"","record_digest":"sha256:929524f06a687685c9e3702bc5b35eb93e40a4e86e145a419b2376eabdaf2f90","sequence":1}',
      ),
    ).toBe(head1);
  });

  it('signs ledger entry 2, the receipt', () => {
    const signed = signRecord(signer, receiptHeader, receiptPayload);
    expect(signed.text).toBe(receiptText);
    expect(signed.digest).toBe(recordDigest2);
    expect(canonicalText(signed.record)).toBe(receiptText);
    expect(valueDigest(signed.record)).toBe(recordDigest2);
    expect(chainHead(head1, recordDigest2, 2)).toBe(head2);

    const preimage = signaturePreimage(signed.record);
    expect(preimage.toString()).toBe(receiptText.replace(/,"signature":"[^"]*"/, ''));
    expect(preimage).toHaveLength(754);
    expect(createHash('sha256').update(preimage).digest('hex')).toBe(
      'ecbb66324b6c3c0f96c320aff99c0e6267f0206c6ab0e499a451c2403c0cdf0b',
    );
  });

  it('signs the receipt the same from canonical text', () => {
    const payloadText = canonicalText(receiptPayload);
    expect(signPayloadText(signer, receiptHeader, payloadText).text).toBe(receiptText);
    expect(signRecord(signer, receiptHeader, receiptPayload, payloadText).text).toBe(receiptText);
  });

  it('verifies the receipt', () => {
    const expected = {
      type: 'DecisionReceipt',
      audience: 'bot-7',
      tenant: 'acme',
      purpose: 'review',
      profiles: {},
    } as const;
    expect(verifyRecord(JSON.parse(receiptText), trust, expected)).toMatchObject({
      ok: true,
      issuedAt: receiptHeader.issuedAt,
    });
  });

  it('signs the checkpoint', () => {
    const signed = signRecord(signer, checkpointHeader, {
      ledger_id: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      generation: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
      sequence: 2,
      head: head2,
    });
    expect(signed.record.signature).toBe(
      'fr2xQU6bhzU7qWV9oL03oIgenA_xntpdzpDNHGexB6_RjGBCl6oI9A5MP9Tsa-sMnl0w_bzZu5Q6MZiWnW0VBg',
    );
    expect(signed.digest).toBe(
      'sha256:5683981ba36f627e778a7332c8e927394a3542cee1691e1b9e5cfaf6d3ea7463',
    );
  });
});
