import { createHmac, generateKeyPairSync, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PostgresParcels, createPool } from '@countersign/database';
import { ASKED } from '@countersign/deploy';
import { connect } from '@nats-io/transport-node';
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import {
  createLogger,
  createMessageSealer,
  createMessageVerifier,
  createNatsBus,
  newMessageKey,
  readCallerKey,
  readCallerKeys,
  readMessageKeys,
} from '@countersign/platform';
import type { AskedService, Bus, BusHeaders, Caller } from '@countersign/platform';
import { testNats } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import type { Client } from '../support/client.js';
import { runCommand, startInstance, workersOnly } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { createMemoryParcels } from '../support/memory-parcels.js';
import { identityOf } from '../support/people.js';
import { reviewInput, until } from '../support/requests.js';

const CONFIGURE = 'countersign.request.configure-principal';
const METRICS = 'countersign.ledger.metrics';
const TIME = 5000;

/** A message as an attacker on the bus sees it. */
interface Overheard {
  readonly subject: string;
  readonly headers: BusHeaders;
  readonly body: string;
}

/** The attacker receives and sends any message, may pack parcels, and has stolen the notifier's keys. */
describe('an attacker who reads and writes on the bus', () => {
  let instance: Instance;
  let operator: Client;
  let producer: Client;
  let pool: ReturnType<typeof createPool>;
  let wire: NatsConnection;
  let bus: Bus;
  const keys = (name: string): string => join(instance.dataDirectory, 'keys', name);

  beforeAll(async () => {
    instance = await startInstance({ split: true, replicas: workersOnly('anchor') });
    operator = operatorOf(instance.demo);
    producer = producerOf(instance.demo);
    const { urls } = JSON.parse(readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8'));
    pool = createPool({ url: urls.DATABASE_URL, application: 'attacker', max: 2 });
    const parcels = new PostgresParcels(pool, () => pool);
    wire = await connect({ servers: urls.NATS_URL });
    bus = await createNatsBus({
      servers: [urls.NATS_URL],
      name: 'attacker',
      log: createLogger({ name: 'attacker', level: 'silent' }),
      parcels: {
        put: (body) => parcels.put(body, 'request'),
        take: (id) => parcels.take(id, 'gateway'),
      },
    });
  });
  afterAll(async () => {
    await bus?.close();
    await wire?.close();
    await pool?.end();
    await instance?.stop();
  });

  /** The message that `work` brings to that subject. */
  async function overhear(subject: string, work: () => Promise<unknown>): Promise<Overheard> {
    const heard: Overheard[] = [];
    const listening = wire.subscribe(subject, {
      callback: (_error, message) => {
        heard.push({ subject, headers: headersOf(message.headers), body: message.string() });
      },
    });
    await wire.flush();
    await work();
    await until(
      async () => heard.length,
      (many) => many > 0,
    );
    listening.unsubscribe();
    return heard[0] as Overheard;
  }

  /** The result of sending it again, with changes: the code of a refusal, or the status. */
  async function send(
    { subject, headers, body }: Overheard,
    changes: Partial<Omit<BusHeaders, 'timeoutMs'>> & { to?: string; text?: string } = {},
  ): Promise<string | number> {
    const { to = subject, text = body, ...others } = changes;
    try {
      return (await bus.call(to, { ...headers, ...others, timeoutMs: TIME }, text)).status;
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  const metrics = () => overhear(METRICS, () => operator.get('/v2/admin/metrics'));
  /** `request.configure-principal` by a person with every power. */
  const human = (id: string) => {
    const identity = { ...identityOf(instance.dataDirectory, 'owner-1'), oidc_subject: id };
    return { id, kind: 'human', config: { enabled: true, operator: true, ...identity } };
  };
  const mallory = () => ({ params: '{"id":"mallory"}', text: JSON.stringify(human('mallory')) });

  it('makes no operator of an operator’s token that went to another service', async () => {
    const heard = await metrics();
    expect(await send(heard, { to: CONFIGURE, ...mallory() })).toBe('unauthenticated');
    for (const to of [
      'countersign.request.list',
      'countersign.request.desk-principals',
      'countersign.request.preflight',
      'countersign.ledger.entries',
      'countersign.ledger.tree',
      'countersign.notifier.remind',
    ]) {
      expect([to, await send(heard, { to })]).toEqual([to, 'unauthenticated']);
    }
  });

  it('gets no second answer to a question', async () => {
    expect(await send(await metrics())).toBe('unauthenticated');
  });

  it('changes nothing in a message of an operator, and has it done once', async () => {
    const heard = await overhear(CONFIGURE, async () => {
      const { status } = await operator.put('/v2/admin/principals/rita', human('rita'));
      expect(status).toBe(200);
    });
    expect(await send(heard, { text: mallory().text })).toBe('unauthenticated');
    expect(await send(heard, { text: '' })).toBe('unauthenticated');
    expect(await send(heard, { params: '{"id":"mallory"}' })).toBe('unauthenticated');
    expect(await send(heard, { key: 'k-1' })).toBe('unauthenticated');
    expect(await send(heard)).toBe('unauthenticated');
  });

  it('changes neither body nor key of a creation, small or in a parcel', async () => {
    for (const text of ['small', 'x'.repeat(400_000)]) {
      const input = reviewInput(instance.demo, { payload: { text } });
      const heard = await overhear('countersign.request.create', async () => {
        // A machine that does much else refuses some at first; under their key they are one.
        const create = () => producer.post('/v2/requests', input, { key: `creation-${text[0]}` });
        await until(create, ({ status }) => status === 201);
      });
      const body = JSON.stringify({ ...input, summary: 'Pay Mallory' });
      expect(await send(heard, { text: body })).toBe('unauthenticated');
      expect(await send(heard, { key: 'another-key' })).toBe('unauthenticated');
      // Only that: the answer that the key has already.
      if (text === 'small') expect(await send(heard)).toBe(201);
    }
  });

  it('speaks to no service with the key of another', async () => {
    const reminded = await overhear('countersign.notifier.remind', () =>
      operator.post('/v2/requests/0198c1de-0000-7000-8000-000000000001/remind'),
    );
    const key = readFileSync(keys('notifier.message-keys'), 'utf8').trim();
    // To the notifier itself it opens everything: so the message is made as it has to be.
    const own = { ...reminded, headers: { ...reminded.headers, params: '{"id":"none"}' } };
    expect(await send(own, { mac: macOf(key, own) })).toBe('not_found');
    const { token, message } = reminded.headers;
    for (const to of [CONFIGURE, 'countersign.request.list', METRICS]) {
      const headers = { timeoutMs: TIME, token, message: `${message}x`, params: '{"id":"m"}' };
      const forged = { subject: to, headers, body: mallory().text };
      expect([to, await send(forged, { mac: macOf(key, forged) })]).toEqual([
        to,
        'unauthenticated',
      ]);
    }
  });

  it('sees admin reads once', async () => {
    const owner = await personOf(instance.demo, instance.dataDirectory, 'owner-1');
    const config = {
      enabled: true,
      operator: true,
      ...identityOf(instance.dataDirectory, 'owner-1'),
    };
    const entry = { id: 'owner-1', kind: 'human', config };
    expect((await operator.put('/v2/admin/principals/owner-1', entry)).status).toBe(200);
    const heard = await overhear('countersign.request.desk-principals', () =>
      owner.get('/operator/data/principals', { undescribed: true }),
    );
    expect(await send(heard)).toBe('unauthenticated');
    expect(await send(heard, { to: 'countersign.request.desk-requests' })).toBe('unauthenticated');
  });

  it('has nothing of keys that were replaced, without a restart or a refused call', async () => {
    const rotate = async (...args: string[]): Promise<void> => {
      const where = ['--dir', keys(''), '--data', instance.dataDirectory];
      const { code, stderr } = await runCommand(['rotate', ...args, ...where]);
      expect([args, stderr, code]).toEqual([args, '', 0]);
    };
    const signedBy = ({ headers: { token = '' } }: Overheard): string =>
      JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    const boundBy = ({ headers: { mac = '' } }: Overheard): string => mac.split('.')[0] ?? '';
    const before = await metrics();
    const answered: number[] = [];
    let calling = true;
    const calls = (async () => {
      while (calling) answered.push((await operator.get('/v2/admin/metrics')).status);
    })();

    await rotate('prepare', 'caller');
    await rotate('prepare', 'ledger', '--messages');
    await rotate('activate', 'caller');
    await rotate('activate', 'ledger', '--messages');
    // The gateway reads them again within ten seconds.
    const after = await until(
      metrics,
      (heard) => signedBy(heard) !== signedBy(before) && boundBy(heard) !== boundBy(before),
      30_000,
    );
    await rotate('retire', 'caller');
    await rotate('retire', 'ledger', '--messages');
    expect(readFileSync(keys('ledger.message-keys'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(boundBy(await metrics())).toBe(boundBy(after));
    calling = false;
    await calls;
    expect(answered.filter((status) => status !== 200)).toEqual([]);
    expect(answered.length).toBeGreaterThan(0);
  });
});

/** A day of the database passes as the test says; messages go over a real server. */
describe('a service that the gateway speaks to', () => {
  const log = createLogger({ name: 'test', level: 'silent' });
  let nats: TestStore;
  let gateway: Bus;
  let service: Bus;
  let now = Date.UTC(2026, 10, 22);
  const clock = { now: () => now };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = newMessageKey();
  const always = <T>(value: T) => ({ current: () => value, again: () => value });

  beforeAll(async () => {
    nats = await testNats();
    const on = (name: string) =>
      createNatsBus({ servers: [nats.url], name, log, parcels: createMemoryParcels() });
    [gateway, service] = await Promise.all([on('gateway'), on('service')]);
    const verifier = createMessageVerifier({
      service: 'request',
      callerKeys: always(
        readCallerKeys(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
      ),
      messageKeys: always(readMessageKeys(key)),
      clock,
      log,
      compatible: false,
    });
    await service.serve('countersign.request.cancel', 'request', async (request) => {
      const { caller } = await verifier.verify(request);
      return { status: 200, body: caller?.id ?? '' };
    });
  });
  afterAll(async () => {
    await Promise.all([gateway?.close(), service?.close()]);
    await nats?.remove();
  });

  it('takes a message for a minute of the database’s clock, and no longer', async () => {
    const keys = always(readMessageKeys(key));
    const sealer = createMessageSealer({
      callerKey: always(
        readCallerKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
      ),
      messageKeys: Object.fromEntries(ASKED.map((service) => [service, keys])) as Record<
        AskedService,
        typeof keys
      >,
      clock,
      compatible: false,
    });
    const caller: Caller = {
      id: 'producer-1',
      tenant: 'acme',
      kind: 'producer',
      credential: null,
      session: false,
    };
    const message = { subject: 'countersign.request.cancel', key: 'k-1', body: '{}' };
    const sealed = await sealer.seal(caller, message);
    const again = () =>
      gateway.call(message.subject, { ...sealed, timeoutMs: TIME }, message.body).then(
        ({ body }) => body,
        ({ code }: { code: string }) => code,
      );
    expect(await again()).toBe('producer-1');
    now += 59_000;
    expect(await again()).toBe('producer-1');
    now += 2_000;
    expect(await again()).toBe('unauthenticated');
    now -= 92_000;
    expect(await again()).toBe('unauthenticated');
  });
});

function headersOf(headers: MsgHdrs | undefined): BusHeaders {
  const lines = [...(headers ?? [])]
    // Which parcel the body is in: the attacker packs parcels of their own.
    .filter(([name]) => !name.startsWith('parcel'))
    .map(([name, values]) => [name, values[0]]);
  return { ...Object.fromEntries(lines), timeoutMs: TIME };
}

/** As the gateway makes it (docs/decisions/0021). */
function macOf(key: string, { subject, headers, body }: Overheard): string {
  const { token = '', message = '', params, key: idempotencyKey, digest } = headers;
  const bytes = Buffer.from(key, 'base64url');
  const parts = ['countersign message 1', subject, token, message, params, idempotencyKey, digest];
  const head = parts.map((part) => (part === undefined ? '-' : `${part.length}:${part}`)).join('');
  const code = createHmac('sha256', bytes).update(head).update(body).digest('base64url');
  return `${hash('sha256', bytes, 'hex').slice(0, 16)}.${code}`;
}
