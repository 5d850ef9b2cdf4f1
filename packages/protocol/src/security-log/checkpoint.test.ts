import { isTreeHead } from '../merkle/index.js';
import { createTrustManifest } from '../signing/change-trust.js';
import {
  SIGNING_POLICY,
  generateSigningKey,
  loadTrust,
  restrictSigner,
  revokeKey,
  signerFromPem,
} from '../signing/index.js';
import {
  isSecurityStatement,
  readSecurityStatement,
  securityStatement,
  verifySecurityCheckpoint,
} from './checkpoint.js';

const issuer = 'https://a.example';
const window = { notBefore: 0, notAfter: Date.UTC(2030, 0, 1) };
const key = generateSigningKey('ledger-1');
const manifest = createTrustManifest(issuer, { ...key, ...window });
const trust = loadTrust(manifest);
const checkpoint = {
  issuer,
  ledgerId: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  generation: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  sequence: 12,
  head: `sha256:${'0'.repeat(64)}`,
  issuedAt: Date.UTC(2026, 4, 1, 9, 5),
};
const statement = securityStatement(checkpoint);

function signed(text = statement, keyId = 'ledger-1') {
  const signature = signerFromPem('ledger-1', key.privatePem).sign(Buffer.from(text));
  return { key_id: keyId, signature: signature.toString('base64url'), statement: text };
}

it('a signed checkpoint reads back as the signed statement', () => {
  expect(readSecurityStatement(statement)).toEqual(checkpoint);
  expect(verifySecurityCheckpoint(signed(), trust)).toEqual({ ok: true, checkpoint });
});

it('cannot pass for a record or the head of a tree, nor they for it', () => {
  expect(isSecurityStatement(Buffer.from(statement))).toBe(true);
  expect(isTreeHead(Buffer.from(statement))).toBe(false);
  const signer = signerFromPem('ledger-1', key.privatePem);
  const restricted = restrictSigner(signer, SIGNING_POLICY.ledger, isSecurityStatement);
  expect(() => restricted.sign(Buffer.from(statement))).not.toThrow();
  for (const text of [
    `a.example/log/x\n1\n${Buffer.alloc(32).toString('base64')}\n`,
    `${statement}\n`,
    ` ${statement}`,
    statement.replace('/v1', '/v2'),
    `{"payload":{},"protected":{"type":"DecisionReceipt"}}`,
  ]) {
    expect(isSecurityStatement(Buffer.from(text))).toBe(false);
    expect(() => restricted.sign(Buffer.from(text))).toThrow(TypeError);
  }
  expect(() => signerOf('notifier').sign(Buffer.from(statement))).toThrow(TypeError);
});

function signerOf(service: 'notifier') {
  return restrictSigner(signerFromPem('k', key.privatePem), SIGNING_POLICY[service]);
}

it.each([
  ['malformed_checkpoint', 'null', null],
  ['malformed_checkpoint', 'one member more', { ...signed(), more: 1 }],
  ['malformed_checkpoint', 'a statement that is none', signed('x')],
  ['issuer_mismatch', 'another service', signed(statement.replace('a.example', 'b.example'))],
  ['key_not_for_type', 'a key of another service', signed(statement, 'review-1')],
  ['unknown_key', 'an unknown key', signed(statement, 'ledger-2')],
  ['key_expired', 'a time after its key', signed(statement.replace('2026', '2031'))],
  ['malformed_signature', 'no signature', { ...signed(), signature: '' }],
  [
    'wrong_signature',
    'another head',
    { ...signed(), statement: statement.replace('sha256:0', 'sha256:1') },
  ],
])('%s: %s', (reason, _, value) => {
  expect(verifySecurityCheckpoint(value, trust)).toEqual({ ok: false, reason });
});

it('key_revoked: signed after the revocation of its key', () => {
  const revoked = loadTrust(revokeKey(manifest, 'ledger-1', checkpoint.issuedAt));
  expect(verifySecurityCheckpoint(signed(), revoked)).toEqual({ ok: false, reason: 'key_revoked' });
});
