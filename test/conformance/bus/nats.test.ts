import { busFaultOf, createNatsBus } from '@countersign/platform';
import type { Bus, ParcelStore } from '@countersign/platform';
import { startNats } from '@countersign/dev-servers';
import { testNats, until } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { newFolder } from '../../support/folder.js';
import { createMemoryParcels } from '../../support/memory-parcels.js';
import { describeBus, expectFault, refusalOf, silent } from './suite.js';

let nats: TestStore;
const parcels = createMemoryParcels();

beforeAll(async () => {
  nats = await testNats();
});

afterAll(() => nats.remove());

async function connect(name: string, store: ParcelStore = parcels, log = silent): Promise<Bus> {
  return createNatsBus({ servers: [nats.url], name, log, parcels: store, drainMs: 500 });
}

describe('bus over NATS', () => {
  describeBus({ make: (name, log) => connect(name, parcels, log) });
});

describe('bus over NATS, when things go wrong', () => {
  const buses: Bus[] = [];

  async function bus(name: string, store?: ParcelStore): Promise<Bus> {
    const made = await connect(name, store);
    buses.push(made);
    return made;
  }

  afterEach(async () => {
    await Promise.all(buses.splice(0).map((made) => made.close()));
  });

  it('carries a large body as it is on a subject whose servers have no parcels', async () => {
    const stored: string[] = [];
    const store: ParcelStore = {
      put: async (body) => `${stored.push(String(body))}`,
      take: parcels.take,
    };
    const options = { servers: [nats.url], log: silent, drainMs: 500, whole: ['t.whole'] };
    const caller = await createNatsBus({ ...options, name: 'caller', parcels: store });
    const server = await createNatsBus({ ...options, name: 'server', parcels: null });
    buses.push(caller, server);
    const served = async ({ body }: { body: string }) => ({ status: 200, body: `${body.length}` });
    await server.serve('t.whole', 'q', served);
    await server.serve('t.parcel', 'q', served);
    const body = 'x'.repeat(600_000);
    expect((await caller.call('t.whole', { timeoutMs: 5000 }, body)).body).toBe('600000');
    expect(stored).toEqual([]);
    // Any other subject takes parcels, and who has none cannot serve them.
    await expectFault(caller.call('t.parcel', { timeoutMs: 5000 }, body), 'body_lost');
    expect(stored).toHaveLength(1);
  });

  it('refuses at once while the server is down and serves again when it is back', async () => {
    const caller = await bus('caller');
    const server = await bus('server');
    let asked = 0;
    const hints: string[] = [];
    await server.serve('t.echo', 'q', async ({ body }) => {
      asked += 1;
      return { status: 200, body };
    });
    await server.subscribe('t.hint', null, (body) => hints.push(body));
    await caller.call('t.echo', { timeoutMs: 1000 }, 'before');

    await nats.kill();
    await until(() => !caller.ready() && !server.ready());
    const begin = performance.now();
    await expectFault(caller.call('t.echo', { timeoutMs: 5000 }, 'during'), 'unconnected');
    expect(performance.now() - begin).toBeLessThan(2500);
    caller.publish('t.hint', 'during');

    await nats.restart();
    await until(() => caller.ready() && server.ready());
    expect((await caller.call('t.echo', { timeoutMs: 1000 }, 'after')).body).toBe('after');
    // A refused call is not done later.
    expect(asked).toBe(2);
    caller.publish('t.hint', 'after');
    await until(() => hints.length > 0);
    expect(hints).toEqual(['after']);
  });

  it('ends calls under way when the connection is lost', async () => {
    const caller = await bus('caller');
    const server = await bus('server');
    let started = false;
    await server.serve('t.slow', 'q', () => {
      started = true;
      return new Promise(() => {});
    });
    const call = refusalOf(caller.call('t.slow', { timeoutMs: 20_000 }, ''));
    await until(() => started);
    await nats.kill();
    expect(busFaultOf(await call)).toBe('disconnected');
    await nats.restart();
    await until(() => caller.ready());
  });

  it('starts without a server and connects when there is one', async () => {
    await nats.kill();
    const early = await createNatsBus({
      servers: [nats.url],
      name: 'early',
      log: silent,
      parcels,
      firstConnectMs: 50,
    });
    buses.push(early);
    expect(early.ready()).toBe(false);
    await early.serve('t.early', 'q', async () => ({ status: 200, body: 'early' }));
    await expectFault(early.call('t.early', { timeoutMs: 500 }, ''), 'unconnected');
    await nats.restart();
    await until(() => early.ready());
    expect((await early.call('t.early', { timeoutMs: 1000 }, '')).body).toBe('early');
  });

  it('logs in with the password that it has when it connects', async () => {
    const dir = newFolder('nats-login');
    const asking = (password: string, port?: number) =>
      startNats({
        dir,
        config: `authorization { user: target, password: "${password}" }`,
        ...(port !== undefined && { port }),
      });
    let password = 'the first';
    const before = await asking(password);
    const target = await createNatsBus({
      servers: [before.url],
      name: 'target',
      log: silent,
      parcels,
      login: () => ({ user: 'target', password }),
    });
    buses.push(target);
    expect(target.ready()).toBe(true);
    await before.kill();
    const after = await asking('the second', before.port);
    password = 'the second';
    await until(() => target.ready());
    await after.kill();
  });

  it('closes while the server is away', async () => {
    const lonely = await connect('lonely');
    await nats.kill();
    await until(() => !lonely.ready());
    await lonely.close();
    expect(lonely.ready()).toBe(false);
    await nats.restart();
  });

  it('notices a server that hangs', async () => {
    const caller = await bus('caller');
    await nats.server().pause();
    try {
      const ask = () => refusalOf(caller.call('t.nobody', { timeoutMs: 100 }, ''));
      await until(async () => busFaultOf(await ask()) === 'timeout');
      await until(() => !caller.ready(), 15_000);
    } finally {
      await nats.server().resume();
    }
    await until(() => caller.ready());
  });

  it('drops messages that became overdue while this process stood still', async () => {
    const server = await bus('server');
    const caller = await bus('caller');
    let asked = 0;
    await server.serve('t.stall', 'q', async () => {
      asked += 1;
      return { status: 200, body: '' };
    });
    const call = refusalOf(caller.call('t.stall', { timeoutMs: 150 }, ''));
    // The request leaves in this turn; the next one comes much later.
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    const end = performance.now() + 600;
    while (performance.now() < end);
    expect((await call).code).toBe('service_unavailable');
    // Another request, on the same way, tells that the first has been seen.
    await until(async () =>
      caller.call('t.stall', { timeoutMs: 2000 }, '').then(
        () => true,
        () => false,
      ),
    );
    expect(asked).toBe(1);
  });

  it('names a body that was lost', async () => {
    const broken: ParcelStore = {
      put: async (body) => {
        if (String(body).startsWith('unpackable')) throw new Error('private words');
        return '00000000-0000-4000-8000-000000000000';
      },
      take: async () => {
        throw new Error('private words');
      },
    };
    const caller = await bus('caller', broken);
    const server = await bus('server', broken);
    const large = 'x'.repeat(300 * 1024);
    let asked = 0;
    await server.serve('t.parcel', 'q', async ({ body }) => {
      asked += 1;
      return { status: 200, body: body === 'small' ? large : `unpackable ${large}` };
    });
    const time = { timeoutMs: 2000 };
    await expectFault(caller.call('t.parcel', time, `unpackable ${large}`), 'body_lost');
    await expectFault(caller.call('t.parcel', time, large), 'body_lost');
    expect(asked).toBe(0);
    await expectFault(caller.call('t.parcel', time, 'small'), 'body_lost');
    await expectFault(caller.call('t.parcel', time, 'else'), 'body_lost');
  });
});
