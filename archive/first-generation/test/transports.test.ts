import { event, rig, say, TRANSPORTS } from './rig.js';
import type { Rig } from './rig.js';

describe.each(TRANSPORTS)('over %s', (transport) => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig();
    own.server.registerTool({
      name: 'add',
      description: 'Adds two numbers',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      outputSchema: { type: 'number' },
      execute: async ({ a, b }, sessionId, callId, server) => {
        server.sendToolUpdate(sessionId, callId, 'RUNNING', 0.5);
        return a + b;
      },
    });
  });
  afterAll(() => own.stop());

  it('speaks first, and fires connect and handshake', async () => {
    const connected = event(own.server, 'connect');
    const shaken = event(own.server, 'handshake');
    const client = await own.join(transport);
    const hai = client.heard[0]!;
    expect(hai).toMatchObject({ type: 'HAI', channel: 'SYSTEM', seq: '1' });
    expect(hai.payload).toMatchObject({
      proto_version: '1.1.2',
      accept_major: [1],
      accept_events: expect.arrayContaining(['TOOL_CALL', 'ERROR']),
      capabilities: {
        binary_frames: transport === 'websocket',
        flow_control: { initial_credit_messages: 1000, initial_credit_bytes: 1_048_576 },
        max_concurrent_runs: 10,
        signed_envelopes: false,
      },
    });
    expect(await connected).toEqual([client.session]);
    expect(await shaken).toEqual([
      client.session,
      expect.objectContaining({ proto_version: '1.1.2' }),
    ]);
  });

  it('takes text of the client and sends text of the server', async () => {
    const client = await own.join(transport);
    const heard = event(own.server, 'textMessage');
    await say(client, 'good day');
    const [sessionId, message] = await heard;
    expect(sessionId).toBe(client.session);
    expect(message.payload).toEqual({ message_id: 'm', text: 'good day' });
    own.server.sendMessage(client.session, {
      type: 'TEXT_MESSAGE_START',
      channel: 'USER',
      payload: { message_id: 'n', text: 'and to you\nand yours' },
    });
    const answer = await client.next('TEXT_MESSAGE_START');
    expect(answer).toMatchObject({ session: client.session, ack: '2' });
    expect(answer.payload['text']).toBe('and to you\nand yours');
  });

  it('runs a tool and says how far it is', async () => {
    const client = await own.join(transport);
    await client.send('TOOL_CALL', 'AGENT', {
      call_id: 'c1',
      tool: 'add',
      params: { a: 2, b: 3 },
    });
    expect((await client.next('TOOL_UPDATE')).payload).toEqual({
      call_id: 'c1',
      status: 'RUNNING',
      progress: 0.5,
    });
    expect((await client.next('TOOL_DONE')).payload).toEqual({
      call_id: 'c1',
      status: 'OK',
      result: 5,
    });
  });

  it('resumes after what the client has seen', async () => {
    const token = await own.token(`resuming-${transport}`);
    const first = await own.join(transport, { token });
    const { session } = first;
    own.server.sendMessage(session, text('one'));
    await first.next('TEXT_MESSAGE_START');
    const lost = event(own.server, 'disconnect');
    const { lastSeq } = first;
    first.close();
    await lost;
    own.server.sendMessage(session, text('two'));
    own.server.sendMessage(session, text('three'));

    const second = await own.open({ transport, token });
    await second.handshake({ last_rx_seq: lastSeq }, { session });
    const two = await second.next('TEXT_MESSAGE_START');
    const three = await second.next('TEXT_MESSAGE_START');
    expect([two, three].map(({ payload }) => payload['text'])).toEqual(['two', 'three']);
    expect([two.session, three.session]).toEqual([session, session]);
    expect(Number(three.seq)).toBe(Number(lastSeq) + 2);
    own.server.sendMessage(session, text('four'));
    expect(Number((await second.next('TEXT_MESSAGE_START')).seq)).toBe(Number(lastSeq) + 3);
  });

  it('fires disconnect when the client goes', async () => {
    const client = await own.join(transport);
    const lost = event(own.server, 'disconnect');
    const { session } = client;
    client.close();
    expect(await lost).toEqual([session]);
    expect(own.server.getSession(session)).toMatchObject({ connected: false });
  });

  it('answers a heartbeat of the client', async () => {
    const client = await own.join(transport);
    await client.send('PING', 'SYSTEM', { nonce: 'n1' });
    expect((await client.next('PONG')).payload).toEqual({ nonce: 'n1' });
  });

  it('keeps going after a malformed message, whose code it tells', async () => {
    const client = await own.join(transport);
    const status = await client.sendRaw(
      JSON.stringify({ session: client.session, type: 'PING', payload: {} }),
    );
    if (transport !== 'websocket') expect(status).toBe(400);
    expect((await client.next('ERROR')).payload['code']).toBe('INVALID_MESSAGE');
    await client.send('PING', 'SYSTEM', { nonce: 'n2' });
    expect((await client.next('PONG')).payload).toEqual({ nonce: 'n2' });
  });

  it('names the transport in the session', async () => {
    const client = await own.join(transport);
    const handle = { websocket: 'ws', sse: 'sseResponse', http: 'httpResponse' } as const;
    const session = own.server.getSession(client.session)!;
    expect(session[handle[transport]]).toBeDefined();
    expect(session).toMatchObject({ userId: 'ada', connected: true, handshakeCompleted: true });
  });
});

function text(words: string) {
  return {
    type: 'TEXT_MESSAGE_START',
    channel: 'USER',
    payload: { message_id: words, text: words },
  } as const;
}
