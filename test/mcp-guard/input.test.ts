import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { until } from '../support/requests.js';
import { POLICY, stateOf } from './support/bank.js';
import type { Bank } from './support/bank.js';
import { guardedForAll } from './support/guarded.js';
import { modern } from './support/session.js';
import type { Json, Session } from './support/session.js';

// docs/mcp-guard.md: tools that ask for more input in the middle of an authorised call, and servers that answer with a task.

const guarded = guardedForAll();
const { bank: newBank, start, authorise } = guarded;

const PERMIT = POLICY.replace('window: 20s', 'window: 60s\n    more_input: permit');
const ABILITIES = { elicitation: { form: {} } };
const META = modern(ABILITIES);
const TASKS = modern({ ...ABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } });
const GIVEN = { code: { action: 'accept', content: { code: '4711' } } };

const call = (session: Session, args: object, more: object = {}, meta = META) =>
  until(
    () =>
      session.request('tools/call', { name: 'transfer', arguments: args, ...more, _meta: meta }),
    (answer) => stateOf(answer).state !== 'running',
  );
const outcomeOf = async (id: string): Promise<Json> =>
  (await guarded.producer.get(`/v2/requests/${id}`)).body.outcome.payload.outcome;

/** Has a call authorised, and calls again until the tool asks. */
async function asking(session: Session, args: object) {
  const { request_id: id } = stateOf(await call(session, args));
  await authorise(id);
  const { result } = await call(session, args);
  expect(result).toMatchObject({
    ...{ resultType: 'input_required', requestState: expect.stringMatching(/^[\w-]{43}$/) },
    inputRequests: { code: { method: 'elicitation/create' } },
  });
  return { id, state: result.requestState as string };
}

describe('more_input: permit', () => {
  let bank: Bank;
  let session: Session;
  beforeEach(async () => {
    bank = await newBank(PERMIT);
    session = start(bank);
  });

  it('asks the client, goes on under a permit of its own, and records what was asked by digests', async () => {
    const args = { amount: 200, then: 'ask' };
    const { id, state } = await asking(session, args);
    // The same call without an answer finds the same question.
    expect((await call(session, args)).result.requestState).toBe(state);
    const { result } = await call(session, args, { requestState: state, inputResponses: GIVEN });
    expect(result.content[0].text).toBe('transferred 200 with 4711');
    expect(bank.effects().map((line) => line.slice(0, 9))).toEqual(['asked 200', '{"amount"']);
    // The server has its own state again, which the client never saw.
    expect(JSON.parse(bank.effects()[1]!)).toMatchObject({ kept: 'state of 200' });
    expect(session.lines.join()).not.toContain('state of 200');
    const { status, details } = await outcomeOf(id);
    const digest = expect.stringMatching(/^sha256:/);
    expect([status, details.permits, details.more_input]).toEqual([
      ...['completed', 2, [{ asked: digest, answered: digest }]],
    ]);
    expect(JSON.stringify(details)).not.toContain('4711');
  });

  it('input for other arguments, of a made-up state, or given twice goes nowhere', async () => {
    const args = { amount: 201, then: 'ask' };
    const { state } = await asking(session, args);
    const given = { requestState: state, inputResponses: GIVEN };
    for (const [other, more] of [
      [{ ...args, amount: 2_010 }, given],
      [args, { ...given, requestState: 'state of 201' }],
      [args, { inputResponses: GIVEN }],
    ] as const)
      expect((await call(session, other, more)).error.code).toBe(-32_602);
    expect(bank.effects()).toEqual(['asked 201']);
    const [one, two] = await Promise.all([1, 2].map(() => call(session, args, given)));
    const ends = [one, two].map(({ result, error }) => error?.code ?? result.content[0].text);
    expect(ends.sort()).toEqual([-32_602, 'transferred 201 with 4711']);
    expect(bank.effects()).toHaveLength(2);
  });

  it('input that does not come within the window ends the call as partly done', async () => {
    const short = await newBank(PERMIT.replace('window: 60s', 'window: 6s'));
    const hasty = start(short);
    const args = { amount: 202, then: 'ask' };
    const { id, state } = await asking(hasty, args);
    await until(
      async () => (await guarded.producer.get(`/v2/requests/${id}`)).body.execution_state,
      (execution) => execution === 'failed_partial',
    );
    const late = await call(hasty, args, { requestState: state, inputResponses: GIVEN });
    expect(late.error.code).toBe(-32_602);
    expect(short.effects()).toEqual(['asked 202']);
  });

  it('authority that was revoked meanwhile ends it before the input goes on', async () => {
    const args = { amount: 203, then: 'ask' };
    const { id, state } = await asking(session, args);
    expect((await guarded.producer.post(`/v2/requests/${id}/revoke`, {})).status).toBe(200);
    await call(session, args, { requestState: state, inputResponses: GIVEN });
    expect(bank.effects()).toEqual(['asked 203']);
  });

  it('is shown with a task, which goes on by tasks/update', async () => {
    const args = { amount: 204, then: 'ask' };
    const { result: task } = await call(session, args, {}, TASKS);
    const { taskId } = task;
    const get = async () => (await session.request('tasks/get', { taskId, _meta: TASKS })).result;
    await authorise(/\/review\/([\w-]+)/.exec(task.statusMessage)![1]!);
    const { inputRequests } = await until(get, ({ status }) => status === 'input_required');
    const [[key, request]] = Object.entries(inputRequests) as [[string, Json]];
    expect(request).toMatchObject({ method: 'elicitation/create' });
    const update = (inputResponses: object) =>
      session.request('tasks/update', { taskId, inputResponses, _meta: TASKS });
    expect((await update({ unknown: GIVEN.code })).result).toEqual({ resultType: 'complete' });
    await update({ [key]: GIVEN.code });
    const { result } = await until(get, ({ status }) => status === 'completed');
    expect(result.content[0].text).toBe('transferred 204 with 4711');
    expect(bank.effects()).toHaveLength(2);
  });

  it('the official client answers it by itself', async () => {
    const patient = await newBank(PERMIT.replace('hold: 1s', 'hold: 40s'));
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: ABILITIES, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', async () => GIVEN.code as never);
    await client.connect(new StdioClientTransport({ ...patient.command(), stderr: 'ignore' }));
    const told: string[] = [];
    const done = client.callTool(
      { name: 'transfer', arguments: { amount: 205, then: 'ask' } },
      { onprogress: ({ message }) => told.push(String(message)) },
    );
    const [link] = await until(
      async () => told,
      ({ length }) => length > 0,
    );
    await authorise(/\/review\/([\w-]+)/.exec(link!)![1]!);
    expect((await done).content).toEqual([{ type: 'text', text: 'transferred 205 with 4711' }]);
    await client.close();
  });
});

it('without it the tool is told that its client cannot be asked', async () => {
  const bank = await newBank();
  const session = start(bank);
  const args = { amount: 206, then: 'ask' };
  const { request_id: id } = stateOf(await call(session, args));
  await authorise(id);
  const answer = await call(session, args);
  expect(stateOf(answer).state).not.toBe('completed');
  expect((await outcomeOf(id)).status).toMatch(/failed_partial|uncertain/);
  expect(bank.effects()).toEqual(['asked 206']);
});

it('a server that answers with a task is followed to its end', async () => {
  const bank = await newBank();
  const session = start(bank);
  const args = { amount: 207, then: 'task' };
  const { request_id: id } = stateOf(await call(session, args));
  await authorise(id);
  const { result } = await call(session, args);
  expect(result.content[0].text).toBe('ended task-207');
  expect([bank.effects().length, (await outcomeOf(id)).status]).toEqual([1, 'completed']);
});
