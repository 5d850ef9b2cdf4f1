import type {
  Evidence,
  RequestChangedEvent,
  RequestStatus,
  SignedRecord,
} from '@countersign/protocol';

import { compare, isOfAnother } from './comparison.js';

type State = RequestChangedEvent['state'];

const PENDING: State = {
  decision: 'pending',
  audit: 'unanchored',
  grant: 'none',
  execution: 'unclaimed',
};
const DECIDED: State = {
  ...PENDING,
  decision: 'confirmed',
  audit: 'pending',
  grant: 'pending_anchor',
};
const ANCHORED: State = { ...DECIDED, audit: 'anchored', grant: 'available' };
const CLAIMED: State = { ...ANCHORED, grant: 'consumed', execution: 'claimed' };
const REQUEST = { id: 'one', summary: 'Pay', limits: { review_seconds: 60 }, tags: ['a', 'b'] };

const record = (type: string, payload: object) =>
  ({ protected: { type }, payload, signature: type }) as unknown as SignedRecord;
const receipt = record('DecisionReceipt', { decision: 'authorise', candidate_digest: 'sha256:1' });
const claim = record('ExecutionClaim', { id: 'claim' });
const completed = record('ExecutionOutcome', { outcome: { status: 'completed' } });
const settled = record('ExecutionReconciliation', { outcome: { status: 'abandoned' } });

function evidence(steps: readonly (readonly [string, State])[], records: SignedRecord[]): Evidence {
  const audit = steps.map(([reason, state], at) => ({
    record: JSON.stringify(record('RequestChangedEvent', { revision: at + 1, reason, state })),
  }));
  // A record that is no event, and a text that is gone.
  audit.splice(1, 0, { record: JSON.stringify(receipt) });
  return {
    export: { request: REQUEST, request_digest: 'sha256:0', records, audit },
  } as unknown as Evidence;
}

const steps = [
  ['created', PENDING],
  ['decision', DECIDED],
  ['anchor_accepted', ANCHORED],
] as const;
const proven = evidence(steps, [receipt]);

function status(revision: number, state: State, changes: Partial<RequestStatus> = {}) {
  return structuredClone({
    request: REQUEST,
    request_digest: 'sha256:0',
    revision,
    decision_state: state.decision,
    audit_state: state.audit,
    grant_state: state.grant,
    execution_state: state.execution,
    receipt,
    claim: null,
    outcome: null,
    ...changes,
  }) as unknown as RequestStatus;
}

it('finds the same, as of the revision that is shown', () => {
  expect(compare(status(3, ANCHORED), proven)).toEqual({ kind: 'same' });
  expect(compare(status(2, DECIDED), proven)).toEqual({ kind: 'same' });
  expect(compare(status(1, PENDING, { receipt: null }), proven)).toEqual({ kind: 'same' });
});

it('is behind while the evidence ends before the shown revision', () => {
  expect(compare(status(4, CLAIMED, { claim }), proven)).toEqual({ kind: 'behind' });
});

it.each<[string, Partial<RequestStatus>, string, string]>([
  [
    'a changed receipt',
    { receipt: record('DecisionReceipt', { decision: 'refuse' }) },
    'receipt',
    '/payload/decision',
  ],
  ['no receipt', { receipt: null }, 'receipt', ''],
  ['a claim that was not made', { claim }, 'claim', ''],
  ['an outcome that was not reported', { outcome: completed }, 'outcome', ''],
  ['another digest', { request_digest: 'sha256:9' }, 'request_digest', ''],
  ['another text', { request: { ...REQUEST, summary: 'Play' } as never }, 'request', '/summary'],
  ['a member more', { request: { ...REQUEST, toString: 1 } as never }, 'request', '/toString'],
  [
    'a list as an object',
    { request: { ...REQUEST, tags: { 0: 'a', 1: 'b' } } as never },
    'request',
    '/tags',
  ],
  ['another state', { execution_state: 'completed' }, 'execution_state', ''],
  ['an earlier state', { audit_state: 'pending' }, 'audit_state', ''],
])('names %s', (_, changes, member, path) => {
  expect(compare(status(3, ANCHORED, changes), proven)).toEqual({ kind: 'differs', member, path });
});

it('takes a deadline that shows as passed before its event', () => {
  const expired = { ...ANCHORED, grant: 'expired' } as const;
  expect(compare(status(3, expired), proven)).toEqual({ kind: 'behind' });
  const later = evidence([...steps, ['expiry', expired]], [receipt]);
  expect(compare(status(3, expired), later)).toEqual({ kind: 'same' });
  expect(compare(status(3, ANCHORED, { decision_state: 'expired' }), proven)).toMatchObject({
    ...{ kind: 'differs', member: 'decision_state' },
  });
  const used = evidence([...steps, ['claimed', CLAIMED]], [receipt, claim]);
  expect(compare(status(3, expired), used)).toMatchObject({
    kind: 'differs',
    member: 'grant_state',
  });
});

it('compares the outcome of the shown revision, and not another one', () => {
  const done = { ...CLAIMED, execution: 'completed' } as const;
  const closed = { ...CLAIMED, execution: 'abandoned' } as const;
  const all = evidence(
    [...steps, ['claimed', CLAIMED], ['outcome', done], ['outcome', closed]],
    [receipt, claim, completed, settled],
  );
  expect(compare(status(5, done, { claim, outcome: completed }), all)).toEqual({ kind: 'same' });
  expect(compare(status(6, closed, { claim, outcome: settled }), all)).toEqual({ kind: 'same' });
  expect(compare(status(6, closed, { claim, outcome: completed }), all)).toMatchObject({
    kind: 'differs',
    member: 'outcome',
  });
});

it('takes an admission by its record', () => {
  const admitted = { ...CLAIMED, execution: 'admitted' } as const;
  const told = [...steps, ['claimed', CLAIMED]] as const;
  const before = evidence(told, [receipt, claim]);
  expect(compare(status(4, admitted, { claim }), before)).toEqual({ kind: 'behind' });
  const after = evidence(told, [receipt, claim, record('AdmissionStatus', {})]);
  expect(compare(status(4, admitted, { claim }), after)).toEqual({ kind: 'same' });
});

it('does not prove a state that a recovery left', () => {
  const revoked = { ...ANCHORED, grant: 'revoked' } as const;
  expect(compare(status(3, revoked), proven)).toEqual({ kind: 'unproven', member: 'grant_state' });
});

it('says that a conflict cannot be shown, and what remains cannot be compared', () => {
  expect(compare(status(3, { ...ANCHORED, audit: 'conflict' }), proven)).toEqual({
    ...{ kind: 'unproven', member: 'audit_state' },
  });
  expect(compare(status(3, ANCHORED), { ...proven, export: null })).toEqual({ kind: 'remains' });
});

it('knows the evidence of another request', () => {
  const other = status(3, ANCHORED, { request: { ...REQUEST, id: 'two' } as never });
  expect(isOfAnother(other, proven)).toBe(true);
  expect(isOfAnother(status(3, ANCHORED), proven)).toBe(false);
});
