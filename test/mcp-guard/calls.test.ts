import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOKEN_VARIABLE } from '../cli/support/packed.js';
import { decide, until } from '../support/requests.js';
import { POLICY, stateOf } from './support/bank.js';
import type { Bank, BankOptions } from './support/bank.js';
import { guardedForAll } from './support/guarded.js';
import type { Session } from './support/session.js';

// docs/mcp-guard.md: the packed command between a client that writes frames and a server of the official SDK.

const guarded = guardedForAll();
const { bank: newBank, authorise, executionOf, held } = guarded;

async function begun(bank: Bank, options?: BankOptions): Promise<Session> {
  const session = guarded.start(bank, options);
  await session.initialize();
  return session;
}
/** A busy machine may say that a call is under way before it is. */
const transfer = (session: Session, args: object) =>
  until(
    () => session.request('tools/call', { name: 'transfer', arguments: args }),
    (answer) => stateOf(answer).state !== 'running',
  );

it('runs an allowed call at once, and an asked one after the decision, once', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  expect(stateOf(await transfer(session, { amount: 5 }))).toEqual({ state: 'completed' });
  const asked = await transfer(session, { amount: 50, to: 'Ann' });
  expect(asked.result.isError).toBe(true);
  const { state, request_id: id, review_link: link } = asked.result.structuredContent;
  expect([state, link]).toEqual(['pending', expect.stringContaining(id)]);
  expect(asked.result.content[0].text).toContain(link);
  const { body: material } = await guarded.reviewer.get(`/v2/requests/${id}/material`);
  expect(material.review_document).toContain('    /amount  50\n    /to  "Ann"\n');
  // The same words in another order are the same call, and find the request.
  expect(stateOf(await transfer(session, { to: 'Ann', amount: 50.0 })).request_id).toBe(id);
  await authorise(id);
  const done = await transfer(session, { to: 'Ann', amount: 50 });
  expect(done.result.content).toEqual([{ type: 'text', text: 'transferred 50' }]);
  expect(bank.effects()).toEqual(['{"amount":5}', '{"amount":50,"to":"Ann"}']);
  expect(await executionOf(id)).toBe('completed');
  // The next one of the same words is a new one, and people learn of the one before.
  const next = stateOf(await transfer(session, { amount: 50, to: 'Ann' }));
  expect(next).toMatchObject({ state: 'pending' });
  expect(next.request_id).not.toBe(id);
  const { body: second } = await guarded.reviewer.get(`/v2/requests/${next.request_id}/material`);
  expect(second.review_document).toContain('it ended completed at');
  expect(await session.close()).toBe(0);
});

it('a call that is held open runs when people decide meanwhile', async () => {
  const bank = await newBank(POLICY.replace('hold: 1s', 'hold: 40s'));
  const session = await begun(bank);
  const { answer } = session.begin('tools/call', {
    ...{ name: 'transfer', arguments: { amount: 60 } },
    _meta: { progressToken: 'p' },
  });
  await authorise(await held(session));
  expect((await answer).result.content[0].text).toBe('transferred 60');
  expect(bank.effects()).toHaveLength(1);
});

it('the progress of a tool goes on from that of the wait', async () => {
  const bank = await newBank(POLICY.replace('hold: 1s', 'hold: 40s'));
  const session = await begun(bank);
  const { answer } = session.begin('tools/call', {
    ...{ name: 'transfer', arguments: { amount: 61, then: 'progress' } },
    _meta: { progressToken: 'p' },
  });
  await authorise(await held(session));
  expect((await answer).result.content[0].text).toBe('transferred 61');
  const told = session.lines
    .map((line) => JSON.parse(line))
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params }) => params.progress as number);
  expect(told.length).toBeGreaterThanOrEqual(3);
  expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
});

it('tells a refusal once, and a next call asks anew', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const { request_id: id } = stateOf(await transfer(session, { amount: 70 }));
  await decide(guarded.reviewer, id, 'refuse', { note: 'Too much.' });
  const refused = await transfer(session, { amount: 70 });
  expect(stateOf(refused)).toMatchObject({ state: 'refused', request_id: id });
  expect(refused.result.content[0].text).toContain('Too much.');
  const next = stateOf(await transfer(session, { amount: 70 }));
  expect([next.state, next.request_id === id]).toEqual(['pending', false]);
  expect(bank.effects()).toEqual([]);
});

it('an approval of one call is none of another', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const approved = { amount: 80, to: 'Ann' };
  const { request_id: id } = stateOf(await transfer(session, approved));
  await authorise(id);
  for (const other of [
    { amount: 81, to: 'Ann' },
    { amount: 80, to: 'Bob' },
    { amount: 80 },
    { amount: 80, to: 'Ann', extra: null },
    { amount: 80, to: ['Ann'] },
  ]) {
    const { state, request_id: asked } = stateOf(await transfer(session, other));
    expect([state, asked === id]).toEqual(['pending', false]);
  }
  // Another alias is another server.
  const other = await newBank(POLICY.replace('alias: bank', 'alias: other'));
  expect(stateOf(await transfer(await begun(other), approved)).request_id).not.toBe(id);
  expect([bank.effects(), other.effects()]).toEqual([[], []]);
});

it('refuses a tool whose words changed, until it is locked again', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const { request_id: id } = stateOf(await transfer(session, { amount: 90 }));
  await authorise(id);
  await session.close();
  bank.describe('Deletes the account.');
  const later = await begun(bank);
  expect(stateOf(await transfer(later, { amount: 90 }))).toMatchObject({ state: 'tool_changed' });
  expect(stateOf(await transfer(later, { amount: 1 }))).toMatchObject({ state: 'tool_changed' });
  const { result } = await later.request('tools/list');
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['get_balance', 'get_environment']);
  const { args, env } = bank.command();
  expect((await guarded.cli.run(['mcp-guard', 'lock', ...args.slice(1)], env)).code).toBe(0);
  await later.close();
  // It is another tool now: people are asked about it.
  const asked = stateOf(await transfer(await begun(bank), { amount: 90 }));
  expect([asked.state, asked.request_id === id]).toEqual(['pending', false]);
  expect(bank.effects()).toEqual([]);
});

it('hides denied tools, marks those that ask, and runs no denied call', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const { result } = await session.request('tools/list');
  expect(result.tools.map(({ name, description }: never) => [name, description])).toEqual([
    ['get_balance', 'Reads.'],
    ['get_environment', 'Names of variables.'],
    ['transfer', "Transfers money. May need a person's approval."],
  ]);
  for (const name of ['forget', 'nothing'])
    expect(stateOf(await session.request('tools/call', { name }))).toMatchObject({
      state: 'denied',
    });
  expect(bank.effects()).toEqual([]);
});

it('keeps its own secrets from the server, and gives it those of the policy', async () => {
  const text = POLICY.replace('default: deny', 'default: deny\nenv_file: server.env');
  const bank = await newBank(
    // The file is read by `lock` too.
    text.replace('env_file: server.env\n', ''),
  );
  writeFileSync(join(bank.folder, 'server.env'), 'API_KEY=of-the-server\n');
  writeFileSync(bank.policy, text.replaceAll('ROUTE', guarded.instance.demo.routes.execution));
  const session = await begun(bank);
  const { result } = await session.request('tools/call', { name: 'get_environment' });
  const env = JSON.parse(result.content[0].text);
  expect(env['API_KEY']).toBe('of-the-server');
  expect(Object.keys(env)).not.toContain(TOKEN_VARIABLE);
  expect(JSON.stringify(env)).not.toContain(guarded.instance.demo.producer.token);
  expect(Object.keys(env).filter((name) => name.startsWith('COUNTERSIGN_'))).toEqual([]);
});

it('a call that its client gave up keeps its end for the next call of the same words', async () => {
  const bank = await newBank(POLICY.replace('hold: 1s', 'hold: 40s'));
  const session = await begun(bank);
  const { id: number, answer } = session.begin('tools/call', {
    ...{ name: 'transfer', arguments: { amount: 110 }, _meta: { progressToken: 1 } },
  });
  void answer;
  const request = await held(session);
  session.write(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: number } })}\n`,
  );
  await authorise(request);
  const { result } = await transfer(session, { amount: 110 });
  expect(result.content[0].text).toBe('transferred 110');
  expect(bank.effects()).toHaveLength(1);
  expect(session.lines.some((line) => JSON.parse(line).id === number)).toBe(false);
});

it('two calls of the same words at once are one', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const { request_id: id } = stateOf(await transfer(session, { amount: 120 }));
  await authorise(id);
  const both = await Promise.all([1, 2].map(() => transfer(session, { amount: 120 })));
  for (const { result } of both) expect(result.content[0].text).toBe('transferred 120');
  expect(bank.effects()).toHaveLength(1);
});

it('a server that dies in a call leaves an outcome that is unknown, and is never called again', async () => {
  const bank = await newBank();
  const session = await begun(bank);
  const args = { amount: 130, then: 'die' };
  const { request_id: id } = stateOf(await transfer(session, args));
  await authorise(id);
  expect(stateOf(await transfer(session, args))).toMatchObject({ state: 'unknown' });
  expect(await session.ended).toBe(1);
  expect(session.said()).toContain('the server ended with SIGKILL');
  expect([await executionOf(id), bank.effects()]).toEqual([
    'uncertain',
    ['{"amount":130,"then":"die"}'],
  ]);
});

it.each(['completed', 'failed_partial'])('a tool that fails is %s', async (means) => {
  const text = POLICY.replace('window: 20s', `window: 20s\n    error_means: ${means}`);
  const bank = await newBank(text);
  const session = await begun(bank);
  const args = { amount: 140, then: 'fail' };
  const { request_id: id } = stateOf(await transfer(session, args));
  await authorise(id);
  const { result } = await transfer(session, args);
  expect([result.isError, result.content[0].text]).toEqual([true, 'transferred 140']);
  expect(await executionOf(id)).toBe(means);
});

describe('an occurrence that the policy names', () => {
  const text = POLICY.replace('summary:', 'occurrence: "transfer:{/to}"\n    summary:');

  it('is one action, whatever the number of calls, and has no other arguments', async () => {
    const bank = await newBank(text);
    const session = await begun(bank);
    const to = `named-${process.pid}`;
    const { request_id: id } = stateOf(await transfer(session, { amount: 150, to }));
    expect(stateOf(await transfer(session, { amount: 151, to }))).toMatchObject({ state: 'used' });
    await authorise(id);
    for (const _ of [1, 2])
      expect((await transfer(session, { amount: 150, to })).result.content[0].text).toBe(
        'transferred 150',
      );
    expect(bank.effects()).toHaveLength(1);
  });

  it('is asked anew after its time ran out, and not after a refusal', async () => {
    const bank = await newBank(text);
    const session = await begun(bank);
    const to = `lapsed-${process.pid}`;
    const call = () => transfer(session, { amount: 160, to });
    const { request_id: id } = stateOf(await call());
    expect((await guarded.producer.post(`/v2/requests/${id}/cancel`, {})).status).toBe(200);
    expect(stateOf(await call())).toMatchObject({ state: 'lapsed' });
    const again = stateOf(await call());
    expect([again.state, again.request_id === id]).toEqual(['pending', false]);
    expect(stateOf(await call()).request_id).toBe(again.request_id);
    await decide(guarded.reviewer, again.request_id, 'refuse', {});
    for (const _ of [1, 2]) expect(stateOf(await call())).toMatchObject({ state: 'refused' });
    expect(bank.effects()).toEqual([]);
  });

  it('that cannot be made asks nothing', async () => {
    const session = await begun(await newBank(text));
    const answer = await transfer(session, { amount: 170 });
    expect(stateOf(answer)).toEqual({ state: 'unavailable' });
    expect(answer.result.content[0].text).toContain('/to');
  });
});

it('says when the service cannot be reached, and runs nothing', async () => {
  const bank = await newBank();
  const wrong = await begun(bank, { env: { [TOKEN_VARIABLE]: 'wrong-token' } }).catch(() => null);
  // A wrong token is found out before the server starts.
  if (wrong !== null)
    expect(stateOf(await transfer(wrong, { amount: 180 })).state).toBe('unavailable');
  expect(bank.effects()).toEqual([]);
});

it('its state names no argument in file names, and is for its owner alone', async () => {
  const { execFileSync } = await import('node:child_process');
  const bank = await newBank();
  const session = await begun(bank);
  await transfer(session, { amount: 190, to: 'private-name' });
  const state = join(bank.folder, 'state/countersign');
  const names = execFileSync('find', [state], { encoding: 'utf8' });
  expect(names).not.toContain('private-name');
  const open = execFileSync('find', [state, '-type', 'f', '-perm', '/077'], { encoding: 'utf8' });
  expect(open.split('\n').filter((name) => name !== '' && !name.endsWith('/name'))).toEqual([]);
  expect(readFileSync(bank.policy, 'utf8')).toContain('alias: bank');
});
