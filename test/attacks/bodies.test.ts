import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_LIMITS, textDigest } from '@countersign/protocol';
import { codeOf } from '../support/answers.js';
import { Client, operatorOf, personOf } from '../support/client.js';
import type { Demo, Instance } from '../support/instance.js';
import { startInstance, workersOnly } from '../support/instance.js';
import { noteLongTurns } from '../support/turns-noted.js';
import { newRoute } from '../support/own-route.js';
import type { OwnRoute } from '../support/own-route.js';
import { authorisedRequest, claimInput, reviewInput } from '../support/requests.js';
import { replicasOf } from '../fault/support/processes.js';

// The effect of one caller's body on all others (protocol R35). Every process has a heap of 256 MB, as in a small pod.

const MiB = 1024 * 1024;
/** Processor time of the thread that serves all callers, for which no other caller is answered. */
const LONGEST_STALL_MS = 100;

const turns = noteLongTurns('--max-old-space-size=256');
let instance: Instance;
let demo: Demo;
let own: OwnRoute;
let producer: Client;
let reviewer: Client;
let gateway: number;
/** By target. */
let pids: Record<string, number>;

beforeAll(async () => {
  instance = await startInstance({ split: true, replicas: workersOnly('anchor'), env: turns.env });
  demo = instance.demo;
  producer = new Client(demo.origin, { token: demo.producer.token });
  reviewer = await personOf(demo, instance.dataDirectory, demo.people[1]!.id);
  own = await newRoute(demo, operatorOf(demo), [demo.people[1]!.id]);
  const pidOf = (target: string) => replicasOf(instance, target)[0]!.pid;
  pids = { gateway: pidOf('gateway'), request: pidOf('request') };
  gateway = pids['gateway']!;
});
afterAll(async () => {
  await instance?.stop();
  turns.remove();
});

/** Milliseconds that the main thread of the gateway has spent on a processor. */
function spent(): number {
  const file = `/proc/${gateway}/task/${gateway}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : 0;
}

/** The most processor time that the gateway's thread took before it came to a caller's question, while `attack` ran. */
async function longestStall<T>(attack: () => Promise<T>): Promise<[result: T, ms: number]> {
  let longest = 0;
  let over = false;
  const watch = async () => {
    while (!over) {
      const begin = spent();
      await fetch(`${demo.origin}/livez`).then((response) => response.text());
      longest = Math.max(longest, spent() - begin);
      await pause(2);
    }
  };
  const watching = watch();
  const result = await attack().finally(() => (over = true));
  await watching;
  return [result, longest];
}

const repeated = (piece: string, bytes: number) =>
  piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',');
/** A creation with as large a payload and document as any route takes. */
const large = (payload: string) =>
  JSON.stringify(
    reviewInput(own.demo, { payload: '@', review_document: 'x'.repeat(10 * MiB) }),
  ).replace('"@"', payload);

it.each<[string, () => string, number | string]>([
  [
    '20 MiB of small objects',
    () => `[${repeated('{"b":1,"a":1},', 20 * MiB)}0]`,
    '400 invalid_RequestInput',
  ],
  [
    '20 MiB of small objects, in an object',
    () => `{"a":[${repeated('{"b":1,"a":1},', 20 * MiB)}0]}`,
    '413 body_too_large',
  ],
  ['an object of a million members', () => `{${keys(1_000_000)}}`, '413 body_too_large'],
  ['21 MiB of numbers', () => `[${repeated('1,', 21 * MiB)}1]`, '400 invalid_RequestInput'],
  [
    '21 MiB of numbers, in an object',
    () => `{"a":[${repeated('1,', 21 * MiB)}1]}`,
    '413 body_too_large',
  ],
  ['20 MiB of empty objects', () => `{"a":[${repeated('{},', 20 * MiB)}0]}`, '413 body_too_large'],
  [
    '9 MiB of as many objects as there may be',
    () =>
      `{"a":[${Array.from({ length: 124_000 }, (_, i) => `{"z":${i},"y":"${'x'.repeat(40)}","a":2}`).join(',')}]}`,
    '400 invalid_RequestInput',
  ],
  [
    'as many members as there may be, in no order',
    () =>
      `{${[1, 2, 3, 4].map((n) => `"${n}":{${Array.from({ length: 99_999 }, (_, i) => `"${(i * 7919) % 99_999}-${'y'.repeat(30)}":1`).join(',')}}`).join(',')}}`,
    '400 invalid_RequestInput',
  ],
  ['a payload and a document of 10 MiB each', () => large(`"${'é'.repeat(5 * MiB - 1)}"`), 201],
  [
    'a payload of as many values as there may be',
    () => large(`[${repeated(`"${'v'.repeat(17)}",`, 9.5 * MiB)}0]`),
    201,
  ],
])('holds up no other caller: %s', async (name, body, answer) => {
  const raw = Buffer.from(body());
  const client = answer === 201 ? own.producer : producer;
  const [code, stall] = await longestStall(() =>
    client.post('/v2/requests', {}, { raw }).then(codeOf),
  );
  console.log(
    `${name}: ${(raw.length / MiB).toFixed(1)} MiB, ${code}, stall ${stall.toFixed(0)} ms`,
  );
  expect(code).toBe(answer);
  expect(stall).toBeLessThan(LONGEST_STALL_MS);
});

it('holds up no other caller: a candidate of 170,000 members', async () => {
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const raw = `{"decision":"answer","response":{"a":{${keys(85_000)}},"b":{${keys(85_000)}}}}`;
  const [answer, stall] = await longestStall(() =>
    reviewer.post(`/v2/requests/${created.body.request.id}/candidates`, {}, { raw }),
  );
  console.log(`a candidate of 170,000 members: stall ${stall.toFixed(0)} ms`);
  expect(codeOf(answer)).toBe('413 response_too_large');
  expect(stall).toBeLessThan(LONGEST_STALL_MS);
});

/** The longest turn of the services that the call reaches, in milliseconds of processor time. */
async function longestTurn(target: string, attack: () => Promise<unknown>): Promise<number> {
  const begin = Date.now();
  await attack();
  const found = ['gateway', target].map((each) => ({ each, ms: turns.longest(each, begin) }));
  console.log(found.map(({ each, ms }) => `${each} ${ms.toFixed(0)} ms`).join(', '));
  return Math.max(...found.map(({ ms }) => ms));
}

/** Of all values, empty objects cost most to read for their bytes. */
const objects = (bytes: number) => `[${repeated('{},', bytes - 10)}0]`;

it('holds up no other caller: the largest candidate', async () => {
  const created = await own.producer.post(
    '/v2/requests',
    reviewInput(own.demo, { response_schema: { type: 'object' } }),
  );
  const response = `{"all":${objects(DEFAULT_LIMITS.response_bytes - 10)}}`;
  const path = `/v2/requests/${created.body.request.id}`;
  const longest = await longestTurn('review', async () => {
    const frozen = await reviewer.post(
      `${path}/candidates`,
      {},
      { raw: `{"decision":"answer","response":${response}}` },
    );
    expect(codeOf(frozen)).toBe(201);
    const candidate = { candidate_id: frozen.body.id, candidate_digest: textDigest(frozen.text) };
    expect(codeOf(await reviewer.post(`${path}/confirm`, candidate))).toBe(200);
  });
  expect(longest).toBeLessThan(LONGEST_STALL_MS);
});

it('holds up no other caller: the largest outcome, again and again', async () => {
  const status = await authorisedRequest(own.demo, own.producer, reviewer);
  const claim = claimInput(status);
  const path = `/v2/requests/${status.body.request.id}`;
  expect(codeOf(await own.producer.post(`${path}/claims`, claim))).toBe(201);
  const all = objects(MiB - 200);
  const outcome = (note: string) =>
    `{"status":"completed","execution_identity":"${claim.execution_identity}",` +
    `"details":{"reason":"it","evidence":"is","note":"${note}","all":${all}}}`;
  const raw = outcome('one');
  const operator = operatorOf(demo);
  const longest = await longestTurn('execution-authority', async () => {
    const first = await own.producer.post(`${path}/outcomes`, {}, { raw });
    expect(codeOf(first)).toBe(200);
    // Under another key it is the report on record, word for word.
    const second = await own.producer.post(`${path}/outcomes`, {}, { raw });
    expect(second.text).toBe(first.text);
    const other = await own.producer.post(`${path}/outcomes`, {}, { raw: outcome('two') });
    expect(codeOf(other)).toBe('409 outcome_conflict');
    expect(codeOf(await operator.post(`${path}/reconcile`, {}, { raw }))).toBe(200);
  });
  expect(longest).toBeLessThan(LONGEST_STALL_MS);
});

it('lets one caller send large bodies one after the other', async () => {
  const raw = Buffer.from(large(`"${'p'.repeat(10 * MiB - 2)}"`));
  for (let n = 0; n < 4; n++) {
    expect(codeOf(await own.producer.post('/v2/requests', {}, { raw }))).toBe(201);
  }
});

it('survives twenty bodies of 22 MiB at once, and serves others meanwhile', async () => {
  // Right but for its record: each of them is parsed.
  const values = repeated(`"${'0123456789abcdef'.repeat(4)}",`, 21.9 * MiB);
  const raw = Buffer.from(`{"a":[${values}0]}`);
  const attackers = [producer, own.producer, publisherOf(demo), publisherOf(demo.other)];
  const attack = () =>
    Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const attacker = attackers[n % attackers.length]!;
        const path = n % attackers.length < 2 ? '/v2/requests' : '/v2/bundles';
        return attacker.post(path, {}, { raw }).then(codeOf);
      }),
    );
  const other = new Client(demo.origin, { token: demo.other.producer.token });
  let served = 0;
  let over = false;
  const attacking = attack().finally(() => (over = true));
  while (!over) {
    expect(codeOf(await other.get('/v2/requests'))).toBe(200);
    served += 1;
    await pause(20);
  }
  const codes = await attacking;
  console.log(
    `twenty at once: ${[...new Set(codes)].join(', ')}; others were served ${served} times`,
  );
  for (const target of ['gateway', 'request']) {
    expect(replicasOf(instance, target).map(({ pid }) => pid)).toEqual([pids[target]]);
  }
  for (const code of codes) expect(EXPECTED).toContain(code);
});

const EXPECTED = [
  '400 invalid_RequestInput',
  '400 invalid_BundleRegistration',
  '503 service_unavailable',
];
const publisherOf = (of: { publisher: { token: string } }) =>
  new Client(demo.origin, { token: of.publisher.token });
