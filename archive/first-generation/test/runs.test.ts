import { codeOf, event, rig } from './rig.js';
import type { Rig } from './rig.js';

describe('runs', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig({ maxConcurrentRuns: 2 });
    own.server.registerTool({ name: 'waits', description: '', inputSchema: {}, outputSchema: {} });
  });
  afterAll(() => own.stop());

  it('start with the id and thread that the client gives', async () => {
    const client = await own.join();
    const fired = event(own.server, 'runStarted');
    const payload = { run_id: 'r1', thread_id: 't1', metadata: { why: 'because' } };
    await client.send('RUN_STARTED', 'SYSTEM', payload);
    expect(await fired).toEqual([
      client.session,
      {
        runId: 'r1',
        threadId: 't1',
        status: 'active',
        startTime: expect.any(Number),
        metadata: { why: 'because' },
      },
    ]);
    expect(await client.next('RUN_STARTED')).toMatchObject({
      run_id: 'r1',
      payload: { run_id: 'r1', thread_id: 't1' },
    });
    expect(own.server.getSession(client.session)?.activeRuns).toEqual(new Set(['r1']));
  });

  it('get an id where the client gives none', async () => {
    const client = await own.join();
    await client.send('RUN_STARTED', 'SYSTEM', {});
    expect((await client.next('RUN_STARTED')).payload['run_id']).toEqual(expect.any(String));
  });

  it.each([
    [undefined, 'finished', 'OK'],
    ['OK', 'finished', 'OK'],
    ['ERROR', 'error', 'ERROR'],
  ])('finish with status %s as %s', async (status, expected, answer) => {
    const client = await own.join();
    const fired = event(own.server, 'runFinished');
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    const summary = { lines: 3 };
    await client.send('RUN_FINISHED', 'SYSTEM', {
      run_id: 'r',
      summary,
      ...(status === undefined ? {} : { status }),
    });
    const [sessionId, run] = await fired;
    expect(sessionId).toBe(client.session);
    expect(run).toMatchObject({ status: expected, summary, endTime: expect.any(Number) });
    expect((await client.next('RUN_FINISHED')).payload).toEqual({ run_id: 'r', status: answer });
    expect(own.server.getSession(client.session)?.activeRuns.size).toBe(0);
  });

  it('are cancelled, with the calls that belong to them', async () => {
    const client = await own.join();
    const fired = event(own.server, 'runCancelled');
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    const waits = (call_id: string) => ({ call_id, tool: 'waits', params: {} });
    await client.send('TOOL_CALL', 'AGENT', waits('its own'), { run_id: 'r' });
    await client.send('TOOL_CALL', 'AGENT', waits('other'));
    await client.send('RUN_CANCEL', 'SYSTEM', { run_id: 'r' });
    expect((await fired)[1]).toMatchObject({ runId: 'r', status: 'cancelled' });
    expect((await client.next('TOOL_DONE')).payload).toEqual({
      call_id: 'its own',
      status: 'CANCELLED',
    });
    expect((await client.next('RUN_FINISHED')).payload['status']).toBe('CANCELLED');
    await client.send('TOOL_CANCEL', 'AGENT', { call_id: 'other' });
    expect((await client.next('TOOL_DONE')).payload['call_id']).toBe('other');
  });

  it('that the client reports as cancelled fire runCancelled', async () => {
    const client = await own.join();
    const fired = event(own.server, 'runCancelled');
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await client.send('RUN_FINISHED', 'SYSTEM', { run_id: 'r', status: 'CANCELLED' });
    expect((await fired)[1].status).toBe('cancelled');
  });

  it('fail with what the client says about it', async () => {
    const client = await own.join();
    const fired = event(own.server, 'runFinished');
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await client.send('RUN_ERROR', 'SYSTEM', { run_id: 'r', code: 'X', message: 'broke' });
    expect((await fired)[1]).toMatchObject({
      status: 'error',
      error: { code: 'X', message: 'broke' },
    });
  });

  it('take their id from the envelope where the payload has none', async () => {
    const client = await own.join();
    await client.send('RUN_STARTED', 'SYSTEM', {}, { run_id: 'r', thread_id: 't' });
    expect((await client.next('RUN_STARTED')).payload).toEqual({ run_id: 'r', thread_id: 't' });
    await client.send('RUN_FINISHED', 'SYSTEM', {}, { run_id: 'r' });
    expect((await client.next('RUN_FINISHED')).payload['run_id']).toBe('r');
  });

  it.each([
    ['RUN_FINISHED', {}],
    ['RUN_CANCEL', {}],
    ['RUN_ERROR', { code: 'X', message: 'broke' }],
  ] as const)('are MISSING_RUN_ID for %s without one', async (type, payload) => {
    const client = await own.join();
    await client.send(type, 'SYSTEM', payload);
    expect(codeOf(await client.next('ERROR'))).toBe('MISSING_RUN_ID');
  });

  it.each([
    ['RUN_FINISHED', {}],
    ['RUN_CANCEL', {}],
    ['RUN_ERROR', { code: 'X', message: 'broke' }],
  ] as const)('are RUN_NOT_FOUND for %s of another', async (type, payload) => {
    const [ada, eve] = [await own.join(), await own.join()];
    await ada.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await ada.next('RUN_STARTED');
    await eve.send(type, 'SYSTEM', { ...payload, run_id: 'r' });
    expect(codeOf(await eve.next('ERROR'))).toBe('RUN_NOT_FOUND');
    expect(own.server.getSession(ada.session)?.activeRuns).toEqual(new Set(['r']));
  });

  it('are RUN_NOT_FOUND once they have ended', async () => {
    const client = await own.join();
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await client.send('RUN_FINISHED', 'SYSTEM', { run_id: 'r' });
    await client.send('RUN_FINISHED', 'SYSTEM', { run_id: 'r' });
    expect(codeOf(await client.next('ERROR'))).toBe('RUN_NOT_FOUND');
  });

  it('are MAX_RUNS_EXCEEDED beyond the limit, until one ends', async () => {
    const client = await own.join();
    for (const run_id of ['1', '2', '3']) await client.send('RUN_STARTED', 'SYSTEM', { run_id });
    expect(codeOf(await client.next('ERROR'))).toBe('MAX_RUNS_EXCEEDED');
    await client.send('RUN_FINISHED', 'SYSTEM', { run_id: '1' });
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: '3' });
    await client.next('RUN_STARTED', ({ payload }) => payload['run_id'] === '3');
  });

  it('have ids of their own', async () => {
    const client = await own.join();
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await client.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });
});
