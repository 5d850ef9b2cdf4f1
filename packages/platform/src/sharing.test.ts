import { createSharing } from './sharing.js';

function setup() {
  let time = 0;
  const sharing = createSharing(() => time);
  return { ...sharing, pass: (ms: number) => (time += ms) };
}

test('a process is shared for two seconds after the call of the tenant that called earlier', () => {
  const { note, isShared, pass } = setup();
  note('a');
  pass(800);
  expect(isShared()).toBe(false);
  note('b');
  expect(isShared()).toBe(true);
  pass(1_199);
  expect(isShared()).toBe(true);
  pass(1);
  expect(isShared()).toBe(false);
});

test('a tenant that calls again and again does not share by itself', () => {
  const { note, isShared, pass } = setup();
  note('b');
  pass(2_000);
  for (let calls = 0; calls < 3; calls += 1) note('a');
  expect(isShared()).toBe(false);
});
