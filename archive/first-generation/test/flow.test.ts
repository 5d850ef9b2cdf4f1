import { connect } from 'node:net';
import { codeOf, event, rig, say, until } from './rig.js';
import type { Rig } from './rig.js';

const text = (words: string) =>
  ({
    type: 'TEXT_MESSAGE_PART',
    channel: 'USER',
    payload: { message_id: 'm', text: words },
  }) as const;

describe('flow control', () => {
  let own: Rig | undefined;
  afterEach(() => own?.stop());

  it('refuses what overdraws the messages of a channel, and no other channel', async () => {
    own = await rig({ flowControl: { initialCreditMessages: 3, minCredits: 1 } });
    const client = await own.join();
    const texts: unknown[] = [];
    own.server.on('textMessage', (_session, { payload }) => texts.push(payload['text']));
    await Promise.all(['1', '2', '3', '4'].map((each) => say(client, each)));
    expect((await client.next('ERROR')).payload).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      detail: { channel: 'USER' },
    });
    expect(texts).toEqual(['1', '2', '3']);
    await client.send('TOOL_CALL', 'AGENT', { call_id: 'c', tool: 'none' });
    await client.next('ERROR', (message) => codeOf(message) === 'TOOL_NOT_FOUND');
  });

  it('refuses what overdraws the bytes, audio frames included', async () => {
    own = await rig({ flowControl: { initialCreditBytes: 2000 } });
    const client = await own.join();
    await client.send(
      'AUDIO_CHUNK',
      'AUDIO_IN',
      { message_id: 'a', mime: 'audio/ogg' },
      { bin_len: 3000 },
    );
    expect(codeOf(await client.next('ERROR'))).toBe('INSUFFICIENT_CREDITS');
  });

  it('gives new credits as they are used, more to a busy client', async () => {
    own = await rig({
      flowControl: { initialCreditMessages: 5, minCredits: 1, creditThreshold: 1 },
    });
    const client = await own.join();
    for (let count = 0; count < 4; count += 1) await say(client, 'x');
    const update = await client.next('FLOW_UPDATE');
    expect(update).toMatchObject({ channel: 'SYSTEM', payload: { channel: 'USER' } });
    expect(update.payload['add_messages']).toBe(9);
    for (let count = 0; count < 9; count += 1) await say(client, 'x');
    await client.next('FLOW_UPDATE');
    expect(client.heard.some(({ type }) => type === 'ERROR')).toBe(false);
  });

  it('keeps what the client has no credits for, in order, until it gives some', async () => {
    own = await rig();
    const client = await own.open();
    await client.handshake({
      capabilities: {
        flow_control: { initial_credit_messages: 1, initial_credit_bytes: 10_000 },
      },
    });
    const { server } = own;
    await until(() => server.getSession(client.session)?.handshakeCompleted === true);
    for (const words of ['1', '2', '3']) server.sendMessage(client.session, text(words));
    const session = server.getSession(client.session)!;
    expect(session.credits.get('USER')).toBe(0);
    expect(session.pendingMessages.size).toBe(2);
    await client.send('FLOW_UPDATE', 'SYSTEM', { channel: 'USER', add_messages: 1 });
    await client.next('TEXT_MESSAGE_PART');
    expect((await client.next('TEXT_MESSAGE_PART')).payload['text']).toBe('2');
    expect(session.pendingMessages.size).toBe(1);
    await client.send('FLOW_UPDATE', 'SYSTEM', { channel: 'USER', add_messages: 5 });
    const third = await client.next('TEXT_MESSAGE_PART');
    expect(third.payload['text']).toBe('3');
    expect(session.credits.get('USER')).toBe(4);
    const seqs = client.heard.map(({ seq }) => Number(seq));
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
  });

  it('keeps what the client has no byte credits for', async () => {
    own = await rig();
    const { server } = own;
    const client = await own.join();
    const session = server.getSession(client.session)!;
    session.byteCredits.set('USER', 10);
    server.sendMessage(client.session, text('long enough'));
    expect(session.pendingMessages.size).toBe(1);
    await client.send('FLOW_UPDATE', 'SYSTEM', { channel: 'USER', add_bytes: 1000 });
    await client.next('TEXT_MESSAGE_PART');
  });

  it('lets no small message overtake a large one of its channel', async () => {
    own = await rig();
    const { server } = own;
    const client = await own.join();
    server.getSession(client.session)?.byteCredits.set('USER', 600);
    server.sendMessage(client.session, text('large'.repeat(200)));
    server.sendMessage(client.session, text('small'));
    expect(server.getSession(client.session)?.pendingMessages.size).toBe(2);
    await client.send('FLOW_UPDATE', 'SYSTEM', { channel: 'USER', add_bytes: 10_000 });
    await client.next('TEXT_MESSAGE_PART');
    expect((await client.next('TEXT_MESSAGE_PART')).payload['text']).toBe('small');
  });

  it('never holds more credits than the most', async () => {
    own = await rig({ flowControl: { maxCredits: 1200 } });
    const client = await own.join();
    await client.send('FLOW_UPDATE', 'SYSTEM', { channel: 'USER', add_messages: 1e9 });
    await event(own.server, 'message');
    expect(own.server.getSession(client.session)?.credits.get('USER')).toBe(1200);
  });

  it('keeps what goes on a paused channel until it is resumed', async () => {
    own = await rig();
    const { server } = own;
    const client = await own.join();
    await client.send('PAUSE_CHANNEL', 'SYSTEM', { channel: 'USER' });
    await event(server, 'message');
    const session = server.getSession(client.session)!;
    expect(session.pausedChannels).toEqual(new Set(['USER']));
    server.sendMessage(client.session, text('kept'));
    server.sendMessage(client.session, { ...text('other'), channel: 'AGENT' });
    expect((await client.next('TEXT_MESSAGE_PART')).payload['text']).toBe('other');
    await client.send('RESUME_CHANNEL', 'SYSTEM', { channel: 'USER' });
    expect((await client.next('TEXT_MESSAGE_PART')).payload['text']).toBe('kept');
  });

  it('refuses content on a channel that the client itself has paused', async () => {
    own = await rig();
    const client = await own.join();
    await client.send('PAUSE_CHANNEL', 'SYSTEM', { channel: 'USER' });
    await say(client, 'and yet');
    expect(codeOf(await client.next('ERROR'))).toBe('CHANNEL_PAUSED');
    await client.send('RESUME_CHANNEL', 'SYSTEM', { channel: 'USER' });
    const heard = event(own.server, 'textMessage');
    await say(client, 'now');
    await heard;
  });

  it('takes no content on SYSTEM, where there are no credits to spend', async () => {
    own = await rig();
    const client = await own.join();
    await client.send('TEXT_MESSAGE_END', 'SYSTEM', { message_id: 'm' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });

  it('may be switched off', async () => {
    own = await rig({ flowControl: { enabled: false, initialCreditMessages: 1 } });
    const client = await own.join();
    let count = 0;
    own.server.on('textMessage', () => (count += 1));
    for (let each = 0; each < 50; each += 1) await say(client, 'x');
    await until(() => count === 50);
    for (let each = 0; each < 50; each += 1) own.server.sendMessage(client.session, text('x'));
    await until(
      () => client.heard.filter(({ type }) => type === 'TEXT_MESSAGE_PART').length === 50,
    );
  });

  it('pauses a client that reads too slowly, and closes it when it goes on like this', async () => {
    own = await rig({
      maxBufferedBytes: 400_000,
      enableCompression: false,
      flowControl: {
        backPressureThreshold: 0.2,
        initialCreditBytes: 1e9,
        initialCreditMessages: 1e6,
      },
    });
    const { server } = own;
    const quick = await own.join();
    const slow = await deaf(own);
    const lost = event(server, 'disconnect');
    // The kernel takes some megabytes before anything is kept here.
    while (server.getSession(slow.session)?.connected === true) {
      server.sendMessage(slow.session, text('x'.repeat(50_000)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await lost).toEqual([slow.session]);
    slow.socket.destroy();
    server.sendMessage(quick.session, text('still here'));
    expect((await quick.next('TEXT_MESSAGE_PART')).payload['text']).toBe('still here');
    expect(own.log()).toContain('slow consumer');
  });

  it('closes a client that does not read what needs no credits either', async () => {
    own = await rig({ maxBufferedBytes: 400_000, enableCompression: false });
    const { server } = own;
    const slow = await deaf(own);
    const schema = { tool: 't', schema: 'x'.repeat(50_000) };
    for (let sent = 0; server.getSession(slow.session)?.connected === true; sent += 1) {
      server.sendMessage(slow.session, { type: 'TOOL_SCHEMA', channel: 'SYSTEM', payload: schema });
      // Far more than the kernel and the limit take together.
      expect(sent).toBeLessThan(2000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    slow.socket.destroy();
  });

  it('says PAUSE_CHANNEL under pressure and RESUME_CHANNEL after it', async () => {
    own = await rig({
      maxBufferedBytes: 3_000_000,
      enableCompression: false,
      flowControl: {
        backPressureThreshold: 0.1,
        initialCreditBytes: 1e9,
        initialCreditMessages: 1e6,
      },
    });
    const { server } = own;
    const client = await own.join();
    const session = server.getSession(client.session)!;
    // Held back by the test, as a stalled network would.
    const real = Object.getOwnPropertyDescriptor(
      Object.getPrototypeOf(session.ws),
      'bufferedAmount',
    )!;
    Object.defineProperty(session.ws, 'bufferedAmount', {
      get: () => 1_000_000,
      configurable: true,
    });
    const paused = await client.next(
      'PAUSE_CHANNEL',
      ({ payload }) => payload['channel'] === 'USER',
    );
    expect(paused.channel).toBe('SYSTEM');
    await say(client, 'on and on');
    expect(codeOf(await client.next('ERROR'))).toBe('CHANNEL_PAUSED');
    server.sendMessage(client.session, text('held back'));
    expect(session.pendingMessages.size).toBe(1);
    Object.defineProperty(session.ws, 'bufferedAmount', real);
    await client.next('RESUME_CHANNEL', ({ payload }) => payload['channel'] === 'USER');
    expect((await client.next('TEXT_MESSAGE_PART')).payload['text']).toBe('held back');
    const heard = event(server, 'textMessage');
    await say(client, 'again');
    await heard;
  });

  it('throttles a flood, tells its code, and nobody else notices', async () => {
    own = await rig({ flowControl: { initialCreditMessages: 50, minCredits: 10, maxCredits: 60 } });
    const [flood, calm] = [await own.join(), await own.join()];
    own.server.on('textMessage', (sessionId, { payload }) => {
      if (payload['text'] === 'calm') own?.server.sendMessage(sessionId, text('heard'));
    });
    const held = until(() => own?.server.getSession(flood.session)?.ws?.isPaused === true);
    for (let count = 0; count < 3000; count += 1) void say(flood, 'flood');
    await held;
    for (let count = 0; count < 5; count += 1) {
      await say(calm, 'calm');
      await calm.next('TEXT_MESSAGE_PART');
    }
    expect(codeOf(await flood.next('ERROR'))).toBe('INSUFFICIENT_CREDITS');
    expect(calm.heard.some(({ type }) => type === 'ERROR')).toBe(false);
    expect(own.server.getSession(calm.session)?.connected).toBe(true);
  });
});

/** A WebSocket that shakes hands and never reads again. */
async function deaf(own: Rig) {
  const connected = event(own.server, 'connect');
  const token = await own.token('deaf');
  const socket = connect(own.server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    [
      `GET /proto/websocket?token=${token} HTTP/1.1`,
      'Host: localhost',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
      '',
      '',
    ].join('\r\n'),
  );
  const [session] = await connected;
  return { session, socket };
}
