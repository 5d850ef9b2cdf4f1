import { setImmediate as laterTurn } from 'node:timers/promises';
import { sharing } from './sharing.js';
import { createTurn, turn } from './turn.js';

test('one caller goes on in each turn of the event loop, in the order in which they came', async () => {
  const gone: string[] = [];
  for (const name of ['a', 'b', 'c']) void turn().then(() => gone.push(name));
  const seen: string[] = [];
  for (let turns = 0; turns < 4; turns += 1) {
    seen.push(gone.join(''));
    await laterTurn();
  }
  expect(seen).toEqual(['', 'a', 'ab', 'abc']);
});

test('callers go on with pauses between them while several tenants call', async () => {
  sharing.note('a');
  sharing.note('b');
  const began = performance.now();
  await Promise.all([turn(), turn(), turn()]);
  // Timers may be a millisecond early.
  expect(performance.now() - began).toBeGreaterThan(6);
});

test('callers of one queue do not wait for those of another', async () => {
  const gone: string[] = [];
  const others = createTurn();
  const crowd = Promise.all(
    Array.from({ length: 20 }, () => others().then(() => gone.push('other'))),
  );
  await turn().then(() => gone.push('own'));
  expect(gone.length).toBeLessThanOrEqual(2);
  await crowd;
});
