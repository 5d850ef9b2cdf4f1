import { takeAway } from '../fault/support/outage.js';
import { kill9, replicasOf } from '../fault/support/processes.js';
import { decide, until } from '../support/requests.js';
import { POLICY, stateOf } from './support/bank.js';
import { guardedForAll } from './support/guarded.js';
import { modern } from './support/session.js';
import type { Session } from './support/session.js';

// Clients that take tasks, and what is killed: the guard, and the service. The SDK has no client for tasks: these are the frames.

const guarded = guardedForAll();
const { bank: newBank, start: begun, authorise, executionOf, held } = guarded;

const META = modern({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
const call = ({ request }: Session, args: object, meta = META) =>
  request('tools/call', { name: 'transfer', arguments: args, _meta: meta });
const get = async ({ request }: Session, taskId: string) =>
  (await request('tasks/get', { taskId, _meta: META })).result;
const ended = (session: Session, taskId: string) =>
  until(
    () => get(session, taskId),
    ({ status }) => status !== 'working',
  );
const idIn = ({ statusMessage }: { statusMessage: string }) =>
  /\/review\/([\w-]+)/.exec(statusMessage)![1]!;

it('gives a task, which ends with the result of the tool', async () => {
  const bank = await newBank();
  const session = begun(bank);
  const { result: about } = await session.request('server/discover', { _meta: META });
  expect(about.capabilities.extensions).toHaveProperty(['io.modelcontextprotocol/tasks']);
  const { result: task } = await call(session, { amount: 50 });
  expect(task).toMatchObject({
    ...{ resultType: 'task', status: 'working', pollIntervalMs: 5_000 },
    taskId: expect.stringMatching(/^[\w-]{43}$/),
    statusMessage: expect.stringContaining('/review/'),
  });
  expect(await get(session, task.taskId)).toMatchObject({
    resultType: 'complete',
    status: 'working',
  });
  await authorise(idIn(task));
  expect(await ended(session, task.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ type: 'text', text: 'transferred 50' }] },
  });
  expect(bank.effects()).toHaveLength(1);
  expect(
    (
      await session.request('tasks/update', {
        taskId: task.taskId,
        inputResponses: {},
        _meta: META,
      })
    ).result,
  ).toEqual({ resultType: 'complete' });
});

it('a refused call is a task that completed with an error, and a cancelled one withdraws its request', async () => {
  const bank = await newBank();
  const session = begun(bank);
  const { result: first } = await call(session, { amount: 60 });
  await decide(guarded.reviewer, idIn(first), 'refuse', {});
  expect(await ended(session, first.taskId)).toMatchObject({
    status: 'completed',
    result: { isError: true, structuredContent: { state: 'refused' } },
  });
  const { result: second } = await call(session, { amount: 61 });
  await session.request('tasks/cancel', { taskId: second.taskId, _meta: META });
  expect(await get(session, second.taskId)).toMatchObject({ status: 'cancelled' });
  const { body } = await guarded.producer.get(`/v2/requests/${idIn(second)}`);
  expect(body.decision_state).toBe('cancelled');
  expect(bank.effects()).toEqual([]);
});

it('a task is shown to requests that declare tasks alone', async () => {
  const session = begun(await newBank());
  const { taskId } = (await call(session, { amount: 71 })).result;
  for (const method of ['tasks/get', 'tasks/cancel']) {
    const { error } = await session.request(method, { taskId, _meta: modern() });
    expect(error.code).toBe(-32_021);
  }
  expect(await get(session, taskId)).toMatchObject({ status: 'working' });
});

it('a client without tasks gets none, and ids of others go to the server', async () => {
  const session = begun(await newBank());
  expect(stateOf(await call(session, { amount: 70 }, modern())).state).toBe('pending');
  const { error } = await session.request('tasks/get', { taskId: 'unknown', _meta: META });
  expect(error).toBeDefined();
});

it('a task outlives the guard that gave it', async () => {
  const bank = await newBank();
  const first = begun(bank);
  const { result: task } = await call(first, { amount: 80 });
  first.process.kill('SIGKILL');
  await first.ended;
  await authorise(idIn(task));
  const next = begun(bank);
  expect(await ended(next, task.taskId)).toMatchObject({
    status: 'completed',
    result: { content: [{ text: 'transferred 80' }] },
  });
  expect(bank.effects()).toHaveLength(1);
});

describe('killed', () => {
  const SHORT = POLICY.replace('window: 20s', 'window: 2s');

  it('before the decision: the next guard finds it', async () => {
    const bank = await newBank(SHORT);
    const first = begun(bank);
    const { request_id: id } = stateOf(await call(first, { amount: 90 }, modern()));
    first.process.kill('SIGKILL');
    await first.ended;
    await authorise(id);
    const { result } = await call(begun(bank), { amount: 90 }, modern());
    expect(result.content[0].text).toBe('transferred 90');
    expect(bank.effects()).toHaveLength(1);
  });

  it('while the tool runs: the end is unknown, and it never runs again', async () => {
    const bank = await newBank(SHORT);
    const first = begun(bank);
    const args = { amount: 100, then: 'hang' };
    const { request_id: id } = stateOf(await call(first, args, modern()));
    await authorise(id);
    void call(first, args, modern()).catch(() => {});
    await until(
      async () => bank.effects(),
      (effects) => effects.length > 0,
    );
    first.process.kill('SIGKILL');
    await first.ended;
    const next = begun(bank);
    const seen: string[] = [];
    await until(
      async () => {
        const { state } = stateOf(await call(next, args, modern()));
        if (!seen.includes(state)) seen.push(state);
        return state;
      },
      (state) => state === 'unknown',
      110_000,
    );
    expect(seen).toEqual(['running', 'unknown']);
    expect(bank.effects()).toHaveLength(1);
  });
});

describe('the service', () => {
  /** kill -9; the launcher starts it again. */
  async function killed(id: string): Promise<void> {
    kill9(replicasOf(guarded.instance)[0]!);
    await until(
      () =>
        guarded.producer.get(`/v2/requests/${id}`).then(
          ({ status }) => status,
          () => null,
        ),
      (status) => status === 200,
    );
  }

  /** Takes the service away while `work` is done. */
  async function without<T>(work: () => Promise<T>): Promise<T> {
    const bringBack = takeAway(guarded.instance);
    try {
      return await work();
    } finally {
      await bringBack();
    }
  }
  const transfer = (session: Session, args: object) =>
    until(
      () => call(session, args, modern()),
      (answer) => stateOf(answer).state !== 'running',
    );

  it('away when a call is made, and again once it is authorised: it waits for both, and runs once', async () => {
    const bank = await newBank();
    const session = begun(bank);
    await session.request('tools/list', { _meta: modern() });
    const args = { amount: 120 };
    expect(stateOf(await without(() => transfer(session, args))).state).toBe('unavailable');
    const { state, request_id: id } = stateOf(await transfer(session, args));
    expect(state).toBe('pending');
    await authorise(id);
    const away = await without(() => transfer(session, args));
    expect([stateOf(away).state, bank.effects()]).toEqual(['unavailable', []]);
    // Calls that need no decision go on without the service.
    const allowed = { name: 'get_balance', arguments: {}, _meta: modern() };
    const { result } = await without(() => session.request('tools/call', allowed));
    expect(result.content[0].text).toBe('100');
    expect((await transfer(session, args)).result.content[0].text).toBe('transferred 120');
    expect([bank.effects().length, await executionOf(id)]).toEqual([1, 'completed']);
  });

  it('away for longer than a task can wait: the task goes on when its client looks again', async () => {
    const bank = await newBank();
    const session = begun(bank);
    const { result: task } = await call(session, { amount: 130 });
    await authorise(idIn(task));
    const last = await call(session, { amount: 131 });
    await without(async () => {
      // An asked call gives up after the same time as the task does.
      expect(stateOf(await transfer(session, { amount: 132 })).state).toBe('unavailable');
      expect((await get(session, last.result.taskId)).status).toBe('working');
    });
    await authorise(idIn(last.result));
    for (const { taskId } of [task, last.result])
      expect((await ended(session, taskId)).status).toBe('completed');
    expect(bank.effects().sort()).toEqual(['{"amount":130}', '{"amount":131}']);
  });

  it('killed while people decide, and again while the tool runs: the call waits, and runs once', async () => {
    const patient = POLICY.replace('hold: 1s', 'hold: 10m').replace('window: 20s', 'window: 10m');
    const bank = await newBank(patient);
    const session = begun(bank);
    const { answer } = session.begin('tools/call', {
      ...{ name: 'transfer', arguments: { amount: 110, then: 'wait' } },
      _meta: { ...modern(), progressToken: 'p' },
    });
    const id = await held(session);
    await killed(id);
    await authorise(id);
    await until(
      async () => bank.effects(),
      (effects) => effects.length > 0,
    );
    await killed(id);
    bank.goOn();
    expect((await answer).result.content[0].text).toBe('transferred 110');
    expect([bank.effects().length, await executionOf(id)]).toEqual([1, 'completed']);
  });
});
