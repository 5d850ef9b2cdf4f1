import { setTimeout as delay } from 'node:timers/promises';
import { textDigest } from '@countersign/protocol';
import { credentialHeaders, operatorOf, personOf } from '../../support/client.js';
import type { Answer, Client } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { inParallel } from '../../support/parallel.js';
import { decide, reviewInput, until } from '../../support/requests.js';

// Calls that are held until something happens (protocol §6.5). A call that is not held at once ends after its time with the
// old answer, so that the state that each test asserts on is the proof.

/** Fewer than a principal's held calls: those take none of these places. */
const CALLS = 4;
const RATE = 400;
/** As long as a call may be held. */
const LONG = 30;

type Cast = Awaited<ReturnType<typeof startCast>>;

async function startCast(split: boolean) {
  const env = { CALLS_PER_PRINCIPAL: String(CALLS), RATE_PRINCIPAL: String(RATE) };
  const instance = await startInstance({ quotas: true, split, env });
  const { demo, dataDirectory } = instance;
  const operator = operatorOf(demo);
  const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
  return { instance, demo, operator, reviewer };
}

/** Repeats a call that found all places taken: the first looks of calls that begin together are calls under way. */
function patiently(call: () => Promise<Answer>): Promise<Answer> {
  return until(call, ({ status }) => status !== 429);
}

function held(client: Client, path: string, prefer: string, headers = {}): Promise<Answer> {
  return patiently(() => client.get(path, { headers: { prefer, ...headers } }));
}

const applied = ({ headers }: Answer) => headers.get('preference-applied');

/** As `held`, and again for a call that was answered at once, because another one had its place at that moment. */
function heldAtLast(client: Client, path: string, prefer: string, headers = {}): Promise<Answer> {
  return until(
    () => held(client, path, prefer, headers),
    (answer) => applied(answer) !== null,
  );
}

/** Resolves when the caller has as many held calls as it may. */
async function untilAllHeld(client: Client, path: string, prefer: string): Promise<void> {
  while (applied(await held(client, path, prefer)) !== null) {
    // This look was held in the place of a call that is to have it.
    await delay(300);
  }
}

async function newRequest(own: OwnRoute): Promise<string> {
  const created = await own.producer.post('/v2/requests', reviewInput(own.demo));
  expect(created.status).toBe(201);
  return `/v2/requests/${created.body.request.id}`;
}

/** A request that is as new as it will be until somebody acts on it: its creation is an event of the ledger. */
async function restingRequest(own: OwnRoute) {
  const path = await newRequest(own);
  const { body } = await own.producer.get(path);
  const head = await until(
    async () => Number((await own.producer.get('/v2/events')).headers.get('event-head')),
    (newest) => newest > 0,
  );
  return { path, revision: body.revision as number, head };
}

describe.each([
  ['in one process', false],
  ['over NATS', true],
])('a held call %s', (_, split) => {
  let cast: Cast;
  let own: OwnRoute;

  beforeAll(async () => {
    cast = await startCast(split);
  });
  afterAll(async () => {
    await cast?.instance.stop();
  });
  beforeEach(async () => {
    own = await newRoute(cast.demo, cast.operator, [cast.demo.people[1]!.id]);
  });

  it('for a status is answered once the request has a higher revision', async () => {
    const { path, revision } = await restingRequest(own);
    const waiting = held(own.producer, path, `wait=${LONG}; revision=${revision}`);
    expect((await decide(cast.reviewer, path.split('/').at(-1)!, 'approve')).status).toBe(200);
    const answer = await waiting;
    expect([answer.status, applied(answer)]).toEqual([200, `wait=${LONG}`]);
    expect(answer.body.decision_state).toBe('confirmed');
    expect(answer.body.revision).toBeGreaterThan(revision);
  });

  it('for events is answered once there is one above the cursor', async () => {
    const { head } = await restingRequest(own);
    const waiting = held(own.producer, `/v2/events?after=${head}`, `wait=${LONG}`);
    const path = await newRequest(own);
    const answer = await waiting;
    expect([answer.status, applied(answer)]).toEqual([200, `wait=${LONG}`]);
    expect(answer.body.items[0].payload.request_id).toBe(path.split('/').at(-1));
  });

  it('for a human-in-the-loop poll is answered once its ETag differs', async () => {
    const { path } = await restingRequest(own);
    const poll = `/v2/hitl/${path.split('/').at(-1)}/poll`;
    const known = (await own.producer.get(poll)).headers.get('etag')!;
    const waiting = held(own.producer, poll, `wait=${LONG}`, { 'if-none-match': known });
    expect((await own.producer.post(`${path}/cancel`)).status).toBe(200);
    const answer = await waiting;
    expect([answer.status, applied(answer)]).toEqual([200, `wait=${LONG}`]);
    expect(answer.body.status).toBe('cancelled');
    expect(answer.headers.get('etag')).toBe(`"${textDigest(answer.text).slice(7)}"`);
  });

  it('has the ordinary answer when its time is up', async () => {
    const { path, revision } = await restingRequest(own);
    const status = await held(own.producer, path, `wait=1; revision=${revision}`);
    expect([status.status, status.body.revision]).toEqual([200, revision]);
    const poll = `/v2/hitl/${path.split('/').at(-1)}/poll`;
    const known = (await own.producer.get(poll)).headers.get('etag')!;
    const unchanged = await held(own.producer, poll, 'wait=1', { 'if-none-match': known });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    expect([applied(status), applied(unchanged)]).toEqual(['wait=1', 'wait=1']);
  });

  it('is refused when its principal is disabled meanwhile', async () => {
    const { path, revision } = await restingRequest(own);
    const waiting = held(own.producer, path, `wait=${LONG}; revision=${revision + 100}`);
    await own.putProducer({ enabled: false });
    const answer = await waiting;
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthenticated']);
    expect(applied(answer)).toBeNull();
  });

  it('is refused when its request is not visible to the caller any more', async () => {
    const { path, revision } = await restingRequest(own);
    const waiting = held(cast.reviewer, path, `wait=${LONG}; revision=${revision + 100}`);
    await own.putRoute({ reviewers: [cast.demo.people[2]!.id] });
    const answer = await waiting;
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  });
});

describe('held calls', () => {
  let cast: Cast;
  let demo: Demo;
  let own: OwnRoute;

  beforeAll(async () => {
    cast = await startCast(false);
    demo = cast.demo;
  });
  afterAll(async () => {
    await cast?.instance.stop();
  });
  beforeEach(async () => {
    own = await newRoute(demo, cast.operator, [demo.people[1]!.id]);
  });

  it('are at most eight of one principal, and take no place of other calls', async () => {
    const { path, revision } = await restingRequest(own);
    const prefer = (seconds: number) => `wait=${seconds}; revision=${revision}`;
    const waiting = Array.from({ length: 8 }, () => heldAtLast(own.producer, path, prefer(LONG)));
    await untilAllHeld(own.producer, path, prefer(1));
    const others = await inParallel(Array(CALLS).fill(path), CALLS, () => own.producer.get(path));
    expect(others.map(({ status }) => status)).toEqual(Array(CALLS).fill(200));
    const second = await newRoute(demo, cast.operator, [demo.people[1]!.id]);
    const { path: theirs } = await restingRequest(second);
    expect(applied(await held(second.producer, theirs, 'wait=1; revision=100'))).toBe('wait=1');
    expect((await own.producer.post(`${path}/cancel`)).status).toBe(200);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ body }) => body.decision_state)).toEqual(Array(8).fill('cancelled'));
    expect(answers.map(applied)).toEqual(Array(8).fill(`wait=${LONG}`));
  });

  it('end when their caller closes the connection, which frees their places', async () => {
    const { path, revision } = await restingRequest(own);
    const prefer = (seconds: number) => `wait=${seconds}; revision=${revision}`;
    const leaving = new AbortController();
    const headers = {
      ...credentialHeaders(demo.origin, own.producer.credentials),
      prefer: prefer(LONG),
    };
    const left = Array.from({ length: CALLS }, () =>
      // As `heldAtLast`, by a connection that can be closed.
      until(
        () => fetch(demo.origin + path, { headers, signal: leaving.signal }),
        (answer) => answer.headers.has('preference-applied'),
      ),
    );
    const waiting = Array.from({ length: 8 - CALLS }, () =>
      heldAtLast(own.producer, path, prefer(LONG)),
    );
    await untilAllHeld(own.producer, path, prefer(1));
    leaving.abort();
    const ends = await Promise.allSettled(left);
    expect(ends.map(({ status }) => status)).toEqual(Array(CALLS).fill('rejected'));
    await until(
      () => held(own.producer, path, prefer(1)),
      (answer) => applied(answer) === 'wait=1',
    );
    expect((await own.producer.post(`${path}/cancel`)).status).toBe(200);
    await Promise.all(waiting);
  });

  it('count once for rates, however often they look', async () => {
    const { path, revision } = await restingRequest(own);
    const answers = await inParallel(Array(8).fill(null), CALLS, () =>
      own.producer.get(path, { headers: { prefer: `wait=3; revision=${revision}` } }),
    );
    expect(answers.map(applied)).toEqual(Array(8).fill('wait=3'));
    let calls = 0;
    for (; calls <= RATE; calls += 1) {
      if ((await own.producer.get(path)).status === 429) break;
    }
    // Those before the last were eight that were held, and a few that made the request.
    expect(calls).toBeGreaterThan(RATE - 8 - 30);
    expect(calls).toBeLessThan(RATE - 8);
  });

  it('are all answered when the gateway stops', async () => {
    const { path, revision, head } = await restingRequest(own);
    const poll = `/v2/hitl/${path.split('/').at(-1)}/poll`;
    const known = (await own.producer.get(poll)).headers.get('etag')!;
    const status = `wait=${LONG}; revision=${revision}`;
    const waiting = [
      ...Array.from({ length: 6 }, () => heldAtLast(own.producer, path, status)),
      heldAtLast(own.producer, `/v2/events?after=${head}`, `wait=${LONG}`),
      heldAtLast(own.producer, poll, `wait=${LONG}`, { 'if-none-match': known }),
    ];
    await untilAllHeld(own.producer, path, `wait=1; revision=${revision}`);
    const stopped = cast.instance.stop();
    const answers = await Promise.all(waiting);
    expect(answers.map((answer) => answer.status)).toEqual([...Array(7).fill(200), 304]);
    expect(answers.map(applied)).toEqual(Array(8).fill(`wait=${LONG}`));
    expect(answers[0]!.body.revision).toBe(revision);
    expect(answers[6]!.body.items).toEqual([]);
    expect(await stopped).toBe(0);
  });
});
