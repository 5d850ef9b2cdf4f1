import { EXAMPLES } from '../records/examples.js';
import { canonicalText, valueDigest } from '../json/canonical.js';
import { approvalStatement, challengeOf } from './statement.js';
import type { StatementInput } from './statement.js';

const { ExtendedDecisionRequest: request, ApprovalRecord: vote } = EXAMPLES;
const input: StatementInput = {
  issuer: 'https://review.example',
  request,
  requestDigest: valueDigest(request),
  candidate: {
    id: vote.candidate_id,
    digest: vote.candidate_digest,
    response_digest: vote.response_digest,
  },
  vote: {
    decision: vote.decision,
    mode: 'normal',
    reviewer: vote.reviewer,
    person: vote.person,
    acting_for: null,
    emergency: null,
    attention: null,
    credential: '0b9a4c1e-7d2f-4a36-9a51-6f0d2c8e4b17',
  },
  offer: { issued_at: '2026-05-01T09:01:00.000Z', nonce: 'AAECAwQFBgcICQoLDA0ODw' },
};
const OTHER = `sha256:${'0'.repeat(64)}` as const;

describe('the statement of a vote', () => {
  it('is the object that the protocol says, in canonical form', () => {
    expect(canonicalText(approvalStatement(input))).toBe(
      `{"acting_for":null,"attention":null,"candidate_digest":"${vote.candidate_digest}",` +
        `"candidate_id":"${vote.candidate_id}","credential":"0b9a4c1e-7d2f-4a36-9a51-6f0d2c8e4b17",` +
        `"decision":"${vote.decision}","emergency":null,"issued_at":"2026-05-01T09:01:00.000Z",` +
        `"issuer":"https://review.example","mode":"normal","nonce":"AAECAwQFBgcICQoLDA0ODw",` +
        `"person":"${vote.person}","policy_digest":"${request.approval.policy_digest}",` +
        `"purpose":"${request.purpose}","request_digest":"${valueDigest(request)}",` +
        `"request_id":"${request.id}","response_digest":"${vote.response_digest}",` +
        `"reviewer":"${vote.reviewer}","statement":"proto.approval-statement/1","tenant":"${request.tenant}"}`,
    );
  });

  it('has a challenge of 32 bytes: the digest of that text', () => {
    const statement = approvalStatement(input);
    const bytes = Buffer.from(challengeOf(statement), 'base64url');
    expect(`sha256:${bytes.toString('hex')}`).toBe(valueDigest(statement));
    expect(challengeOf(statement)).toMatch(/^[\w-]{43}$/);
  });

  const changes: [string, (of: StatementInput) => StatementInput][] = [
    ['issuer', (of) => ({ ...of, issuer: 'https://other.example' })],
    ['tenant', (of) => ({ ...of, request: { ...of.request, tenant: 'other' } })],
    ['purpose', (of) => ({ ...of, request: { ...of.request, purpose: otherPurpose() } })],
    ['request_id', (of) => ({ ...of, request: { ...of.request, id: 'other' } })],
    ['request_digest', (of) => ({ ...of, requestDigest: OTHER })],
    [
      'policy_digest',
      (of) => ({
        ...of,
        request: { ...of.request, approval: { ...of.request.approval, policy_digest: OTHER } },
      }),
    ],
    ['candidate_id', (of) => ({ ...of, candidate: { ...of.candidate, id: of.request.id } })],
    ['candidate_digest', (of) => ({ ...of, candidate: { ...of.candidate, digest: OTHER } })],
    [
      'response_digest',
      (of) => ({ ...of, candidate: { ...of.candidate, response_digest: OTHER } }),
    ],
    ['decision', (of) => ({ ...of, vote: { ...of.vote, decision: 'object' } })],
    ['mode', (of) => ({ ...of, vote: { ...of.vote, mode: 'debt' } })],
    ['reviewer', (of) => ({ ...of, vote: { ...of.vote, reviewer: 'other' } })],
    ['person', (of) => ({ ...of, vote: { ...of.vote, person: OTHER } })],
    ['acting_for', (of) => ({ ...of, vote: { ...of.vote, acting_for: 'other' } })],
    [
      'emergency',
      (of) => ({
        ...of,
        vote: { ...of.vote, emergency: { reason: 'a reason that is long enough', reference: '1' } },
      }),
    ],
    ['attention', (of) => ({ ...of, vote: { ...of.vote, attention: ATTENTION } })],
    ['credential', (of) => ({ ...of, vote: { ...of.vote, credential: null } })],
    [
      'issued_at',
      (of) => ({ ...of, offer: { ...of.offer, issued_at: '2026-05-01T09:01:00.001Z' } }),
    ],
    ['nonce', (of) => ({ ...of, offer: { ...of.offer, nonce: 'AAECAwQFBgcICQoLDA0OEA' } })],
  ];

  it.each(changes)('binds %s: another one changes the challenge', (member, change) => {
    const [before, after] = [input, change(input)].map(approvalStatement) as [any, any];
    const differing = Object.keys(before).filter((name) => before[name] !== after[name]);
    expect(differing).toEqual([member]);
    expect(challengeOf(after)).not.toBe(challengeOf(before));
  });

  it('has a test for every member but its name', () => {
    const members = Object.keys(approvalStatement(input)).filter((name) => name !== 'statement');
    expect(changes.map(([member]) => member).sort()).toEqual(members.sort());
  });
});

const ATTENTION: NonNullable<StatementInput['vote']['attention']> = {
  tier: 'low',
  material_first_read_at: '2026-05-01T09:00:00.000Z',
  candidate_first_read_at: '2026-05-01T09:00:30.000Z',
  read_ms: 30_000,
  typed: [],
  client: { document_end: true, payload_opened: false },
};

function otherPurpose() {
  return request.purpose === 'review' ? 'authorise_execution' : 'review';
}
