import type { Check, Evidence, RequestStatus, Verdict } from '@countersign/protocol';

import { judge } from './judgement.js';

const check = (code: Check['code'], status: Check['status'], decisive = true): Check => ({
  ...{ code, status, decisive, path: '/there', says: `It is ${code}.`, reason: null },
});
const GOOD = check('record_signature', 'holds');
const UNVOUCHED = check('log_witnesses', 'not checked');

function verdict(checks: readonly Check[], kind: Verdict['kind'] = 'evidence'): Verdict {
  const fails = checks.some(({ status }) => status === 'fails');
  const open = checks.some(({ status, decisive }) => decisive && status !== 'holds');
  return {
    ...{ verdict: fails ? 'fails' : open ? 'incomplete' : 'holds', kind, checks },
    ...{ checklist: [], gone: [], uncovered: [], story: [] },
  };
}

const state = {
  ...{
    decision: 'confirmed',
    audit: 'anchored',
    grant: 'not_applicable',
    execution: 'not_applicable',
  },
} as const;
const event = {
  protected: { type: 'RequestChangedEvent' },
  payload: { revision: 1, reason: 'x', state },
};
const evidence = {
  export: {
    ...{ request: { id: 'one' }, request_digest: 'd', records: [] },
    audit: [{ record: JSON.stringify(event) }],
  },
} as unknown as Evidence;
const shown = {
  ...{
    request: { id: 'one' },
    request_digest: 'd',
    revision: 1,
    receipt: null,
    claim: null,
    outcome: null,
  },
  ...{ decision_state: 'confirmed', audit_state: 'anchored' },
  ...{ grant_state: 'not_applicable', execution_state: 'not_applicable' },
} as unknown as RequestStatus;

const kindOf = (checks: readonly Check[], status = shown, of: Evidence | null = evidence) =>
  judge(verdict(checks), status, of).kind;

it('verifies only a verdict that holds over evidence that says the same', () => {
  expect(kindOf([GOOD])).toBe('verified');
  expect(kindOf([GOOD], { ...shown, request_digest: 'sha256:e' })).toBe('differs');
  expect(kindOf([GOOD], { ...shown, revision: 2 })).toBe('behind');
  expect(kindOf([GOOD], { ...shown, audit_state: 'conflict' })).toBe('unproven');
  expect(kindOf([GOOD], shown, { ...evidence, export: null })).toBe('remains');
  expect(kindOf([GOOD], shown, null)).toBe('no evidence');
});

it('tells the service alone from other open points', () => {
  expect(kindOf([GOOD, UNVOUCHED])).toBe('alone');
  expect(kindOf([GOOD, UNVOUCHED, check('anchor_proof', 'cannot be known')])).toBe('unanchored');
  const open = [GOOD, UNVOUCHED, check('material_kept', 'cannot be known')];
  expect(judge(verdict(open), shown, evidence)).toEqual({
    kind: 'open',
    says: 'It is material_kept.',
  });
});

it('puts another request first, and then what fails', () => {
  const bad = [GOOD, check('request_digest', 'fails')];
  expect(kindOf(bad, { ...shown, request: { id: 'two' } } as never)).toBe('another request');
  expect(judge(verdict(bad), { ...shown, request_digest: 'sha256:e' }, evidence)).toEqual({
    ...{ kind: 'failed', says: 'It is request_digest.', path: '/there' },
  });
  expect(kindOf(bad, shown, null)).toBe('failed');
});
