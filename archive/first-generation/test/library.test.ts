import { Server } from '@countersign/first-generation';
import { request } from 'undici';
import { event, rig, say, SECRET, until } from './rig.js';
import type { Rig } from './rig.js';

const TOOL = { name: 't', description: 'd', inputSchema: {}, outputSchema: {} };
const HELLO = {
  type: 'TEXT_MESSAGE_START',
  channel: 'USER',
  payload: { message_id: 'm' },
} as const;

describe('the class', () => {
  let own: Rig | undefined;
  afterEach(async () => {
    await own?.stop();
    own = undefined;
  });

  it('fires started and stopped', async () => {
    const server = new Server(
      { port: 0, host: '127.0.0.1', jwtSecret: SECRET },
      { variables: {}, write: () => undefined },
    );
    const started = event(server, 'started');
    await server.start();
    await started;
    expect(server.port).toBeGreaterThan(0);
    const stopped = event(server, 'stopped');
    await server.stop();
    await stopped;
    expect(server.port).toBe(0);
    await server.stop();
    await server.start();
    await server.stop();
  });

  it('closes every connection when it stops', async () => {
    own = await rig();
    const clients = [await own.join('websocket'), await own.join('sse'), await own.join('http')];
    await own.server.stop();
    await Promise.all(clients.map(({ ended }) => ended));
    expect((await clients[0]!.ended).code).toBe(1001);
    expect(own.server.getSession(clients[0]!.session)).toBeUndefined();
    await expect(request(`${own.url}/health`)).rejects.toThrow();
  });

  it('registers, lists and unregisters tools', async () => {
    own = await rig();
    own.server.registerTool(TOOL);
    expect(own.server.getTools()).toEqual([TOOL]);
    own.server.unregisterTool('t');
    expect(own.server.getTools()).toEqual([]);
  });

  it('broadcasts to everybody who is connected', async () => {
    own = await rig();
    const clients = [await own.join('websocket'), await own.join('sse'), await own.join('http')];
    own.server.broadcast(HELLO);
    const heard = await Promise.all(clients.map((client) => client.next('TEXT_MESSAGE_START')));
    expect(heard.map(({ session }) => session)).toEqual(clients.map(({ session }) => session));
  });

  it('sends to one session and to nobody else', async () => {
    own = await rig();
    const [ada, eve] = [await own.join(), await own.join()];
    own.server.sendMessage(ada.session, HELLO);
    own.server.sendMessage('nobody', HELLO);
    await ada.next('TEXT_MESSAGE_START');
    await eve.send('PING', 'SYSTEM', {});
    await eve.next('PONG');
    expect(eve.heard.some(({ type }) => type === 'TEXT_MESSAGE_START')).toBe(false);
  });

  it('says what a tool has come to, also for calls that it never saw', async () => {
    own = await rig();
    const client = await own.join();
    own.server.sendToolUpdate(client.session, 'c', 'RUNNING', 0.5);
    own.server.sendToolDone(client.session, 'c', 'OK', { a: 1 });
    expect(await client.next('TOOL_UPDATE')).toMatchObject({
      channel: 'AGENT',
      payload: { call_id: 'c', status: 'RUNNING', progress: 0.5 },
    });
    expect(await client.next('TOOL_DONE')).toMatchObject({
      channel: 'AGENT',
      payload: { call_id: 'c', status: 'OK', result: { a: 1 } },
    });
    expect(() => own?.server.sendToolDone(client.session, 'c', 'FINE')).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE' }),
    );
  });

  it('does not send what is no message of the wire', async () => {
    own = await rig();
    const client = await own.join();
    const wrong = { ...HELLO, type: 'HELLO' } as never;
    expect(() => own?.server.sendMessage(client.session, wrong)).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE' }),
    );
  });

  it('closes the WebSockets alone with closeAllConnections', async () => {
    own = await rig();
    const [socket, stream] = [await own.join('websocket'), await own.join('sse')];
    own.server.closeAllConnections();
    expect((await socket.ended).code).toBe(1000);
    own.server.broadcast(HELLO);
    await stream.next('TEXT_MESSAGE_START');
  });

  it('tells its statistics, also over HTTP', async () => {
    own = await rig({ heartbeatInterval: 30, heartbeatTimeout: 5000 });
    const client = await own.join();
    await say(client, 'x');
    await client.sendRaw('nonsense');
    await client.next('ERROR');
    const ping = await client.next('PING');
    await client.send('PONG', 'SYSTEM', { nonce: ping.payload['nonce'] });
    await until(() => (own?.server.getStats().totalMessages ?? 0) >= 4);
    const stats = own.server.getStats();
    expect(stats).toMatchObject({ totalConnections: 1, activeConnections: 1, totalMessages: 4 });
    expect(stats.errorRate).toBe(0.25);
    expect(stats.messagesPerSecond).toBeGreaterThan(0);
    expect(stats.uptime).toBeGreaterThan(0);
    const { body, headers } = await request(`${own.url}/stats`);
    expect(headers['content-type']).toBe('application/json');
    expect(Object.keys((await body.json()) as object).sort()).toEqual(Object.keys(stats).sort());
    client.close();
    await until(() => own?.server.getStats().activeConnections === 0);
  });

  it('says that it is well, over HTTP', async () => {
    own = await rig();
    await own.join();
    const { statusCode, body } = await request(`${own.url}/health`);
    expect(statusCode).toBe(200);
    expect(await body.json()).toEqual({
      status: 'ok',
      uptime: expect.any(Number),
      activeConnections: 1,
      totalConnections: 1,
    });
  });

  it('outlives listeners that throw or reject', async () => {
    own = await rig();
    const errors: Error[] = [];
    own.server.on('error', (error) => errors.push(error));
    own.server.once('textMessage', () => {
      throw new Error('thrown');
    });
    const rejects = (): unknown => Promise.reject(new Error('rejected'));
    own.server.once('handshake', () => rejects());
    const client = await own.join();
    await say(client, 'x');
    await until(() => errors.length === 2);
    expect(errors.map(({ message }) => message).sort()).toEqual(['rejected', 'thrown']);
    await client.send('PING', 'SYSTEM', {});
    await client.next('PONG');
    expect(client.heard.some(({ type }) => type === 'ERROR')).toBe(false);
  });

  it.each([
    ['without a secret', {}, {}],
    ['with an unreadable lifetime', { jwtSecret: SECRET, jwtExpiresIn: 'soon' }, {}],
    ['in production', { jwtSecret: SECRET }, { NODE_ENV: 'production' }],
  ])('does not start %s', async (_what, options, variables) => {
    const server = new Server({ port: 0, ...options }, { variables, write: () => undefined });
    await expect(server.start()).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  it('says when its port is taken, and may try again', async () => {
    own = await rig();
    const second = new Server(
      { port: own.server.port, host: '127.0.0.1', jwtSecret: SECRET },
      { variables: {}, write: () => undefined },
    );
    await expect(second.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(second.port).toBe(0);
    await second.stop();
  });

  it('says archived and unsupported when it starts', async () => {
    own = await rig({ enableLogging: false });
    expect(own.log()).toMatch(/archived and unsupported/i);
    expect(own.log().trim().split('\n')).toHaveLength(1);
  });
});
