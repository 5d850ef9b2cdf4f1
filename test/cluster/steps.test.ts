import { wrongOf } from './support/steps.js';

// Which failed calls break the promise of a step.

const LOSS = { begin: 10_000, at: 10_500, failingMs: 10_000 };
const RETURN = { begin: 34_000, at: 34_000 };
const failed = (begun: number, said = 'create: no answer') => ({ begun, said });

it('a call may fail that begins soon after the fault of its step', () => {
  const judged = { step: LOSS, before: RETURN };
  expect(wrongOf([failed(10_200), failed(20_500)], judged)).toEqual([]);
  expect(wrongOf([failed(20_501)], judged)).toHaveLength(1);
});

it('a call that ends in the next step is judged by the step in which it began', () => {
  const judged = { step: RETURN, before: LOSS };
  expect(wrongOf([failed(12_000)], judged)).toEqual([]);
  expect(wrongOf([failed(25_000)], judged)).toHaveLength(1);
  expect(wrongOf([failed(34_100)], judged)).toHaveLength(1);
});

it('connections may be lost where the step says so, and no call may be refused', () => {
  const judged = { step: { ...RETURN, lostConnections: true }, before: LOSS };
  expect(wrongOf([failed(35_000, 'status: ECONNRESET after 4 ms')], judged)).toEqual([]);
  expect(wrongOf([failed(35_000, 'status: 503 service_unavailable')], judged)).toHaveLength(1);
});
