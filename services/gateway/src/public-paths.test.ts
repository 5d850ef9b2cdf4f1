import type { Bus } from '@countersign/platform';
import { EXAMPLES } from '@countersign/protocol';

import type { Call } from './call.js';
import type { PublicParts } from './public-paths.js';
import { publicPaths } from './public-paths.js';

/** The public paths over a store that counts its calls, and answers on a signal. */
function setup() {
  let asked = 0;
  const waiting: ((error?: Error) => void)[] = [];
  const probe = () => {
    asked += 1;
    return new Promise<void>((resolve, reject) => {
      waiting.push((error) => (error ? reject(error) : resolve()));
    });
  };
  const parts = {
    mode: 'development',
    origin: 'https://review.example',
    notifications: 'polling-only',
    offered: {},
    requestsPerMinute: 1,
    trust: EXAMPLES.TrustManifest,
    securityContact: null,
    store: { probe },
    bus: { ready: () => true } as Bus,
    take: () => Promise.resolve(),
    verifier: () => {},
  } as unknown as PublicParts;
  const paths = publicPaths(parts);
  const response = { setHeader: () => {}, end: () => {} };
  const get = async (path: string) => paths.get(path)?.({ response } as unknown as Call);
  const answer = (error?: Error) => waiting.splice(0).forEach((settle) => settle(error));
  return { get, answer, asked: () => asked };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const calls = (get: (path: string) => Promise<unknown>) =>
  Array.from({ length: 500 }, (_, n) => get(n % 2 === 0 ? '/readyz' : '/health'));

test('any number of calls of /readyz and /health asks the database once a second', async () => {
  const { get, answer, asked } = setup();
  const first = calls(get);
  // It is slow: it is not asked a second time meanwhile.
  await jest.advanceTimersByTimeAsync(3_000);
  answer();
  await Promise.all([...first, ...calls(get)]);
  expect(asked()).toBe(1);
  await jest.advanceTimersByTimeAsync(1_000);
  const later = calls(get);
  answer(new Error('gone'));
  const outcomes = await Promise.allSettled([...later, ...calls(get)]);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(asked()).toBe(2);
  await jest.advanceTimersByTimeAsync(1_000);
  const again = calls(get);
  answer();
  await Promise.all(again);
  expect(asked()).toBe(3);
});
