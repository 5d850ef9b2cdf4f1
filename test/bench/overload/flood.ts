import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { figuresOf } from '../load/latencies.js';
import type { StepFigures } from '../load/latencies.js';
import { requestBodies } from '../load/request-body.js';
import type { NewRequest } from '../load/request-body.js';
import { giveWay } from '../neighbours/give-way.js';

// A process that creates requests at a rate, whatever the answers are: callers who do not slow down.
giveWay();

/** Who creates requests on which route. */
export interface Creator {
  readonly headers: Readonly<Record<string, string>>;
  readonly route: string;
}

export interface FloodOrder {
  readonly origin: string;
  /** They take turns. */
  readonly creators: readonly Creator[];
  /** Calls a second; null: each connection's next call follows its answer. */
  readonly rate: number | null;
  /** The most calls at a time, each on a connection of its own. */
  readonly most: number;
  readonly seconds: number;
}

export interface FloodFigures {
  /** Calls that were sent, and those that found all connections taken, a second. */
  readonly offered: number;
  readonly sent: number;
  /** Calls that had their effect within the time, a second. */
  readonly accepted: number;
  readonly acceptedMs: StepFigures | null;
  readonly refusedMs: StepFigures | null;
  /** Refusals that do not say when to come again. */
  readonly withoutRetryAfter: number;
  /** By status, or by the code of the connection's fault. */
  readonly outcomes: Readonly<Record<string, number>>;
}

export type FloodReply = { began: true } | { figures: FloodFigures } | { error: string };

/** Calls under way before the time that counts. */
const RAMP_MS = 1_000;
const TICK_MS = 5;

interface Answered {
  readonly outcome: number | string;
  readonly retryAfter: boolean;
  readonly ms: number;
}

async function flood(order: FloodOrder, began: () => void): Promise<FloodFigures> {
  const { creators, rate, most, seconds } = order;
  const agent = new http.Agent({ keepAlive: true, maxSockets: most });
  const bodies = creators.map(({ route }) => requestBodies(route));
  const accepted: number[] = [];
  const refused: number[] = [];
  const outcomes: Record<string, number> = {};
  let [offered, sent, withoutRetryAfter, underWay, turn] = [0, 0, 0, 0, 0];
  let counts = false;
  let ended = false;

  async function call(): Promise<void> {
    const number = turn++ % creators.length;
    underWay += 1;
    if (counts) sent += 1;
    const answer = await create(order.origin, agent, creators[number] as Creator, bodies[number]!);
    underWay -= 1;
    if (!counts) return;
    const { outcome, retryAfter, ms } = answer;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 201) accepted.push(ms);
    else {
      refused.push(ms);
      if (!retryAfter) withoutRetryAfter += 1;
    }
  }

  /** What is offered beyond the connections is lost, as at a caller that gives up. */
  async function atRate(perSecond: number): Promise<void> {
    const start = performance.now();
    let due = 0;
    while (!ended) {
      const now = ((performance.now() - start) / 1_000) * perSecond;
      for (; due < now; due += 1) {
        if (counts) offered += 1;
        if (underWay < most) void call();
      }
      await delay(TICK_MS);
    }
  }

  async function inTurn(): Promise<void> {
    while (!ended) {
      if (counts) offered += 1;
      await call();
    }
  }

  const running = rate === null ? Promise.all(Array.from({ length: most }, inTurn)) : atRate(rate);
  await delay(RAMP_MS);
  counts = true;
  began();
  const start = performance.now();
  await delay(seconds * 1_000);
  const took = (performance.now() - start) / 1_000;
  counts = false;
  ended = true;
  await running;
  agent.destroy();
  return {
    offered: offered / took,
    sent: sent / took,
    accepted: accepted.length / took,
    acceptedMs: figuresOf(accepted, 0),
    refusedMs: figuresOf(refused, 0),
    withoutRetryAfter,
    outcomes,
  };
}

function create(
  origin: string,
  agent: http.Agent,
  { headers }: Creator,
  newRequest: (occurrence: string) => NewRequest,
): Promise<Answered> {
  const { body } = newRequest(`deploy/shop-frontend/${randomUUID()}`);
  const { hostname, port } = new URL(origin);
  const begin = performance.now();
  return new Promise((resolve) => {
    const end = (outcome: number | string, retryAfter = false): void =>
      resolve({ outcome, retryAfter, ms: performance.now() - begin });
    const request = http.request({
      ...{ agent, hostname, port, method: 'POST', path: '/v2/requests' },
      headers: {
        ...headers,
        'idempotency-key': randomUUID(),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    });
    request.on('error', ({ code, message }: NodeJS.ErrnoException) => end(code ?? message));
    request.once('response', (response) => {
      response.on('error', ({ code, message }: NodeJS.ErrnoException) => end(code ?? message));
      response.once('end', () =>
        end(response.statusCode ?? 0, response.headers['retry-after'] !== undefined),
      );
      response.resume();
    });
    request.end(body);
  });
}

process.on('message', (order: FloodOrder) => {
  const reply = (message: FloodReply): void => void process.send?.(message);
  flood(order, () => reply({ began: true })).then(
    (figures) => reply({ figures }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
