import { connect } from 'node:net';
import { request } from 'undici';
import { codeOf, event, rig, say, TRANSPORTS } from './rig.js';
import type { Rig } from './rig.js';

const ORIGIN = 'https://old.example';

describe('limits', () => {
  let own: Rig;
  afterEach(() => own.stop());

  it.each(TRANSPORTS)('hold messages to their size over %s', async (transport) => {
    own = await rig({ maxMessageBytes: 1000 });
    const client = await own.join(transport);
    const status = await say(client, 'x'.repeat(1000));
    if (transport !== 'websocket') expect(status).toBeGreaterThanOrEqual(400);
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
    await client.send('PING', 'SYSTEM', {});
    await client.next('PONG');
  });

  it('close a WebSocket that sends far too much, unread', async () => {
    own = await rig({ maxMessageBytes: 1000 });
    const client = await own.join();
    await say(client, 'x'.repeat(100_000));
    expect((await client.ended).code).toBe(1009);
  });

  it('count what a compressed message comes to', async () => {
    own = await rig({ maxMessageBytes: 20_000 });
    const client = await own.join();
    await say(client, 'x'.repeat(5_000_000));
    expect((await client.ended).code).toBe(1009);
  });

  it('admit so many connections, and room again when one goes', async () => {
    own = await rig({ maxConnections: 2 });
    const [first] = [await own.join('websocket'), await own.join('sse')];
    const refused = await own.open();
    expect((await refused.ended).code).toBe(503);
    const events = await request(`${own.url}/proto/sse?token=${await own.token()}`);
    expect(events.statusCode).toBe(503);
    await events.body.dump();
    const lost = event(own.server, 'disconnect');
    first.close();
    await lost;
    await own.join('http');
  });

  it('end connections that do not shake hands', async () => {
    own = await rig({ heartbeatInterval: 40, heartbeatTimeout: 20 });
    const client = await own.open();
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
    expect((await client.ended).code).toBe(1008);
  });

  it.each(TRANSPORTS)('end connections whose heart stops, over %s', async (transport) => {
    own = await rig({ heartbeatInterval: 60, heartbeatTimeout: 40 });
    const client = await own.join(transport);
    expect((await client.next('PING')).payload['nonce']).toEqual(expect.any(String));
    const lost = event(own.server, 'disconnect');
    await client.ended;
    await lost;
  });

  it('keep connections whose heart beats', async () => {
    own = await rig({ heartbeatInterval: 60, heartbeatTimeout: 2000 });
    const client = await own.join();
    for (let beat = 0; beat < 4; beat += 1) {
      const { payload } = await client.next('PING');
      await client.send('PONG', 'SYSTEM', payload);
    }
    expect(own.server.getSession(client.session)?.connected).toBe(true);
    expect(own.server.getStats().averageLatency).toBeGreaterThanOrEqual(0);
  });

  it('survive an upgrade that breaks off', async () => {
    own = await rig();
    const socket = connect(own.server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET /proto/websocket?token=${await own.token()} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
    );
    socket.destroy();
    await own.join();
  });
});

describe('browsers', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig({ allowedOrigins: [ORIGIN] });
  });
  afterAll(() => own.stop());

  it('of another origin are refused on every transport', async () => {
    const headers = { Origin: 'https://evil.example' };
    expect((await (await own.open({ headers })).ended).code).toBe(403);
    const token = await own.token();
    const events = await request(`${own.url}/proto/sse?token=${token}`, { headers });
    expect(events.statusCode).toBe(403);
    await events.body.dump();
    const stream = await request(`${own.url}/proto/stream`, {
      method: 'POST',
      headers: { ...headers, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(stream.statusCode).toBe(403);
    await stream.body.dump();
  });

  it.each(TRANSPORTS)('of an allowed origin connect over %s', async (transport) => {
    const client = await own.join(transport, { headers: { Origin: ORIGIN } });
    await client.send('PING', 'SYSTEM', {});
    await client.next('PONG');
  });

  it('are told by name what they may read', async () => {
    const asked = await request(`${own.url}/proto/stream`, {
      method: 'OPTIONS',
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' },
    });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe(ORIGIN);
    const other = await request(`${own.url}/stats`, { headers: { Origin: 'https://b.example' } });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
    await other.body.dump();
  });
});

describe('requests', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig();
  });
  afterAll(() => own.stop());

  it('may bring more lines after the handshake', async () => {
    const line = (seq: string, type: string, channel: string, payload: object) =>
      `${JSON.stringify({ id: seq, session: 's', seq, ts: 't', channel, type, payload })}\n`;
    const heard = event(own.server, 'textMessage');
    const { statusCode, headers, body } = await request(`${own.url}/proto/stream`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await own.token()}` },
      body:
        line('1', 'HAI', 'SYSTEM', { proto_version: '1.1.2' }) +
        line('2', 'TEXT_MESSAGE_END', 'USER', { message_id: 'm' }),
    });
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect((await heard)[1].payload).toEqual({ message_id: 'm' });
    body.on('error', () => undefined);
    body.destroy();
  });

  it.each([
    ['GET', '/', 404],
    ['GET', '/proto/websocket', 404],
    ['GET', '//', 404],
    ['POST', '/health', 405],
    ['GET', '/proto/stream', 405],
    ['DELETE', '/proto/sse', 405],
  ] as const)('%s %s are %i', async (method, path, status) => {
    const { statusCode, body } = await request(`${own.url}${path}`, { method });
    expect(statusCode).toBe(status);
    await body.dump();
  });

  it.each([
    ['text/plain', '{}', 415],
    ['application/json', '', 400],
    ['application/json', 'nonsense', 400],
    ['application/json', '{"type":"PING"}', 400],
  ])('of %s %j are INVALID_MESSAGE with %i', async (type, body, status) => {
    const answer = await request(`${own.url}/proto/stream`, {
      method: 'POST',
      headers: { 'Content-Type': type, Authorization: `Bearer ${await own.token()}` },
      body,
    });
    expect(answer.statusCode).toBe(status);
    expect(codeOf((await answer.body.json()) as never)).toBe('INVALID_MESSAGE');
  });
});
