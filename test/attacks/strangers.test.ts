import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { operatorOf, personOf, producerOf } from '../support/client.js';
import { Client } from '../support/client.js';
import { startInstance } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { inParallel } from '../support/parallel.js';
import { head } from '../support/raw-http.js';

// The capacity that a client without credentials can take from callers with credentials (protocol R34).

const STRANGER = '127.0.0.2';

let instance: Instance;
let demo: Demo;

beforeAll(async () => {
  instance = await startInstance({ quotas: true });
  demo = instance.demo;
});
afterAll(async () => {
  await instance?.stop();
});

/** Sends calls one behind the other on one connection from that address; gives how many had which status. */
function pipelined(
  calls: readonly string[],
  localAddress = STRANGER,
): Promise<Map<string, number>> {
  const port = Number(new URL(demo.origin).port);
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const counts = new Map<string, number>();
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      resolve(counts);
    });
    const last = calls.length - 1;
    socket.write(calls.map((call, n) => (n === last ? closing(call) : call)).join(''));
  });
}

const closing = (call: string) => call.replace('\r\n', '\r\nConnection: close\r\n');
const list = (headers: Record<string, string> = {}) => head('GET', '/v2/requests', headers);
const unknown = () => list({ Authorization: `Bearer ${randomBytes(32).toString('base64url')}` });

async function flood(calls: readonly string[]): Promise<Record<string, number>> {
  const parts = Array.from({ length: Math.ceil(calls.length / 100) }, (_, n) =>
    calls.slice(n * 100, n * 100 + 100),
  );
  const total: Record<string, number> = {};
  for (const counts of await inParallel(parts, 10, (part) => pipelined(part))) {
    for (const [status, count] of counts) total[status] = (total[status] ?? 0) + count;
  }
  return total;
}

async function expectEverybodyServed(): Promise<void> {
  const other = new Client(demo.origin, { token: demo.other.producer.token });
  for (const caller of [producerOf(demo), other, operatorOf(demo)]) {
    expect((await caller.get('/v2/requests')).status).toBe(200);
  }
  const reviewer = await personOf(demo, instance.dataDirectory, 'reviewer-1');
  expect((await reviewer.get('/v2/requests')).status).toBe(200);
}

it('12,020 calls without a good credential refuse no producer, no operator and no login', async () => {
  const calls = Array.from({ length: 12_020 }, (_, n) => (n % 2 === 0 ? list() : unknown()));
  const answers = await flood(calls);
  console.log(`12,020 calls of a stranger: ${JSON.stringify(answers)}`);
  expect(Object.keys(answers).toSorted()).toEqual(['401', '429']);
  expect(answers['401']).toBeLessThanOrEqual(1200);
  await expectEverybodyServed();
  // Nor a known caller behind the stranger's own address.
  const token = list({ Authorization: `Bearer ${demo.producer.token}` });
  expect(await pipelined([token])).toEqual(new Map([['200', 1]]));
  expect(await pipelined([unknown()])).toEqual(new Map([['429', 1]]));
});

it('hundreds of logins of one address refuse no login of another address', async () => {
  const answers = await flood(Array.from({ length: 400 }, () => head('GET', '/auth/login')));
  expect(Object.keys(answers).toSorted()).toEqual(['302', '429']);
  await expectEverybodyServed();
});

it('hundreds of reads of /health of one address refuse no read of another', async () => {
  const answers = await flood(Array.from({ length: 1_300 }, () => head('GET', '/health')));
  expect(answers['429']).toBeGreaterThan(0);
  expect((await new Client(demo.origin, null).get('/health')).status).toBe(200);
});
