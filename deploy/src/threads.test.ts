import { TARGETS } from './modules.js';
import { THREADS } from './threads.js';

test('every target has its place in one thread', () => {
  expect(Object.values(THREADS).flat().sort()).toEqual([...TARGETS].sort());
});
