import type { Lifecycle } from '@countersign/protocol';
import { StaleRead } from './fresh-state.js';
import type { Pool } from './pool.js';
import { commit, stepStatement } from './step.js';
import type { Step } from './step.js';

const state: Lifecycle = {
  ...{ purpose: 'authorise_execution', decision: 'confirmed', audit: 'anchored' },
  ...{ grant: 'consumed', execution: 'claimed', revision: 4, invalidated: null },
  ...{ reviewDeadline: 1000, grantDeadline: 2000, privateDeleteAt: 3000, materialDeleted: false },
  ...{ remindedAt: null, claimed: true, outcomeRecorded: false, admissions: 0 },
};
const step: Step = {
  ...{ tenant: 't', directoryRevision: 7, requestId: 'r', version: 3, before: null },
  ...{ records: [], answer: null, deadlines: [] },
};

/** Answers every statement with `saved` rows and keeps what it was asked. */
function poolThatSaves(saved: number) {
  const asked: { text: string; values: unknown[] }[] = [];
  const query = async (statement: { text: string; values: unknown[] }) => {
    asked.push(statement);
    return { rows: [{ saved }] };
  };
  return { pool: { of: () => ({ query }) } as unknown as Pool, asked };
}

it('writes the columns that it moves, and no others', async () => {
  const { pool, asked } = poolThatSaves(1);
  const statement = stepStatement('claim', {
    ...{ moves: ['grant_state', 'grant_deadline'], sets: { claim_id: ':claim' }, records: 0 },
  });
  await commit(pool, statement, step, state, { claim: 'c' });
  expect(asked[0]?.text).toContain(
    'SET version = lifecycle.version + 1, grant_state = $6, grant_deadline = $7, claim_id = $8 FROM t',
  );
  expect(asked[0]?.values).toEqual(['t', 7, 'r', 3, null, 'consumed', new Date(2000), 'c']);
});

it('holds the request where it moves no state', () => {
  const { text } = stepStatement('hold', { records: 0 });
  expect(text).toContain('FOR SHARE OF lifecycle');
  expect(text).not.toContain('UPDATE');
});

it('says that the state was not read afresh when nothing was saved', async () => {
  const statement = stepStatement('none', { moves: ['revision'], records: 0 });
  await expect(commit(poolThatSaves(0).pool, statement, step, state)).rejects.toThrow(StaleRead);
});

it.each<[string, Partial<Step>]>([
  ['a deadline', { deadlines: [{ kind: 'grant', due: 1 }] }],
  ['a settled deadline', { settled: ['grant'] }],
  ['an incident', { incidents: [{ id: 'i', code: 'reconciliation_due' }] }],
])('refuses %s that the statement has no place for', async (_, left) => {
  const { pool, asked } = poolThatSaves(1);
  const statement = stepStatement('narrow', { moves: ['revision'], records: 0 });
  await expect(commit(pool, statement, { ...step, ...left }, state)).rejects.toThrow(TypeError);
  expect(asked).toEqual([]);
});
