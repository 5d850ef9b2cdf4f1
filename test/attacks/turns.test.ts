import { Client, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';

// All calls that one tenant may make at the same time, against the calls of another (protocol R34).

const BUSY_CLIENTS = 64;

let instance: Instance;

beforeAll(async () => {
  const rates = { RATE_PRINCIPAL: '100000', RATE_TENANT: '100000' };
  instance = await startInstance({
    quotas: true,
    env: { ...rates, SHARED_CALLS: '4', SHARED_PAGES: '4' },
  });
});
afterAll(async () => {
  await instance?.stop();
});

it.each([
  ['a page', '/v2/requests', 200],
  ['a call', '/v2/requests/01970000-0000-7000-8000-000000000000', 404],
])(
  '%s is answered after few of those that another tenant asks for at the same time',
  async (_what, path, status) => {
    const ask = async (client: Client) => expect((await client.get(path)).status).toBe(status);
    const { demo } = instance;
    const { producer, operator } = demo.other;
    const busy = [producer, operator].map(({ token }) => new Client(demo.origin, { token }));
    let answered = 0;
    let over = false;
    const load = Array.from({ length: BUSY_CLIENTS }, async (_, place) => {
      while (!over) {
        await ask(busy[place % busy.length] as Client);
        answered += 1;
      }
    });
    const measure = async () => {
      const overtaken: number[] = [];
      while (overtaken.length < 16) {
        const before = answered;
        await ask(producerOf(demo));
        overtaken.push(answered - before);
      }
      return overtaken.sort((one, other) => one - other)[4] ?? Infinity;
    };
    // Without turns nearly all of them come first, each time. A busy machine delays the answer on its way to this process too, so
    // that one round may say nothing.
    let quartile = Infinity;
    for (let round = 0; round < 12 && quartile >= BUSY_CLIENTS / 2; round += 1) {
      quartile = await measure();
    }
    over = true;
    await Promise.all(load);
    expect(quartile).toBeLessThan(BUSY_CLIENTS / 2);
  },
);
