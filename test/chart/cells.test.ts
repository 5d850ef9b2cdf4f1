import { createLogger, createNatsBus } from '@countersign/platform';
import type { Bus } from '@countersign/platform';
import { testNats } from '@countersign/dev-servers/testing';
import type { TestStore } from '@countersign/dev-servers/testing';
import { createMemoryParcels } from '../support/memory-parcels.js';
import { CELL_USERS, natsConfigOfCells } from './nats-users.js';

// Two cells on one real server by the values of the example: each is served by its own services alone.

const log = createLogger({ name: 'test', level: 'silent' });
const SUBJECT = 'countersign.request.status';

let server: TestStore;
const buses: Bus[] = [];

beforeAll(async () => {
  server = await testNats(natsConfigOfCells(CELL_USERS));
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await server.remove();
});

async function busOf(cell: string, target: string): Promise<Bus> {
  const login = { user: `${cell}-${target}`, password: `${cell}-${target}` };
  const bus = await createNatsBus({
    servers: [server.url],
    name: target,
    log,
    parcels: createMemoryParcels(),
    login: () => login,
  });
  buses.push(bus);
  return bus;
}

it('bring a call to a service of the own cell, and to none of the other', async () => {
  for (const cell of ['a', 'b']) {
    const service = await busOf(cell, 'request');
    await service.serve(SUBJECT, 'request', async () => ({ status: 200, body: cell }));
  }
  for (const cell of ['a', 'b']) {
    const gateway = await busOf(cell, 'gateway');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => gateway.call(SUBJECT, { timeoutMs: 10_000 }, '')),
    );
    expect(new Set(answers.map(({ body }) => body))).toEqual(new Set([cell]));
  }
});

it('leave a call unanswered where the own cell does not serve it', async () => {
  const review = await busOf('a', 'review');
  await review.serve('countersign.review.assign', 'review', async () => ({
    status: 200,
    body: '',
  }));
  const gateway = await busOf('b', 'gateway');
  await expect(
    gateway.call('countersign.review.assign', { timeoutMs: 2000 }, ''),
  ).rejects.toMatchObject({ code: 'service_unavailable' });
});
