import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Client, credentialHeaders, producerOf } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';
import { reviewInput } from '../support/requests.js';

// The capacity that one producer with good credentials can take from other tenants (protocol R34).

const MEBIBYTE = 1_048_576;
const CONNECTIONS = 16;

let instance: Instance;
let demo: Demo;
let producer: Client;
let other: Client;
let large: string;
let small: string;
let othersPath: string;

beforeAll(async () => {
  instance = await startInstance({
    quotas: true,
    // Enough for the whole attack: this tests concurrency, and the test below weight alone.
    env: { RATE_PRINCIPAL: '100000', RATE_TENANT: '100000', SERVICE_TIMEOUT_MS: '30000' },
  });
  demo = instance.demo;
  producer = producerOf(demo);
  other = new Client(demo.origin, { token: demo.other.producer.token });
  large = await create(producer, demo, 9);
  small = await create(producer, demo, 0);
  const { body } = await other.post('/v2/requests', reviewInput({ ...demo, ...demo.other }));
  othersPath = `/v2/requests/${body.request.id}`;
});
afterAll(async () => {
  await instance?.stop();
});

/** A review of a payload and a document of so many MiB each; gives its path. */
async function create(caller: Client, of: Demo, mebibytes: number): Promise<string> {
  const input = reviewInput(of);
  if (mebibytes > 0) {
    input.payload = {
      list: [],
      text: 'p'.repeat(mebibytes * MEBIBYTE),
    };
    input.review_document = 'd'.repeat(mebibytes * MEBIBYTE);
  }
  const { status, body, text } = await caller.post('/v2/requests', input);
  if (status !== 201) throw new Error(text.slice(0, 300));
  return `/v2/requests/${body.request.id}`;
}

/** Begins to read a path and takes nothing of the body. */
function beginReading(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = credentialHeaders(demo.origin, producer.credentials);
    const call = request(demo.origin + path, { headers, agent: false }, resolve);
    call.on('error', reject);
    call.end();
  });
}

async function readWhole(path: string): Promise<number> {
  const answer = await beginReading(path);
  for await (const _ of answer);
  return answer.statusCode ?? 0;
}

const at99 = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] as number;

/** How long the other tenant waits for its own request's status, thirty times. */
async function timesOfOthers(): Promise<number[]> {
  return inParallel(Array(30).fill(null), 1, async () => {
    const began = performance.now();
    expect((await other.get(othersPath)).status).toBe(200);
    return performance.now() - began;
  });
}

it('sixteen connections that read 18 MB of material do not stop another tenant', async () => {
  const path = `${large}/material`;
  await timesOfOthers();
  const alone = at99(await timesOfOthers());
  let over = false;
  const counts = new Map<number, number>();
  const attack = inParallel(Array(CONNECTIONS).fill(null), CONNECTIONS, async () => {
    while (!over) {
      const status = await readWhole(path);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  });
  const during = at99(await timesOfOthers());
  over = true;
  await attack;
  const attacked = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
  console.log(
    `99th percentile of another tenant's status: alone ${alone.toFixed(0)} ms, ` +
      `during 16 × 18 MB ${during.toFixed(0)} ms (reads: ${attacked})`,
  );
  expect([...counts.keys()].toSorted()).toEqual([200, 429]);
});

it('readers that take nothing of their answer hold four of them, and small reads go on elsewhere', async () => {
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => beginReading(`${large}/material`)),
  );
  const statuses = answers.map(({ statusCode }) => statusCode).toSorted();
  expect(statuses).toEqual([...Array(4).fill(200), ...Array(CONNECTIONS - 4).fill(429)]);
  const refused = answers.find(({ statusCode }) => statusCode === 429);
  expect(refused?.headers).toMatchObject({
    'retry-after': '1',
    'ratelimit-policy': '"principal_large";q=4;qu="concurrent-requests"',
  });
  // Small material of the same producer is no large call.
  expect((await producer.get(`${small}/material`)).status).toBe(200);
  expect((await other.get(othersPath)).status).toBe(200);
  for (const answer of answers) answer.destroy();
  // The places come back.
  let again = 429;
  while (again === 429) again = await readWhole(`${large}/material`);
  expect(again).toBe(200);
});

it('steps on requests with large material, such as a refused cancel, leave connections to others', async () => {
  let over = false;
  const counts = new Map<number, number>();
  const attack = inParallel(Array(CONNECTIONS).fill(null), CONNECTIONS, async () => {
    while (!over) {
      const { status } = await producer.post(`${large}/revoke`, {});
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  });
  const during = at99(await timesOfOthers());
  over = true;
  await attack;
  const attacked = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
  console.log(
    `99th percentile of another tenant's status during 16 × revoke of 18 MB: ${during.toFixed(0)} ms (${attacked})`,
  );
});
