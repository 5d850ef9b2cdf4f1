import { createHash } from 'node:crypto';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_CONCURRENCY } from '@countersign/protocol';
import { Client, credentialHeaders, personOf, producerOf } from '../support/client.js';
import { startInstance, workersOnly } from '../support/instance.js';
import type { Demo, Instance } from '../support/instance.js';
import { noteLongTurns } from '../support/turns-noted.js';
import { inParallel } from '../support/parallel.js';
import { reviewInput } from '../support/requests.js';

// The effect of one tenant's largest reads on callers of others (protocol R34): the threads that serve them all.

const MiB = 1024 * 1024;
/** Large calls of one tenant. */
const AT_ONCE = DEFAULT_CONCURRENCY.tenant.large;
/** Processor time of a turn of a service's main thread, in which no other caller is served. */
const LONGEST_TURN_MS = 100;
const TARGETS = ['gateway', 'request', 'ledger'];

let instance: Instance;
let demo: Demo;
/** Who may read it besides the producer. */
let people: Client[];
let producer: Client;
let other: Client;
/** Of the largest material and app that there may be: its path. */
let large: string;
const turns = noteLongTurns();
const document = 'a "quoted" é\n'.repeat((9 * MiB) / 14);
const html = `<!doctype html><p title="x">${'é"'.repeat(1.6 * MiB)}`;

beforeAll(async () => {
  instance = await startInstance({
    split: true,
    replicas: workersOnly('anchor'),
    quotas: true,
    env: {
      RATE_PRINCIPAL: '100000',
      RATE_TENANT: '100000',
      ...turns.env,
    },
  });
  demo = instance.demo;
  producer = producerOf(demo);
  other = new Client(demo.origin, { token: demo.other.producer.token });
  people = [];
  for (const { id } of demo.people.slice(1, 3)) {
    people.push(await personOf(demo, instance.dataDirectory, id));
  }
  const publisher = new Client(demo.origin, { token: demo.publisher.token });
  const bundle = await publisher.post('/v2/bundles', {
    html,
    compatibility: { agent_ui: '2' },
    author: 'Demo',
    licence: 'MIT',
  });
  const { status, body, text } = await producer.post(
    '/v2/requests',
    reviewInput(demo, {
      profiles: { 'proto.agent-ui': '2' },
      bundle_id: bundle.body.id,
      payload: { text: 'p'.repeat(1.9 * MiB) },
      review_document: document,
    }),
  );
  if (status !== 201) throw new Error(text.slice(0, 300));
  large = `/v2/requests/${body.request.id}`;
});
afterAll(async () => {
  await instance?.stop();
  turns.remove();
});

async function readWhole(path: string, caller: Client): Promise<[status: number, text: Buffer]> {
  const headers = credentialHeaders(demo.origin, caller.credentials);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(demo.origin + path, { headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return [answer.statusCode ?? 0, Buffer.concat(chunks)];
}

/** Another tenant asks again and again, of both services, until the attack is over; resolves to how often it was served. */
async function askMeanwhile(attack: Promise<unknown>): Promise<number> {
  let over = false;
  void attack.finally(() => (over = true)).catch(() => {});
  let served = 0;
  const questions = ['/v2/requests', '/v2/events'];
  while (!over) {
    const answer = await other.get(questions[served % 2] as string);
    expect(answer.status).toBe(200);
    served += 1;
    await pause(5);
  }
  return served;
}

/** The milliseconds that this machine takes to read and hash a whole text at once, as no turn of a service may. */
function atOnce(text: Buffer): number {
  const begin = performance.now();
  JSON.parse(text.toString());
  createHash('sha256').update(text).digest();
  return performance.now() - begin;
}

it.each<[string, () => readonly Client[], (answer: any) => boolean]>([
  ['material', () => [producer, ...people], ({ review_document }) => review_document === document],
  ['app', () => people, (app) => app.html === html],
  ['export', () => [producer, ...people], ({ material }) => material.review_document === document],
])(
  'reads of %s, as many at once as a tenant may, hold no other caller up',
  async (what, of, isRight) => {
    const path = `${large}/${what}`;
    const callers = of();
    const [, whole] = await readWhole(path, callers[0]!);
    expect(isRight(JSON.parse(whole.toString()))).toBe(true);
    const counts = new Map<number, number>();
    // Each again and again until it has an answer: a tenant's reads wait for each other, and may wait too long.
    const reads = Array.from({ length: AT_ONCE + 2 }, (_, n) => callers[n % callers.length]!);
    const attack = inParallel(reads, AT_ONCE, async (caller) => {
      for (let status = 0; status !== 200;) {
        const [given, text] = await readWhole(path, caller);
        status = given;
        counts.set(status, (counts.get(status) ?? 0) + 1);
        if (status === 200) expect(text.equals(whole)).toBe(true);
      }
    });
    const begin = Date.now();
    const served = await askMeanwhile(attack);
    await attack;
    const longest = TARGETS.map((target) => ({ target, ms: turns.longest(target, begin) }));
    console.log(
      `${what} of ${(whole.length / MiB).toFixed(1)} MiB: longest turns ` +
        `${longest.map(({ target, ms }) => `${target} ${ms.toFixed(0)} ms`).join(', ')}; ` +
        `others were served ${served} times, reads ${JSON.stringify([...counts])}`,
    );
    expect(served).toBeGreaterThan(10);
    // On a slow machine a turn takes longer, and so does the whole.
    const limit = Math.max(LONGEST_TURN_MS, Math.min(atOnce(whole), atOnce(whole)));
    for (const { ms } of longest) expect(ms).toBeLessThan(limit);
  },
  // Only to end a test that hangs.
  600_000,
);
