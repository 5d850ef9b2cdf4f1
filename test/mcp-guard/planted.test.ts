import { copyFileSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { until } from '../support/requests.js';
import { POLICY, stateOf } from './support/bank.js';
import type { Bank } from './support/bank.js';
import { guardedForAll } from './support/guarded.js';
import { modern } from './support/session.js';
import type { Json, Session } from './support/session.js';

// Plausible mistakes in the packed guard: the history beside each comes out right with the program as it is, and wrong with the
// mistake. Passages hold no names that the bundler may number.

const guarded = guardedForAll();

const TASKS = modern({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
const call = (session: Session, args: object, more: object = {}): Promise<Json> =>
  session.request('tools/call', { name: 'transfer', arguments: args, _meta: modern(), ...more });

/** Has a call authorised. */
async function authorised(session: Session, args: object, more?: object): Promise<void> {
  const { request_id: id } = stateOf(await call(session, args, more));
  await guarded.authorise(id);
}

/** Changes the words of the tool, and waits until the server lists them: the guard hides it then. */
async function described(session: Session, bank: Bank): Promise<void> {
  bank.describe('Deletes the account.');
  await until(
    () => session.request('tools/list', { _meta: modern() }),
    ({ result }) => !result.tools.some(({ name }: { name: string }) => name === 'transfer'),
  );
}

interface Planted {
  readonly bug: string;
  readonly passage: string;
  readonly becomes: string;
  readonly policy?: string;
  /** What is seen of it. */
  history(session: Session, bank: Bank): Promise<unknown>;
  readonly right: unknown;
}

const BUGS: readonly Planted[] = [
  {
    bug: 'the client’s own order of arguments, sent to the server',
    passage: 'args: JSON.parse(canonicalText',
    becomes: 'args: ((_) => args)(canonicalText',
    async history(session, bank) {
      const args = { to: 'Ann', amount: 300 };
      await authorised(session, args);
      await call(session, args);
      return bank.effects();
    },
    right: ['{"amount":300,"to":"Ann"}'],
  },
  {
    bug: 'a lock that is not looked at',
    passage: 'isChanged: definition === null || lock.get(call.tool) !== definition.digest',
    becomes: 'isChanged: definition === null',
    async history(session, bank) {
      await described(session, bank);
      return stateOf(await call(session, { amount: 301 })).state;
    },
    right: 'tool_changed',
  },
  {
    bug: 'a look at the lock before people are asked, and none before the call runs',
    passage: 'const now = await judge(call, true);',
    becomes:
      'const now = { isChanged: false, definition: { digest: proposal.definition_digest } };',
    async history(session, bank) {
      const { answer } = session.begin('tools/call', {
        ...{ name: 'transfer', arguments: { amount: 302 } },
        _meta: { ...modern(), progressToken: 'p' },
      });
      const id = await guarded.held(session);
      await described(session, bank);
      await guarded.authorise(id);
      await answer;
      return bank.effects();
    },
    policy: POLICY.replace('hold: 1s', 'hold: 40s'),
    right: [],
  },
  {
    bug: 'a condition that holds for an argument that is not there',
    passage: 'if (value === void 0) return false;\n\tswitch (test.is)',
    becomes: 'if (value === void 0) return true;\n\tswitch (test.is)',
    async history(session, bank) {
      return [stateOf(await call(session, { to: 'Ann' })).state, bank.effects()];
    },
    // Its summary cannot be made, so no request is made.
    right: ['unavailable', []],
  },
  {
    bug: 'a task that is shown to requests which declare no tasks',
    passage: '(params)) aboutTask(id, method',
    becomes: '(params) || true) aboutTask(id, method',
    async history(session) {
      const { taskId } = (await call(session, { amount: 303 }, { _meta: TASKS })).result;
      const { error } = await session.request('tasks/get', { taskId, _meta: modern() });
      return error?.code;
    },
    right: -32_021,
  },
  {
    bug: 'the guard’s token in the environment of the server',
    passage: '!name.startsWith("COUNTERSIGN_") && !own.includes(name)',
    becomes: 'true',
    async history(session) {
      const { result } = await session.request('tools/call', {
        ...{ name: 'get_environment', arguments: {}, _meta: modern() },
      });
      return result.content[0].text.includes(guarded.instance.demo.producer.token);
    },
    right: false,
  },
  {
    bug: 'an answer to the question of one call, taken for another',
    passage: 'rounds.isOpen(state) && call.tool === tool',
    becomes: 'rounds.isOpen(state) || call.tool === tool',
    policy: POLICY.replace('window: 20s', 'window: 60s\n    more_input: permit'),
    async history(session) {
      const _meta = modern({ elicitation: { form: {} } });
      const args = { amount: 304, then: 'ask' };
      await authorised(session, args, { _meta });
      const { requestState } = (await call(session, args, { _meta })).result;
      const inputResponses = { code: { action: 'accept', content: { code: '1' } } };
      const more = { _meta, requestState, inputResponses };
      await call(session, { amount: 305, then: 'ask' }, more);
      const { body } = await guarded.producer.get('/v2/requests?state=pending');
      // No request is made for a call that only came with the answer to another.
      return body.items.some(({ summary }: { summary: string }) => summary === 'Transfer 305');
    },
    right: false,
  },
];

describe.each(BUGS)('$bug', ({ passage, becomes, policy, history, right }) => {
  const seen = async (): Promise<unknown> => {
    const bank = await guarded.bank(policy);
    const session = guarded.start(bank);
    await session.request('tools/list', { _meta: modern() });
    return history(session, bank);
  };

  it('is not there', async () => {
    expect(await seen()).toEqual(right);
  });

  it('is found when it is', async () => {
    const program = realpathSync(guarded.cli.program);
    const text = readFileSync(program, 'utf8');
    expect(text.split(passage)).toHaveLength(2);
    copyFileSync(program, `${program}.right`);
    writeFileSync(
      program,
      text.replace(passage, () => becomes),
    );
    try {
      expect(await seen()).not.toEqual(right);
    } finally {
      copyFileSync(`${program}.right`, program);
    }
  });
});
