import { canonicalText, textDigest } from '../json/index.js';
import type { AnchorProof, AuditCheckpoint } from '../records/index.js';
import type { ExpectedProof } from './anchor-proof.js';
import { verifyAnchorProof } from './anchor-proof.js';
import { chainHead } from './chain.js';
import { generateSigningKey, signerFromPem } from './keys.js';
import type { ProofReason } from './reasons.js';
import type { RecordHeader } from './signed-record.js';
import { signRecord } from './signed-record.js';
import { createTrustManifest } from './change-trust.js';
import { loadTrust } from './trust-manifest.js';

const key = generateSigningKey('k1');
const signer = signerFromPem('k1', key.privatePem);
const window = { notBefore: 0, notAfter: Date.UTC(2030, 0, 1) };
const trust = loadTrust(createTrustManifest('https://a.example', { ...key, ...window }));
const ledgerId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const generation = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const issuedAt = Date.UTC(2026, 4, 1, 9, 5);
const ninetyDays = 90 * 86_400_000;
const digest = (text: string): `sha256:${string}` => textDigest(text);

const nodes: AnchorProof['proof'] = [];
let previous: string = digest('entry 6');
for (let sequence = 7; sequence <= 10; sequence++) {
  const record_digest = digest(`record ${sequence}`);
  const head = chainHead(previous, record_digest, sequence);
  nodes.push({ sequence, previous_head: previous, record_digest, head });
  previous = head;
}
const node = (index: number): AnchorProof['proof'][number] =>
  nodes[index] as AnchorProof['proof'][number];
const recordDigest = node(0).record_digest;
const payload: AuditCheckpoint = {
  ledger_id: ledgerId,
  generation,
  sequence: 10,
  head: node(3).head as `sha256:${string}`,
};

function proofOf(
  change: Partial<AuditCheckpoint> = {},
  header: Partial<RecordHeader<'AuditCheckpoint'>> = {},
): AnchorProof {
  const signed = signRecord(
    signer,
    {
      type: 'AuditCheckpoint',
      purpose: 'service',
      profiles: {},
      issuer: 'https://a.example',
      audience: 'proto.audit',
      tenant: ledgerId,
      issuedAt,
      ...header,
    },
    { ...payload, ...change },
  );
  return {
    checkpoint: signed.record,
    acceptance: {
      backend: 'files',
      key: `p/${ledgerId}/${generation}/0000000000000010.json`,
      version_id: '1',
      digest: signed.digest,
      retained_until: new Date(issuedAt + ninetyDays).toISOString(),
    },
    proof: nodes,
  };
}
const proof = proofOf();
const stored = Buffer.from(canonicalText(proof.checkpoint));
const expected: ExpectedProof = {
  recordDigest,
  ledgerId,
  generation,
  storedCopy: stored,
  now: issuedAt,
};
const accepted = (change: Partial<AnchorProof['acceptance']>): AnchorProof => ({
  ...proof,
  acceptance: { ...proof.acceptance, ...change },
});
const altered = (index: number, change: object): AnchorProof => ({
  ...proof,
  proof: nodes.map((entry, i) => (i === index ? { ...entry, ...change } : entry)),
});

describe('verifyAnchorProof accepts', () => {
  it('a proof whose stored copy was fetched', () => {
    expect(verifyAnchorProof(proof, trust, expected)).toEqual({
      ok: true,
      checkpoint: payload,
      storeChecked: true,
    });
  });

  it('a proof on the service’s word, and says so', () => {
    expect(verifyAnchorProof(proof, trust, { recordDigest })).toMatchObject({
      ok: true,
      storeChecked: false,
    });
  });

  it('a proof of one node', () => {
    const last = { ...proof, proof: [node(3)] };
    const about = { ...expected, recordDigest: node(3).record_digest };
    expect(verifyAnchorProof(last, trust, about)).toMatchObject({ ok: true });
  });

  it('the first entry of a chain', () => {
    const head = chainHead('', recordDigest, 1);
    const first = {
      ...proofOf({ sequence: 1, head }),
      proof: [{ sequence: 1, previous_head: '', record_digest: recordDigest, head }],
    };
    expect(verifyAnchorProof(first, trust, { recordDigest })).toMatchObject({ ok: true });
  });
});

type Changes = { [Name in keyof ExpectedProof]?: ExpectedProof[Name] | undefined };

describe('verifyAnchorProof refuses', () => {
  const other = digest('other');
  it.each<[ProofReason, string, unknown, Changes?]>([
    ['malformed_proof', 'null', null],
    ['malformed_proof', 'a missing acceptance', { checkpoint: proof.checkpoint, proof: nodes }],
    ['malformed_proof', 'one member more', { ...proof, extra: 1 }],
    ['malformed_proof', 'nodes that are no list', { ...proof, proof: {} }],
    ['malformed_proof', 'a node with a text as its number', altered(1, { sequence: '8' })],
    ['malformed_proof', 'a node with one member more', altered(1, { extra: 1 })],
    ['malformed_proof', 'an acceptance without a time', accepted({ retained_until: 'soon' })],
    ['malformed_proof', 'a checkpoint over no head', proofOf({ head: 'x' as never })],
    ['malformed_record', 'a checkpoint of another shape', { ...proof, checkpoint: {} }],
    [
      'type_mismatch',
      'another record as the checkpoint',
      proofOf({}, { type: 'WebhookDelivery' as never }),
    ],
    ['audience_mismatch', 'a checkpoint for someone else', proofOf({}, { audience: 'bot' })],
    [
      'issuer_mismatch',
      'a checkpoint of another service',
      proofOf({}, { issuer: 'https://b.example' }),
    ],
    [
      'tenant_mismatch',
      'a checkpoint signed for another ledger',
      proofOf({}, { tenant: generation }),
    ],
    ['issued_in_future', 'a checkpoint out of the future', proof, { now: issuedAt - 30_001 }],
    [
      'wrong_signature',
      'an unsigned checkpoint',
      { ...proof, checkpoint: { ...proof.checkpoint, payload: { ...payload, sequence: 11 } } },
    ],
    ['checkpoint_mismatch', 'another ledger', proof, { ledgerId: generation }],
    ['checkpoint_mismatch', 'another generation', proof, { generation: ledgerId }],
    ['empty_proof', 'no nodes', { ...proof, proof: [] }],
    ['receipt_not_proven', 'another receipt', proof, { recordDigest: other }],
    ['receipt_not_proven', 'nodes that start later', { ...proof, proof: nodes.slice(1) }],
    ['node_sequence_gap', 'a node left out', { ...proof, proof: [node(0), node(2), node(3)] }],
    ['node_sequence_gap', 'a node twice', { ...proof, proof: [node(0), node(0), node(1)] }],
    [
      'node_chain_broken',
      'a node of another chain',
      altered(1, { previous_head: other, head: chainHead(other, node(1).record_digest, 8) }),
    ],
    ['node_head_mismatch', 'another head', altered(3, { head: other })],
    ['node_head_mismatch', 'another first head', altered(0, { previous_head: other })],
    ['node_head_mismatch', 'no previous head', altered(0, { previous_head: '' })],
    ['node_head_mismatch', 'another record inside', altered(2, { record_digest: other })],
    [
      'node_head_mismatch',
      'another first number',
      { ...proof, proof: [{ ...node(0), sequence: 6 }] },
    ],
    ['checkpoint_not_reached', 'nodes that end too early', { ...proof, proof: nodes.slice(0, 3) }],
    [
      'checkpoint_not_reached',
      'a checkpoint over another head',
      proofOf({ head: other }),
      { storedCopy: undefined },
    ],
    [
      'checkpoint_not_reached',
      'a checkpoint over another number',
      proofOf({ sequence: 11 }),
      { storedCopy: undefined },
    ],
    ['stored_copy_differs', 'another stored copy', proof, { storedCopy: Buffer.from('{}') }],
    [
      'stored_copy_differs',
      'a stored copy with a line end',
      proof,
      { storedCopy: Buffer.concat([stored, Buffer.from('\n')]) },
    ],
    ['acceptance_digest_mismatch', 'another digest', accepted({ digest: other })],
    [
      'retention_too_short',
      'a millisecond too little',
      accepted({ retained_until: new Date(issuedAt + ninetyDays - 1).toISOString() }),
    ],
  ])('%s: %s', (reason, _, value, change = {}) => {
    const about = { ...expected, ...change } as ExpectedProof;
    expect(verifyAnchorProof(value, trust, about)).toEqual({ ok: false, reason });
  });
});
