import { Refusal } from '@countersign/protocol';
import { busFaultOf, busRefusal } from './fault.js';
import { createFurtherTries } from './further-tries.js';
import type { BusReply } from './types.js';

const AFTER_MS = 800;
const TIMEOUT_MS = 10_000;
const ok = (body: string): BusReply => ({ status: 200, body });

/** A try as the bus sees it, settled by the test. */
interface Try {
  readonly timeoutMs: number;
  answer(reply: BusReply): void;
  fail(error: Error): void;
}

let tries: Try[];
const send = (timeoutMs: number): Promise<BusReply> =>
  new Promise((answer, fail) => tries.push({ timeoutMs, answer, fail }));

beforeEach(() => {
  jest.useFakeTimers();
  tries = [];
});
afterEach(() => jest.useRealTimers());

const silence = () => jest.advanceTimersByTimeAsync(AFTER_MS);
const outcomeOf = (call: Promise<BusReply>) =>
  call.then(
    ({ body }) => body,
    (error: unknown) => busFaultOf(error) ?? (error as Refusal).code,
  );

it('sends once what is answered in time', async () => {
  const call = outcomeOf(createFurtherTries({ afterMs: AFTER_MS })(TIMEOUT_MS, send));
  await jest.advanceTimersByTimeAsync(AFTER_MS - 1);
  tries[0]?.answer(ok('first'));
  expect(await call).toBe('first');
  await silence();
  expect(tries).toHaveLength(1);
});

it('sends once what is refused in time, by a service or by the bus', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS });
  for (const error of [new Refusal('not_found'), busRefusal('no_responder', 't.any')]) {
    tries = [];
    const call = outcomeOf(tried(TIMEOUT_MS, send));
    tries[0]?.fail(error);
    expect(await call).toBe(busFaultOf(error) ?? 'not_found');
    await silence();
    expect(tries).toHaveLength(1);
  }
});

it('sends a silent call once more, for the time that is left', async () => {
  const call = outcomeOf(createFurtherTries({ afterMs: AFTER_MS })(TIMEOUT_MS, send));
  await silence();
  expect(tries.map(({ timeoutMs }) => timeoutMs)).toEqual([TIMEOUT_MS, TIMEOUT_MS - AFTER_MS]);
  tries[1]?.answer(ok('second'));
  expect(await call).toBe('second');
  await jest.advanceTimersByTimeAsync(TIMEOUT_MS);
  expect(tries).toHaveLength(2);
});

it('sends again after each silence, while there is time', async () => {
  const call = outcomeOf(createFurtherTries({ afterMs: AFTER_MS })(3 * AFTER_MS, send));
  for (let n = 0; n < 5; n += 1) await silence();
  expect(tries.map(({ timeoutMs }) => timeoutMs)).toEqual([3, 2, 1].map((n) => n * AFTER_MS));
  tries[0]?.fail(busRefusal('timeout', 't.any'));
  tries[2]?.answer(ok('third'));
  expect(await call).toBe('third');
});

it('takes the first answer, a refusal as well', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS });
  const late = outcomeOf(tried(TIMEOUT_MS, send));
  await silence();
  tries[0]?.answer(ok('first'));
  expect(await late).toBe('first');
  tries = [];
  const refused = outcomeOf(tried(TIMEOUT_MS, send));
  await silence();
  tries[1]?.fail(new Refusal('not_found'));
  expect(await refused).toBe('not_found');
});

it('fails by a fault of the bus only when all tries have', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS });
  const saved = outcomeOf(tried(TIMEOUT_MS, send));
  await silence();
  tries[1]?.fail(busRefusal('overloaded', 't.any'));
  tries[0]?.answer(ok('first'));
  expect(await saved).toBe('first');
  tries = [];
  const lost = outcomeOf(tried(TIMEOUT_MS, send));
  await silence();
  tries[0]?.fail(busRefusal('timeout', 't.any'));
  tries[1]?.fail(busRefusal('no_responder', 't.any'));
  expect(await lost).toBe('no_responder');
});

it('has a bounded number of further tries under way', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS, most: 1 });
  const calls = [tried(TIMEOUT_MS, send), tried(TIMEOUT_MS, send)].map(outcomeOf);
  await silence();
  expect(tries).toHaveLength(3);
  for (const each of tries) each.answer(ok('done'));
  expect(await Promise.all(calls)).toEqual(['done', 'done']);
});

it('counts no tries of calls that were answered', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS, most: 1 });
  for (const name of ['first', 'second']) {
    tries = [];
    const call = outcomeOf(tried(TIMEOUT_MS, send));
    await silence();
    // The try before the last is lost for good, as one to a machine that is gone.
    tries[1]?.answer(ok(name));
    expect(await call).toBe(name);
  }
});

it('sends again later what had to wait for others', async () => {
  const tried = createFurtherTries({ afterMs: AFTER_MS, most: 1 });
  const calls = [tried(TIMEOUT_MS, send), tried(TIMEOUT_MS, send)].map(outcomeOf);
  await silence();
  tries[2]?.answer(ok('first'));
  await silence();
  expect(tries).toHaveLength(4);
  tries[3]?.answer(ok('second'));
  expect(await Promise.all(calls)).toEqual(['first', 'second']);
});

it('sends once what has no time for another', async () => {
  const call = outcomeOf(createFurtherTries({ afterMs: AFTER_MS })(AFTER_MS, send));
  await silence();
  tries[0]?.answer(ok('first'));
  expect(await call).toBe('first');
  expect(tries).toHaveLength(1);
});
