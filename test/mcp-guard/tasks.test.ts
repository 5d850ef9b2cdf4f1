import { personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { Installed } from '../cli/support/packed.js';
import { installed } from '../cli/support/packed.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { decide, until } from '../support/requests.js';
import { POLICY, newBank, stateOf } from './support/bank.js';
import type { Bank } from './support/bank.js';
import { modern } from './support/session.js';
import type { Session } from './support/session.js';

// Clients that take tasks, and guards that are killed. The SDK has no client for tasks: these are the frames.

let instance: Instance;
let cli: Installed;
let reviewer: Client;
let producer: Client;
const sessions: Session[] = [];

beforeAll(async () => {
  instance = await startInstance();
  cli = await installed(instance);
  const { demo, dataDirectory } = instance;
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  producer = producerOf(demo);
}, 120_000);
afterEach(() => {
  for (const { process } of sessions.splice(0)) process.kill('SIGKILL');
});
afterAll(async () => {
  cli?.remove();
  await instance?.stop();
});

const META = modern({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
function begun(bank: Bank): Session {
  const session = bank.start();
  sessions.push(session);
  return session;
}
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
const authorise = (id: string) => decide(reviewer, id, 'authorise', {});

it('gives a task, which ends with the result of the tool', async () => {
  const bank = await newBank(instance, cli);
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
  const bank = await newBank(instance, cli);
  const session = begun(bank);
  const { result: first } = await call(session, { amount: 60 });
  await decide(reviewer, idIn(first), 'refuse', {});
  expect(await ended(session, first.taskId)).toMatchObject({
    status: 'completed',
    result: { isError: true, structuredContent: { state: 'refused' } },
  });
  const { result: second } = await call(session, { amount: 61 });
  await session.request('tasks/cancel', { taskId: second.taskId, _meta: META });
  expect(await get(session, second.taskId)).toMatchObject({ status: 'cancelled' });
  const { body } = await producer.get(`/v2/requests/${idIn(second)}`);
  expect(body.decision_state).toBe('cancelled');
  expect(bank.effects()).toEqual([]);
});

it('a client without tasks gets none, and ids of others go to the server', async () => {
  const session = begun(await newBank(instance, cli));
  expect(stateOf(await call(session, { amount: 70 }, modern())).state).toBe('pending');
  const { error } = await session.request('tasks/get', { taskId: 'unknown', _meta: META });
  expect(error).toBeDefined();
});

it('a task outlives the guard that gave it', async () => {
  const bank = await newBank(instance, cli);
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
    const bank = await newBank(instance, cli, SHORT);
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
    const bank = await newBank(instance, cli, SHORT);
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
  }, 150_000);
});
