import { Client, operatorOf, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';

// The capacity that a whole tenant with good credentials can take from another (protocol R34).

const LIMIT = 200;
/** Enough of the window is left for the test's next calls. */
const LEFT_SECONDS = 20;

let instance: Instance;
let demo: Demo;

beforeAll(async () => {
  instance = await startInstance({
    quotas: true,
    // No principal reaches a limit of its own.
    env: { RATE_PRINCIPAL: '100000', RATE_PAGE: '100000', RATE_TENANT: String(LIMIT) },
  });
  demo = instance.demo;
});
afterAll(async () => {
  await instance?.stop();
});

const list = (client: Client) => client.get('/v2/requests');
const secondsLeft = ({ headers }: Answer) =>
  Number(/;t=(\d+)$/.exec(headers.get('RateLimit') ?? '')?.[1] ?? 0);

/** Calls by several principals in turn until all that their tenant has in a window is used up; gives the last answer. */
async function useUp(clients: readonly Client[]): Promise<Answer> {
  for (;;) {
    const answers = await inParallel(Array.from({ length: LIMIT }), 8, (_, place) =>
      list(clients[place % clients.length] as Client),
    );
    const refused = answers.find((answer) => secondsLeft(answer) >= LEFT_SECONDS);
    if (refused) return refused;
  }
}

it('a tenant that used up its calls is refused, each of its principals, and no other tenant is', async () => {
  const person = await personOf(demo, instance.dataDirectory, 'reviewer-1');
  const refused = await useUp([producerOf(demo), operatorOf(demo)]);
  expect([refused.status, refused.body.error]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('RateLimit-Policy')).toBe(`"tenant";q=${LIMIT};w=60`);
  expect(Number(refused.headers.get('Retry-After'))).toBe(secondsLeft(refused));
  // Who has hardly called yet shares the tenant's limit, by a session too.
  const sharing = await list(person);
  expect([sharing.status, sharing.headers.get('RateLimit-Policy')]).toEqual([
    429,
    `"tenant";q=${LIMIT};w=60`,
  ]);
  const { producer, operator } = demo.other;
  for (const { token } of [producer, operator]) {
    expect((await list(new Client(demo.origin, { token }))).status).toBe(200);
  }
  const theirs = await personOf(demo, instance.dataDirectory, 'reviewer-3');
  expect((await list(theirs)).status).toBe(200);
});
