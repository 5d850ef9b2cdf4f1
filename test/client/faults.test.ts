import {
  ServiceRefusal,
  Unreachable,
  cancel,
  countersign,
  create,
  status,
} from '@countersign/client';
import type { Client } from '@countersign/client';
import type pg from 'pg';
import type { Demo, Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';
import { reviewInput } from '../support/requests.js';
import { connectTo } from '../support/truths.js';
import { startFaultProxy } from './fault-proxy.js';
import type { FaultProxy } from './fault-proxy.js';

// docs/client.md, "What is repeated": however bad the way to the service is, a call has its effect at most once, and the
// client knows about it or says that it does not.

const SEED = 20261123;
const CALLS = 2_000;
/** A client may repeat twenty calls before it has to make more. */
const CALLS_OF_A_CLIENT = 10;

let instance: Instance;
let demo: Demo;
let database: pg.Client;
let proxy: FaultProxy;

beforeAll(async () => {
  instance = await startInstance();
  demo = instance.demo;
  database = await connectTo(instance);
  proxy = await startFaultProxy(demo.origin, SEED);
});
afterAll(async () => {
  await proxy?.stop();
  await database?.end();
  await instance?.stop();
});

type Ending = 'done' | 'refused' | 'none' | 'unknown';

async function endingOf(call: Promise<unknown>): Promise<Ending> {
  try {
    await call;
    return 'done';
  } catch (fault) {
    if (fault instanceof Unreachable) return fault.effect;
    if (fault instanceof ServiceRefusal) return 'refused';
    throw fault;
  }
}

it(`makes one effect for each key in ${CALLS} calls`, async () => {
  const clients = Array.from({ length: CALLS / CALLS_OF_A_CLIENT }, () =>
    countersign({ origin: proxy.origin, token: demo.producer.token, trust: 'unverified' }),
  );
  /** By its summary, how the creation of a request ended. */
  const created = new Map<string, Ending>();
  const cancelled = new Map<string, Ending>();

  /** Four calls: a request is made, read twice and cancelled. */
  async function live(client: Client, name: string): Promise<void> {
    let id: string | undefined;
    const input = reviewInput(demo, { summary: name });
    created.set(
      name,
      await endingOf(
        client.call(create, { body: input as never }).then(({ request }) => (id = request.id)),
      ),
    );
    if (id === undefined) return;
    await endingOf(client.call(status, { id }));
    cancelled.set(name, await endingOf(client.call(cancel, { id, body: {} })));
    await endingOf(client.call(status, { id }));
  }

  await inParallel(
    Array.from({ length: CALLS / 4 }, (_, at) => at),
    8,
    (at) => live(clients[Math.floor((at * 4) / CALLS_OF_A_CLIENT)]!, `call ${at}`),
  );

  const { rows } = await database.query<{ summary: string; many: number }>(
    'SELECT summary, count(*)::int AS many FROM request GROUP BY summary',
  );
  const stored = new Map(rows.map(({ summary, many }) => [summary, many]));
  const wrong = [...created].filter(([name, ending]) => {
    const many = stored.get(name) ?? 0;
    if (ending === 'unknown') return many > 1;
    return many !== (ending === 'done' ? 1 : 0);
  });
  expect(wrong).toEqual([]);
  expect([...created.values()].filter((ending) => ending === 'done').length).toBeGreaterThan(
    (CALLS / 4) * 0.95,
  );
  expect([...created.values(), ...cancelled.values()]).not.toContain('refused');
  expect(proxy.early).toEqual([]);
  // All of them happened.
  expect(Math.min(...[...proxy.happened.values()])).toBeGreaterThan(10);
  expect(proxy.happened.size).toBe(11);
});
