import type { ToolDefinition } from '@countersign/first-generation';
import { codeOf, event, rig, until } from './rig.js';
import type { Rig } from './rig.js';

const ANY = { type: 'object' };

describe('tools', () => {
  let own: Rig;
  let aborted = 0;
  const register = (name: string, execute?: ToolDefinition['execute']) =>
    own.server.registerTool({
      name,
      description: `What ${name} does`,
      inputSchema: { ...ANY, properties: { n: { type: 'number' } } },
      outputSchema: {},
      ...(execute === undefined ? {} : { execute }),
    });

  beforeAll(async () => {
    own = await rig({ toolTimeout: 1500, maxConcurrentTools: 3 });
    register('echo', async (params) => params);
    register('throws', async () => {
      throw new Error('database password is hunter2');
    });
    register('hangs', async (_params, _session, _call, _server, signal) => {
      signal.addEventListener('abort', () => (aborted += 1));
      await new Promise(() => undefined);
    });
    register('cyclic', async () => {
      const value: Record<string, unknown> = {};
      value['self'] = value;
      return value;
    });
    register('manual');
  });
  afterAll(() => own.stop());

  const call = (tool: string, params?: unknown, call_id = tool) =>
    ['TOOL_CALL', 'AGENT', { call_id, tool, ...(params === undefined ? {} : { params }) }] as const;

  it('are listed, with their schemas on demand', async () => {
    const client = await own.join();
    await client.send('TOOL_LIST', 'SYSTEM', {});
    const { payload } = await client.next('TOOL_LIST');
    expect(payload['tools']).toContainEqual({ name: 'echo', description: 'What echo does' });
    await client.send('TOOL_SCHEMA', 'SYSTEM', { tool: 'echo' });
    expect((await client.next('TOOL_SCHEMA')).payload).toEqual({
      tool: 'echo',
      schema: expect.objectContaining(ANY),
    });
    await client.send('TOOL_SCHEMA', 'SYSTEM', { tool: 'none' });
    expect(codeOf(await client.next('ERROR'))).toBe('TOOL_NOT_FOUND');
  });

  it('fire toolCall, and end with their result', async () => {
    const client = await own.join();
    const fired = event(own.server, 'toolCall');
    await client.send(...call('echo', { n: 1 }));
    const [sessionId, execution] = await fired;
    expect(sessionId).toBe(client.session);
    expect(execution).toMatchObject({ callId: 'echo', toolName: 'echo', arguments: { n: 1 } });
    expect((await client.next('TOOL_DONE')).payload).toEqual({
      call_id: 'echo',
      status: 'OK',
      result: { n: 1 },
    });
    expect(execution).toMatchObject({ status: 'completed', result: { n: 1 } });
    expect(execution.endTime).toBeGreaterThanOrEqual(execution.startTime);
  });

  it('are TOOL_NOT_FOUND by another name', async () => {
    const client = await own.join();
    await client.send('TOOL_CALL', 'AGENT', { call_id: 'c', tool: '__proto__' }, { id: 'asked' });
    expect((await client.next('ERROR')).payload).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      related_id: 'asked',
      detail: { call_id: 'c' },
    });
  });

  it('are not run with arguments that do not fit', async () => {
    const client = await own.join();
    await client.send(...call('echo', { n: 'one' }));
    expect((await client.next('ERROR')).payload).toMatchObject({
      code: 'INVALID_MESSAGE',
      detail: { faults: [{ path: '/n', rule: 'type' }] },
    });
  });

  it('that throw are TOOL_EXECUTION_ERROR, and what they threw stays here', async () => {
    const client = await own.join();
    const heard = event(own.server, 'error');
    await client.send(...call('throws'));
    expect(codeOf(await client.next('ERROR'))).toBe('TOOL_EXECUTION_ERROR');
    expect((await client.next('TOOL_DONE')).payload).toMatchObject({
      status: 'ERROR',
      result: { code: 'TOOL_EXECUTION_ERROR' },
    });
    expect(JSON.stringify(client.heard)).not.toContain('hunter2');
    expect(own.log()).not.toContain('hunter2');
    const [error] = await heard;
    expect((error.cause as Error).message).toContain('hunter2');
  });

  it('that answer what is no JSON are TOOL_EXECUTION_ERROR', async () => {
    const client = await own.join();
    await client.send(...call('cyclic'));
    expect(codeOf(await client.next('ERROR'))).toBe('TOOL_EXECUTION_ERROR');
    expect((await client.next('TOOL_DONE')).payload['status']).toBe('ERROR');
  });

  it('that hang are TOOL_EXECUTION_ERROR after their time', async () => {
    const client = await own.join();
    const before = aborted;
    await client.send(...call('hangs'));
    expect(codeOf(await client.next('ERROR'))).toBe('TOOL_EXECUTION_ERROR');
    expect((await client.next('TOOL_DONE')).payload['status']).toBe('ERROR');
    expect(aborted).toBe(before + 1);
  });

  it('are cancelled once, and whatever they answer later is not heard', async () => {
    const client = await own.join();
    const fired = event(own.server, 'toolCall');
    await client.send(...call('manual'));
    const [sessionId, execution] = await fired;
    await client.send('TOOL_CANCEL', 'AGENT', { call_id: 'manual', reason: 'enough' });
    expect((await client.next('TOOL_DONE')).payload).toEqual({
      call_id: 'manual',
      status: 'CANCELLED',
    });
    expect(execution.status).toBe('cancelled');
    own.server.sendToolUpdate(sessionId, 'manual', 'RUNNING', 0.9);
    own.server.sendToolDone(sessionId, 'manual', 'OK', 'too late');
    await client.send('TOOL_CANCEL', 'AGENT', { call_id: 'manual' });
    expect(codeOf(await client.next('ERROR'))).toBe('TOOL_NOT_FOUND');
    expect(client.heard.filter(({ type }) => type === 'TOOL_DONE')).toHaveLength(1);
    expect(client.heard.filter(({ type }) => type === 'TOOL_UPDATE')).toHaveLength(0);
  });

  it('without a function of their own are ended by whoever listens', async () => {
    const client = await own.join();
    const fired = event(own.server, 'toolCall');
    await client.send(...call('manual', {}));
    const [sessionId, execution] = await fired;
    expect(execution.status).toBe('running');
    own.server.sendToolUpdate(sessionId, 'manual', 'RUNNING', 0.25);
    own.server.sendToolDone(sessionId, 'manual', 'ERROR', { why: 'rain' });
    expect((await client.next('TOOL_UPDATE')).payload).toMatchObject({ progress: 0.25 });
    expect((await client.next('TOOL_DONE')).payload).toMatchObject({
      status: 'ERROR',
      result: { why: 'rain' },
    });
    expect(execution).toMatchObject({ status: 'error', progress: 0.25 });
  });

  it('are called once by one call_id', async () => {
    const client = await own.join();
    await client.send(...call('echo', {}, 'same'));
    await client.next('TOOL_DONE');
    await client.send(...call('echo', {}, 'same'));
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });

  it('run so many at once in a session, and no more', async () => {
    const client = await own.join();
    for (const id of ['1', '2', '3', '4']) await client.send(...call('manual', {}, id));
    expect((await client.next('ERROR')).payload).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      detail: { call_id: '4' },
    });
  });

  it('of one session are nothing to another', async () => {
    const [ada, eve] = [await own.join(), await own.join()];
    await ada.send(...call('manual', {}, 'private'));
    await event(own.server, 'message');
    await eve.send('TOOL_CANCEL', 'AGENT', { call_id: 'private' });
    expect(codeOf(await eve.next('ERROR'))).toBe('TOOL_NOT_FOUND');
    await ada.send('TOOL_CANCEL', 'AGENT', { call_id: 'private' });
    expect((await ada.next('TOOL_DONE')).payload['status']).toBe('CANCELLED');
    expect(eve.heard.some(({ type }) => type === 'TOOL_DONE')).toBe(false);
  });

  it('end with their session', async () => {
    const short = await rig({ replayWindowTime: 20 });
    let ended = false;
    short.server.registerTool({
      name: 'waits',
      description: '',
      inputSchema: {},
      outputSchema: {},
      execute: async (_params, _session, _call, _server, signal) => {
        signal.addEventListener('abort', () => (ended = true));
        await new Promise(() => undefined);
      },
    });
    const client = await short.join();
    const fired = event(short.server, 'toolCall');
    await client.send(...call('waits'));
    await fired;
    const { session } = client;
    client.close();
    await until(() => ended);
    await until(() => short.server.getSession(session) === undefined);
    await short.stop();
  });
});
