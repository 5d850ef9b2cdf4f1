import type { Draft, Lifecycle, Transition } from '@countersign/protocol';
import { StaleRead } from './fresh-state.js';
import type { Pool } from './pool.js';
import { commit, stepStatement } from './step.js';
import type { NewRecord } from './step-consequences.js';

const state: Lifecycle = {
  ...{ purpose: 'authorise_execution', decision: 'confirmed', audit: 'anchored' },
  ...{ grant: 'consumed', execution: 'claimed', revision: 4, invalidated: null },
  ...{ reviewDeadline: 1000, grantDeadline: 2000, privateDeleteAt: 3000, materialDeleted: false },
  ...{ remindedAt: null, claimed: true, outcomeRecorded: false, admissions: 0 },
};
const on = {
  ...{ tenant: 't', id: 'r', owner: 'o', version: 3 },
  request: { purpose: 'authorise_execution', profiles: {} },
  row: { now: 500, directory_revision: 7 },
} as const;
const nothing = { records: [], deadlines: [], settled: [], incidents: [], takes: [] };
const quiet: Transition = { next: state, ...nothing };
const event = { type: 'RequestChangedEvent' } as Draft;
const evidence = { type: 'ExecutionClaim' } as Draft;

/** Saves every step as `saved` rows, and records in order its calls to sign, save and hint. */
function savingWith(saved: number) {
  const done: string[] = [];
  const asked: { text: string; values: unknown[] }[] = [];
  const query = async (statement: { text: string; values: unknown[] }) => {
    done.push('saved');
    asked.push(statement);
    return { rows: [{ saved }] };
  };
  const saving = {
    pool: { of: () => ({ query }) } as unknown as Pool,
    notary: {
      sign: async (
        tenant: string,
        { id }: { id: string },
        drafts: readonly Draft[],
        at: number,
      ) => {
        done.push(`signed ${drafts.length} for ${id} of ${tenant} at ${at}`);
        return drafts.map(({ type }, at): NewRecord => {
          const id = `record ${at}`;
          return { id, type, audience: 'o', issuedAt: '', text: '', digest: '' };
        });
      },
    },
    chained: (tenant: string) => done.push(`told of ${tenant}`),
  };
  return { saving, asked, done };
}

it('writes the columns that it moves, and no others', async () => {
  const { saving, asked } = savingWith(1);
  const statement = stepStatement('claim', {
    ...{ moves: ['grant_state', 'grant_deadline'], sets: { claim_id: ':claim' }, records: 0 },
  });
  await commit(saving, statement, on, quiet, { own: { claim: 'c' } });
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

it('signs, saves and only then sends the hint to the ledger', async () => {
  const { saving, done } = savingWith(1);
  const statement = stepStatement('told', { moves: ['revision'], records: 2 });
  const signed = await commit(saving, statement, on, { ...quiet, records: [evidence, event] });
  expect(signed.map(({ id }) => id)).toEqual(['record 0', 'record 1']);
  expect(done).toEqual(['signed 2 for r of t at 500', 'saved', 'told of t']);
});

it('sends no hint to the ledger for a step without a record', async () => {
  const { saving, done } = savingWith(1);
  await commit(saving, stepStatement('quiet', { moves: ['revision'], records: 0 }), on, quiet);
  expect(done).not.toContain('told of t');
});

it('has the evidence and the taken facts by name, and the evidence as the answer', async () => {
  const { saving, asked } = savingWith(1);
  const statement = stepStatement('taking', {
    ...{ moves: ['revision'], sets: { claim_id: ':evidence' }, records: 2, answer: true },
    with: ['x AS (INSERT INTO nonce SELECT :nonce FROM l)'],
  });
  const call = { caller: { id: 'anna' }, scope: 'operation', key: 'key', body: '' };
  await commit(
    saving,
    statement,
    on,
    { ...quiet, records: [evidence, event], takes: [{ fact: 'nonce', value: 'n' }] },
    { answer: { call, status: 201, result: null } },
  );
  const valueOf = (name: string) => asked[0]?.values[statement.names.indexOf(name)];
  expect(['evidence', 'record_id', 'nonce', 'principal'].map(valueOf)).toEqual([
    'record 0',
    'record 0',
    'n',
    'anna',
  ]);
});

it('says that the state was not read afresh when nothing was saved', async () => {
  const { saving, done } = savingWith(0);
  const statement = stepStatement('none', { moves: ['revision'], records: 1 });
  const step = commit(saving, statement, on, { ...quiet, records: [evidence] });
  await expect(step).rejects.toThrow(StaleRead);
  expect(done).not.toContain('told of t');
});

it.each<[string, Partial<Transition>]>([
  ['a record', { records: [event] }],
  ['a deadline', { deadlines: [{ kind: 'grant', due: 1 }] }],
  ['an incident', { incidents: ['reconciliation_due'] }],
  ['a unique fact', { takes: [{ fact: 'nonce', value: 'n' }] }],
])('refuses %s that the statement has no place for', async (_, left) => {
  const { saving, asked } = savingWith(1);
  const statement = stepStatement('narrow', { moves: ['revision'], records: 0 });
  await expect(commit(saving, statement, on, { ...quiet, ...left })).rejects.toThrow(TypeError);
  expect(asked).toEqual([]);
});

it('leaves settled deadlines to their worker where the statement does not settle them', async () => {
  const { saving, asked } = savingWith(1);
  const statement = stepStatement('narrow', { moves: ['revision'], records: 0 });
  await commit(saving, statement, on, { ...quiet, settled: ['grant'] });
  expect(asked).toHaveLength(1);
});
