import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '../../bench/load/connection.js';
import { newWaiting, walk } from '../../bench/load/lifecycle.js';
import { requestBodies } from '../../bench/load/request-body.js';
import { Client, credentialHeaders, personOf, producerOf } from '../../support/client.js';
import type { Credentials } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import {
  claimInput,
  decide,
  executionBinding,
  executionInput,
  reviewInput,
} from '../../support/requests.js';
import type { Product } from './product.js';

/** How long the day is, and who is at work at its busiest. */
const SECONDS = 180;
const CLIENTS = 6;

/**
 * A day in three minutes, so that every panel has something to show: steady work, now more and now less; people without the
 * right, and programs with wrong calls; a receiver that fails, workers that stop, a service that is away, a program gone
 * wild, executions without an outcome. In the end all is up, and some of it has left its mark.
 */
export async function liveThrough(product: Product): Promise<void> {
  const { demo, dataDirectory, receiver } = product;
  const begin = performance.now();
  const passed = () => (performance.now() - begin) / 1000;
  const up = new AbortController();
  const { signal } = up;
  const at = (second: number) =>
    delay(Math.max(0, (second - passed()) * 1000), undefined, { signal });
  const producer = producerOf(demo);
  const reviewers = [
    await personOf(demo, dataDirectory, 'reviewer-1'),
    await personOf(demo, dataDirectory, 'reviewer-2'),
  ];
  const [reviewer] = reviewers as [Client];
  const goesOn = () => passed() < SECONDS && !signal.aborted;

  async function receiverFails() {
    await at(30);
    let failing = true;
    receiver.answer('/hook', (response) => void response.writeHead(failing ? 503 : 204).end());
    await at(55);
    failing = false;
  }
  async function deadlinesPileUp() {
    await at(45);
    await product.take('worker-expiry');
    await fileAll(producer, demo, 60, { review_seconds: 8 });
    await at(68);
    // It comes back slower than it is able to, or its backlog would be gone between two scrapes.
    await product.putBack('worker-expiry', { WORKER_PER_SECOND: '4' });
  }
  async function anchorsStop() {
    await at(95);
    await product.take('worker-anchor');
    await at(108);
    await product.putBack('worker-anchor');
  }
  async function serviceIsAway() {
    await at(130);
    await product.take('review');
    await at(134);
    await product.putBack('review');
  }
  async function programRunsWild() {
    await at(150);
    const headers = headersOf(demo, { token: demo.other.producer.token });
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const wild = connect(demo.origin);
        for (let call = 0; call < 700; call += 1) {
          await wild.send('GET', '/v2/requests', headers);
          // Over many scrapes: a change that begins and ends between two of them has no rate.
          await delay(15);
        }
        wild.close();
      }),
    );
  }
  async function outcomesStayAway() {
    await at(40);
    await claimUnadmitted(demo, producer, reviewer);
    await at(60);
    await claimUnadmitted(demo, producer, reviewer);
    await at(115);
    const { path, execution_identity } = await claimUnadmitted(demo, producer, reviewer);
    const outcome = { execution_identity, status: 'completed', details: {} };
    await producer.post(`${path}/outcomes`, outcome);
  }

  const parts = [
    ...Array.from({ length: CLIENTS }, (_, number) =>
      work(demo, reviewers, number, passed, goesOn),
    ),
    blunder(demo, producer, reviewer, goesOn),
    receiverFails(),
    deadlinesPileUp(),
    anchorsStop(),
    serviceIsAway(),
    programRunsWild(),
    outcomesStayAway(),
    at(SECONDS / 2).then(() => fileAll(producer, demo, 7, { review_seconds: 3600 })),
  ];
  // One that fails ends them all, and none is left to start a process after the rest has gone.
  for (const part of parts) part.catch((reason: unknown) => up.abort(reason));
  await Promise.allSettled(parts);
  if (signal.aborted) throw signal.reason;
}

/**
 * An execution that is claimed within its minute and never admitted: without an outcome it must be reconciled, with one
 * it was done without asking. Looks seldom whether it may begin, for reads count for the producer's rate.
 */
async function claimUnadmitted(demo: Demo, producer: Client, reviewer: Client) {
  const execution = executionBinding({
    execution_seconds: 5,
    valid_until: new Date(Date.now() + 50_000).toISOString(),
  });
  const { body } = await producer.post('/v2/requests', executionInput(demo, { execution }));
  const path = `/v2/requests/${body.request.id}`;
  await decide(reviewer, body.request.id, 'authorise');
  for (let tries = 0; tries < 40; tries += 1) {
    const status = await producer.get(path);
    if (status.body.grant_state === 'available') {
      const input = claimInput(status);
      await producer.post(`${path}/claims`, input);
      return { path, execution_identity: input.execution_identity };
    }
    await delay(500);
  }
  throw new Error(`${path} was never available`);
}

const headersOf = (demo: Demo, credentials: Credentials) =>
  credentialHeaders(demo.origin, credentials);

/** One client's lifecycles, one after the other: the first all the time, the last only when there is most to do. */
async function work(
  demo: Demo,
  reviewers: readonly Client[],
  number: number,
  passed: () => number,
  goesOn: () => boolean,
): Promise<void> {
  const sessions = reviewers.map(({ credentials }) => headersOf(demo, credentials));
  const newRequest = requestBodies(demo.routes.execution);
  const walker = {
    connection: connect(demo.origin),
    target: {
      origin: demo.origin,
      producer: headersOf(demo, { token: demo.producer.token }),
      reviewers: sessions,
      route: demo.routes.execution,
      waits: true,
    },
    reviewer: sessions[number % sessions.length] ?? {},
    newRequest,
    wait: newWaiting(300),
    note: () => {},
  };
  while (goesOn()) {
    const busy = 0.55 + 0.45 * Math.sin((passed() / 60) * 2 * Math.PI - 1);
    if (number / CLIENTS > busy) {
      await delay(400);
      continue;
    }
    // The picture shows the effects of a service that is away.
    await walk(walker).catch(() => delay(500));
    await delay(900 + 200 * number);
  }
  walker.connection.close();
}

/** Refusals of any day: no credential, no right, no such thing, a body that does not fit, twice the same. */
async function blunder(
  demo: Demo,
  producer: Client,
  reviewer: Client,
  goesOn: () => boolean,
): Promise<void> {
  const stranger = new Client(demo.origin, { token: 'x'.repeat(43) });
  const publisher = new Client(demo.origin, { token: demo.publisher.token });
  const gone = await producer.post('/v2/requests', reviewInput(demo));
  const path = `/v2/requests/${gone.body.request.id}`;
  await producer.post(`${path}/cancel`);
  const blunders = [
    () => producer.post('/v2/requests', reviewInput(demo, { response_schema: { type: 'no' } })),
    () => reviewer.post(`${path}/candidates`, { response: { note: 'late' }, decision: 'approve' }),
    () => stranger.get('/v2/requests'),
    () => producer.get(`/v2/requests/${randomUUID()}`),
    () => publisher.post('/v2/requests', reviewInput(demo)),
    () => reviewer.post(`${path}/assignment`),
    () => producer.post(`${path}/cancel`),
  ];
  for (let turn = 0; goesOn(); turn += 1) {
    // An answer or none: both belong to the day.
    await blunders[turn % blunders.length]?.().catch(() => {});
    await delay(turn % 40 < 12 ? 150 : 700);
  }
}

async function fileAll(producer: Client, demo: Demo, many: number, changes: object): Promise<void> {
  for (let filed = 0; filed < many; filed += 1) {
    await producer.post('/v2/requests', reviewInput(demo, { ...changes }));
  }
}
