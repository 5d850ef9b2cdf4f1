import { rmSync } from 'node:fs';
import { countersign } from '@countersign/client';
import type { Client } from '@countersign/client';
import { personOf, producerOf } from '../support/client.js';
import type { Client as Person } from '../support/client.js';
import { newDataFolder } from '../support/folder.js';
import type { Demo, Instance } from '../support/instance.js';
import { startInstance, workersOnly } from '../support/instance.js';
import { claimInput, decide, executionInput, until } from '../support/requests.js';

// docs/client.md, "Waiting", against the service.

const REPLICAS = workersOnly('anchor', 'expiry');

let dataDirectory: string;
let instance: Instance;
let demo: Demo;
let client: Client;
let producer: Person;
let reviewer: Person;
let prefers: (string | null)[];
/** Where the service answers now. */
let served: string;
/** Calls under way that ask to be held. */
let held: number;
let mostHeld: number;

beforeAll(async () => {
  dataDirectory = newDataFolder('waiting');
  instance = await startInstance({ split: true, dataDirectory, replicas: REPLICAS });
  demo = instance.demo;
  producer = producerOf(demo);
  reviewer = await personOf(demo, instance.dataDirectory, demo.people[1]!.id);
});
afterAll(async () => {
  await instance?.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
});
beforeEach(() => {
  prefers = [];
  served = demo.origin;
  [held, mostHeld] = [0, 0];
  client = countersign({
    origin: demo.origin,
    token: demo.producer.token,
    trust: 'unverified',
    fetch: async (url, options) => {
      const prefer = new Headers(options?.headers).get('prefer');
      prefers.push(prefer);
      if (prefer !== null) mostHeld = Math.max(mostHeld, (held += 1));
      const { pathname, search } = new URL(String(url));
      return fetch(served + pathname + search, options).finally(() => {
        if (prefer !== null) held -= 1;
      });
    },
  });
});

async function newRequest(): Promise<string> {
  const { status, body } = await producer.post('/v2/requests', executionInput(demo));
  expect(status).toBe(201);
  return body.request.id;
}

it('ends at once for what was decided before', async () => {
  const id = await newRequest();
  await decide(reviewer, id, 'refuse');
  await expect(client.until(id, 'decided')).resolves.toMatchObject({ decision_state: 'confirmed' });
  expect(prefers).toEqual([null]);
});

it('follows a request to its decision, its anchor and its outcome, by calls that are held', async () => {
  const id = await newRequest();
  const goals = (['decided', 'available', 'settled'] as const).map((goal) =>
    client.until(id, goal),
  );
  await until(
    async () => held,
    (count) => count === goals.length,
  );
  await decide(reviewer, id, 'authorise');
  await expect(goals[0]).resolves.toMatchObject({ decision_state: 'confirmed' });
  await expect(goals[1]).resolves.toMatchObject({ grant_state: 'available' });
  const status = await producer.get(`/v2/requests/${id}`);
  const claim = await producer.post(`/v2/requests/${id}/claims`, claimInput(status));
  const { execution_identity } = claim.body.payload;
  const outcome = { execution_identity, status: 'completed', details: {} };
  expect((await producer.post(`/v2/requests/${id}/outcomes`, outcome)).status).toBe(200);
  await expect(goals[2]).resolves.toMatchObject({ execution_state: 'completed' });
  expect(
    prefers.filter((prefer) => prefer?.startsWith('wait=25; revision=')).length,
  ).toBeGreaterThan(2);
});

it('ends in time, and says nothing about the request', async () => {
  const id = await newRequest();
  await expect(client.until(id, 'decided', { timeout: 500 })).rejects.toMatchObject({
    ...{ name: 'WaitEnded', why: 'timeout' },
  });
  expect((await producer.get(`/v2/requests/${id}`)).body.decision_state).toBe('pending');
});

it('refuses to wait for a request that is not there', async () => {
  const id = '00000000-0000-4000-8000-000000000000';
  await expect(client.until(id, 'decided')).rejects.toMatchObject({ code: 'not_found' });
});

it('has one call held for 500 waits', async () => {
  const stop = new AbortController();
  const others = await newRequest();
  const crowd = Array.from({ length: 490 }, () =>
    client.until(others, 'decided', { signal: stop.signal }).catch((fault: unknown) => fault),
  );
  const ids = await Promise.all(Array.from({ length: 10 }, newRequest));
  const waits = ids.map((id) => client.until(id, 'decided'));
  await until(
    async () => held,
    (count) => count === 1,
  );
  for (const id of ids) await decide(reviewer, id, 'refuse');
  for (const { decision_state } of await Promise.all(waits))
    expect(decision_state).toBe('confirmed');
  expect(mostHeld).toBe(1);
  stop.abort();
  for (const end of await Promise.all(crowd)) expect(end).toMatchObject({ why: 'aborted' });
});

it('outlives a restart of the service, and finds a decision of meanwhile', async () => {
  const id = await newRequest();
  const [wait, other] = [client.until(id, 'decided'), client.until(id, 'settled')];
  await until(
    async () => held,
    (count) => count === 2,
  );
  await instance.stop();
  instance = await startInstance({ split: true, dataDirectory, replicas: REPLICAS });
  reviewer = await personOf(instance.demo, dataDirectory, demo.people[1]!.id);
  await decide(reviewer, id, 'refuse');
  served = instance.demo.origin;
  await expect(wait).resolves.toMatchObject({ decision_state: 'confirmed' });
  await expect(other).resolves.toMatchObject({ execution_state: 'unclaimed' });
});
