import type { HttpCount } from './store/index.js';
import { createHttpCounts } from './http-counts.js';

function setup() {
  const written: (readonly HttpCount[])[] = [];
  const faults: unknown[] = [];
  const log = { warn: jest.fn() };
  const store = {
    addHttpCounts(counts: readonly HttpCount[]): Promise<void> {
      const fault = faults.shift();
      if (fault !== undefined) return Promise.reject(fault as Error);
      written.push(counts);
      return Promise.resolve();
    },
  };
  return { counts: createHttpCounts(store, log), written, faults, log };
}

describe('counts of HTTP answers', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('are written about once a second, per tenant', async () => {
    const { counts, written } = setup();
    counts.count('acme', 200);
    counts.count('acme', 409);
    counts.count('acme', 503);
    counts.count('other', 304);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual([
      [
        { tenant: 'acme', total: 3, failures: 2, conflicts: 1 },
        { tenant: 'other', total: 1, failures: 0, conflicts: 0 },
      ],
    ]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(written).toHaveLength(1);
  });

  test('are kept while they cannot be written', async () => {
    const { counts, written, faults, log } = setup();
    faults.push(new Error('no database'));
    counts.count('acme', 200);
    await jest.advanceTimersByTimeAsync(1_000);
    expect([written, log.warn.mock.calls.length]).toEqual([[], 1]);
    counts.count('acme', 404);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual([[{ tenant: 'acme', total: 2, failures: 1, conflicts: 0 }]]);
  });

  test('are written at once when they are read', async () => {
    const { counts, written } = setup();
    counts.count('acme', 200);
    const first = counts.flush();
    counts.count('acme', 404);
    await Promise.all([first, counts.flush()]);
    expect(written.map(([one]) => one?.total)).toEqual([2]);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(written).toHaveLength(1);
  });

  test('are written at the end', async () => {
    const { counts, written } = setup();
    counts.count('acme', 200);
    await counts.stop();
    expect(written).toEqual([[{ tenant: 'acme', total: 1, failures: 0, conflicts: 0 }]]);
    await counts.stop();
    expect(written).toHaveLength(1);
  });
});
