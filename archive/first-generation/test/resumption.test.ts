import type { Client } from '@countersign/first-generation/client';
import { codeOf, event, rig, say, until } from './rig.js';
import type { Rig } from './rig.js';

const text = (words: string) =>
  ({
    type: 'TEXT_MESSAGE_PART',
    channel: 'USER',
    payload: { message_id: 'm', text: words },
  }) as const;

describe('resumption', () => {
  let own: Rig;
  afterEach(() => own.stop());

  const wordsOf = (client: Client) =>
    client.heard
      .filter(({ type }) => type === 'TEXT_MESSAGE_PART')
      .map(({ payload }) => payload['text']);

  async function leave(client: Client): Promise<void> {
    const lost = event(own.server, 'disconnect');
    client.close();
    await lost;
  }

  /** Whatever has been sent before its answer has been heard as well. */
  async function settled(client: Client): Promise<void> {
    const nonce = `settled-${client.heard.length}`;
    await client.send('PING', 'SYSTEM', { nonce });
    await client.next('PONG', ({ payload }) => payload['nonce'] === nonce);
  }

  it('finds the only lost session of the user when the client has taken the new id', async () => {
    own = await rig();
    const first = await own.join();
    await leave(first);
    own.server.sendMessage(first.session, text('missed'));
    const second = await own.open();
    await second.handshake({ last_rx_seq: first.lastSeq });
    expect((await second.next('TEXT_MESSAGE_PART')).session).toBe(first.session);
    expect(second.session).toBe(first.session);
  });

  it('keeps both names of the session', async () => {
    own = await rig();
    const first = await own.join();
    await leave(first);
    const second = await own.open();
    const provisional = (await second.next('HAI')).session;
    await second.send('HAI', 'SYSTEM', { proto_version: '1.1.2', last_rx_seq: '1' });
    await event(own.server, 'handshake');
    expect(provisional).not.toBe(first.session);
    expect(own.server.getSession(provisional)).toBe(own.server.getSession(first.session));
    expect(own.server.getStats()).toMatchObject({ activeConnections: 1, totalConnections: 2 });
  });

  it('is not of the session of another user', async () => {
    own = await rig();
    const ada = await own.join('websocket', { token: await own.token('ada') });
    await leave(ada);
    own.server.sendMessage(ada.session, text('for ada'));
    const eve = await own.open({ token: await own.token('eve') });
    await eve.handshake({ last_rx_seq: '5' }, { session: ada.session });
    expect(codeOf(await eve.next('ERROR'))).toBe('INVALID_MESSAGE');
    await settled(eve);
    expect(wordsOf(eve)).toEqual([]);
    expect(eve.session).not.toBe(ada.session);
    expect(own.server.getSession(ada.session)?.connected).toBe(false);
  });

  it('takes a session over from a connection that nobody has missed yet', async () => {
    own = await rig();
    const first = await own.join();
    const second = await own.open();
    await second.handshake({ last_rx_seq: first.lastSeq }, { session: first.session });
    expect(await first.ended).toMatchObject({ code: 1000 });
    own.server.sendMessage(first.session, text('here now'));
    await second.next('TEXT_MESSAGE_PART');
    expect(own.server.getSession(first.session)).toMatchObject({ connected: true });
  });

  it('goes on with runs and calls', async () => {
    own = await rig();
    own.server.registerTool({ name: 'slow', description: '', inputSchema: {}, outputSchema: {} });
    const first = await own.join();
    await first.send('RUN_STARTED', 'SYSTEM', { run_id: 'r' });
    await first.send('TOOL_CALL', 'AGENT', { call_id: 'c', tool: 'slow' });
    await settled(first);
    await leave(first);
    own.server.sendToolDone(first.session, 'c', 'OK', 42);
    const second = await own.open();
    await second.handshake({ last_rx_seq: first.lastSeq }, { session: first.session });
    expect((await second.next('TOOL_DONE')).payload).toEqual({
      call_id: 'c',
      status: 'OK',
      result: 42,
    });
    await second.send('RUN_FINISHED', 'SYSTEM', { run_id: 'r' });
    expect((await second.next('RUN_FINISHED')).payload['run_id']).toBe('r');
  });

  it('also delivers what waited for credits when the connection went', async () => {
    own = await rig();
    const first = await own.join();
    own.server.getSession(first.session)?.credits.set('USER', 1);
    own.server.sendMessage(first.session, text('seen'));
    own.server.sendMessage(first.session, text('waited'));
    await first.next('TEXT_MESSAGE_PART');
    const { lastSeq } = first;
    await leave(first);
    const second = await own.open();
    await second.handshake({ last_rx_seq: lastSeq }, { session: first.session });
    expect((await second.next('TEXT_MESSAGE_PART')).payload['text']).toBe('waited');
  });

  it('gives what is left, and says INVALID_MESSAGE, when the window has moved on', async () => {
    own = await rig({ replayWindowSize: 2 });
    const first = await own.join();
    await leave(first);
    for (const words of ['1', '2', '3', '4']) own.server.sendMessage(first.session, text(words));
    const second = await own.open();
    await second.handshake({ last_rx_seq: '1' }, { session: first.session });
    const error = await second.next('ERROR');
    expect(error.payload).toMatchObject({ code: 'INVALID_MESSAGE', detail: { oldest_seq: '4' } });
    await settled(second);
    expect(wordsOf(second)).toEqual(['3', '4']);
  });

  it('is over when the time of the window is', async () => {
    own = await rig({ replayWindowTime: 20 });
    const first = await own.join();
    await leave(first);
    await until(() => own.server.getSession(first.session) === undefined);
    const second = await own.open();
    await second.handshake({ last_rx_seq: '7' }, { session: first.session });
    expect(codeOf(await second.next('ERROR'))).toBe('INVALID_MESSAGE');
    expect(second.session).not.toBe(first.session);
  });

  it('replays on request, both ends included, without what was only of the moment', async () => {
    own = await rig();
    const client = await own.join();
    for (const words of ['2', '3', '4']) own.server.sendMessage(client.session, text(words));
    await settled(client);
    await client.send('REPLAY_REQUEST', 'SYSTEM', { from_seq: '1', to_seq: '3' });
    await settled(client);
    expect(client.repeated.map(({ seq }) => seq)).toEqual(['2', '3']);
    await client.send('REPLAY_REQUEST', 'SYSTEM', { from_seq: '4' });
    await settled(client);
    expect(client.repeated.map(({ payload }) => payload['text'])).toEqual(['2', '3', '4']);
  });

  it('does not replay what has not been sent, nor backwards', async () => {
    own = await rig();
    const client = await own.join();
    await client.send('REPLAY_REQUEST', 'SYSTEM', { from_seq: '99' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
    await client.send('REPLAY_REQUEST', 'SYSTEM', { from_seq: '2', to_seq: '1' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });

  it('refuses a message whose sequence number was used', async () => {
    own = await rig();
    const client = await own.join();
    let heard = 0;
    own.server.on('textMessage', () => (heard += 1));
    await say(client, 'once', { seq: '10', id: 'first' });
    await say(client, 'twice', { seq: '10', id: 'second' });
    await say(client, 'older', { seq: '9', id: 'third' });
    const related = [await client.next('ERROR'), await client.next('ERROR')].map((error) => [
      codeOf(error),
      error.payload['related_id'],
    ]);
    expect(related).toEqual([
      ['INVALID_MESSAGE', 'second'],
      ['INVALID_MESSAGE', 'third'],
    ]);
    expect(heard).toBe(1);
  });

  it('notes what the client acknowledges, and nothing that was never sent', async () => {
    own = await rig();
    const client = await own.join();
    own.server.sendMessage(client.session, text('x'));
    const session = own.server.getSession(client.session)!;
    expect(session.lastDeliveredSeq).toBe('2');
    await client.send('PING', 'SYSTEM', {}, { ack: '2' });
    await client.next('PONG');
    expect(session.lastAck).toBe('2');
    await client.send('PING', 'SYSTEM', {}, { ack: '999' });
    await client.send('PING', 'SYSTEM', {}, { ack: '1' });
    await client.next('PONG');
    await client.next('PONG');
    expect(session.lastAck).toBe('2');
  });

  it('does not let one user drive the sessions of others out', async () => {
    own = await rig({ maxConnections: 3 });
    const ada = await own.join('websocket', { token: await own.token('ada') });
    await leave(ada);
    const token = await own.token('eve');
    for (let count = 0; count < 6; count += 1) {
      await leave(await own.join('websocket', { token }));
    }
    expect(own.server.getSession(ada.session)).toBeDefined();
  });
});
