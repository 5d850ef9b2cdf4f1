import { issueToken } from '@countersign/first-generation';
import { request } from 'undici';
import { codeOf, event, rig, say, SECRET, TRANSPORTS, until } from './rig.js';
import type { Rig } from './rig.js';

describe('tokens', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig({ heartbeatInterval: 100 });
  });
  afterAll(() => own.stop());

  const forged = () =>
    issueToken(
      'ada',
      { secret: 'somebody else’s secret, long enough', expiresIn: '1h' },
      Date.now(),
    );
  const expired = () => issueToken('ada', { secret: SECRET, expiresIn: '1s' }, Date.now() - 10_000);

  it.each([
    ['MISSING_TOKEN', async () => ''],
    ['INVALID_TOKEN', forged],
    ['INVALID_TOKEN', expired],
  ])('are %s over a WebSocket, which is closed', async (code, make) => {
    const client = await own.open({ token: await make() });
    expect(codeOf(await client.next('ERROR'))).toBe(code);
    expect(await client.ended).toEqual({ code: 1008, reason: code });
    expect(client.heard).toHaveLength(1);
  });

  it.each([
    ['MISSING_TOKEN', async () => ''],
    ['INVALID_TOKEN', forged],
    ['INVALID_TOKEN', expired],
  ])('are %s over SSE and HTTP, with 401', async (code, make) => {
    const token = await make();
    const events = await request(`${own.url}/proto/sse?token=${token}`);
    const stream = await request(`${own.url}/proto/stream`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: '{}',
    });
    for (const { statusCode, body } of [events, stream]) {
      expect(statusCode).toBe(401);
      expect(await body.json()).toMatchObject({ type: 'ERROR', payload: { code } });
    }
  });

  it('of the query are no good for a POST', async () => {
    const { statusCode, body } = await request(
      `${own.url}/proto/stream?token=${await own.token()}`,
      { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
    );
    expect(statusCode).toBe(401);
    expect(codeOf((await body.json()) as never)).toBe('MISSING_TOKEN');
  });

  it('end their connection when they end, over every transport', async () => {
    await Promise.all(
      TRANSPORTS.map(async (transport) => {
        const rules = { secret: SECRET, expiresIn: '3s' };
        const token = await issueToken(`short-${transport}`, rules, Date.now());
        const client = await own.join(transport, { token });
        expect(codeOf(await client.next('ERROR'))).toBe('INVALID_TOKEN');
        await client.ended;
      }),
    );
  });

  it('and the secret are in no line of the log', async () => {
    const token = await own.token('a private name');
    for (const transport of TRANSPORTS) {
      const client = await own.join(transport, { token });
      await say(client, 'a private word');
      await client.sendRaw(`nonsense ${token}`);
      await client.next('ERROR');
      client.close();
    }
    await until(() => own.server.getStats().activeConnections === 0);
    const log = own.log();
    expect(log).toContain('"event":"connect"');
    for (const secret of [SECRET, token, token.split('.')[2]!, 'a private', 'token=']) {
      expect(log).not.toContain(secret);
    }
    expect(JSON.stringify(own.server.getConfig())).not.toContain(SECRET);
  });
});

describe('sessions', () => {
  let own: Rig;
  beforeAll(async () => {
    own = await rig();
  });
  afterAll(() => own.stop());

  it.each(['sse', 'http'] as const)('of %s take no posts of another user', async (transport) => {
    const ada = await own.join(transport, { token: await own.token('ada') });
    const post = async (user: string) =>
      request(`${own.url}/proto/stream`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${await own.token(user)}`,
        },
        body: JSON.stringify({
          id: 'i',
          session: ada.session,
          seq: '77',
          ts: 't',
          channel: 'USER',
          type: 'TEXT_MESSAGE_END',
          payload: { message_id: user },
        }),
      });
    const heard: unknown[] = [];
    own.server.on('textMessage', (_session, { payload }) => heard.push(payload['message_id']));
    const refused = await post('eve');
    expect(refused.statusCode).toBe(400);
    expect(codeOf((await refused.body.json()) as never)).toBe('INVALID_MESSAGE');
    const taken = await post('ada');
    expect(taken.statusCode).toBe(202);
    await taken.body.dump();
    expect(heard).toEqual(['ada']);
  });

  it('begin with the handshake and nothing else', async () => {
    const client = await own.open();
    await client.next('HAI');
    await say(client, 'too early');
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
    await client.send('HAI', 'SYSTEM', { proto_version: '2.0.0', accept_major: [2] });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
    const shaken = event(own.server, 'handshake');
    await client.send('HAI', 'SYSTEM', { proto_version: '1.0.0', accept_major: [1, 2] });
    await shaken;
    await client.send('HAI', 'SYSTEM', { proto_version: '1.0.0' });
    expect(codeOf(await client.next('ERROR'))).toBe('INVALID_MESSAGE');
  });

  it('of others notice nothing of malformed messages and unknown types', async () => {
    const [bad, good] = [await own.join(), await own.join()];
    const before = good.heard.length;
    for (const raw of ['', '{', '[]', 'null', '{"id":1}', '['.repeat(50_000)]) {
      await bad.sendRaw(raw);
      expect(codeOf(await bad.next('ERROR'))).toBe('INVALID_MESSAGE');
    }
    await bad.send('NONSENSE' as never, 'SYSTEM', {});
    expect(codeOf(await bad.next('ERROR'))).toBe('UNSUPPORTED_TYPE');
    await good.send('PING', 'SYSTEM', {});
    await good.next('PONG');
    expect(good.heard.length).toBe(before + 1);
  });

  it('are not broken by what cannot be sent back', async () => {
    const echo = (sessionId: string, message: { payload: Record<string, unknown> }) =>
      own.server.sendMessage(sessionId, {
        type: 'TEXT_MESSAGE_START',
        channel: 'USER',
        payload: message.payload,
      });
    own.server.on('textMessage', echo);
    const client = await own.join();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    await client.sendRaw(
      `{"id":"d","session":"s","seq":"9","ts":"t","channel":"USER","type":"TEXT_MESSAGE_START","payload":{"message_id":"m","deep":${deep}}}`,
    );
    await client.send('PING', 'SYSTEM', {}, { seq: '10' });
    await client.next('PONG');
    own.server.off('textMessage', echo);
  });
});
