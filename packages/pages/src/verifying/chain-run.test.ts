import { Problem } from '../api/problem.js';
import { verifyChain } from './chain-run.js';
import type { Run } from './chain-run.js';

const ENTRIES = 250;

/** A service with so many entries in pages of 100, and a verifier that fails at `bad`. */
function setUp(bad = Infinity) {
  const asked: number[] = [];
  const paused: number[] = [];
  const stop = new AbortController();
  let end = 0;
  const run: Run = {
    signal: stop.signal,
    onProgress: () => {},
    pause: async (milliseconds) => void paused.push(milliseconds),
    async page(after) {
      asked.push(after);
      const numbers = Array.from({ length: 100 }, (_, place) => after + place + 1);
      return JSON.stringify(
        numbers.filter((each) => each <= ENTRIES).map((each) => ({ sequence: String(each) })),
      );
    },
    last: (text) => Number((JSON.parse(text) as { sequence: string }[]).at(-1)?.sequence) || null,
    async verify(text) {
      const page = JSON.parse(text) as { sequence: string }[];
      const good = page.filter(({ sequence }) => Number(sequence) < bad).length;
      end += good;
      return {
        end: { sequence: end, head: `h${end}` },
        entries: good,
        signatures: good,
        fault: good < page.length ? { sequence: end + 1, says: 'no' } : null,
      };
    },
  };
  return { run, asked, paused, stop };
}

it('goes through every page and ends with the head', async () => {
  const { run, asked } = setUp();
  const ending = await verifyChain(run);
  expect(ending).toEqual({
    how: 'holds',
    progress: { entries: 250, signatures: 250, head: 'h250', sequence: 250 },
  });
  expect(asked).toEqual([0, 100, 200, 250]);
});

it('ends at the first entry that does not hold', async () => {
  const { run } = setUp(131);
  expect(await verifyChain(run)).toMatchObject({
    how: 'fails',
    sequence: 131,
    progress: { entries: 130 },
  });
});

it('waits as long as the service says when it asks too often', async () => {
  const { run, paused } = setUp();
  const { page } = run;
  let refused = 0;
  const limited: Run = {
    ...run,
    async page(after, signal) {
      if (after === 100 && refused++ < 2) {
        const parts = { status: 429, code: 'rate_limited', title: '', detail: '', trace: '' };
        throw new Problem({ ...parts, retryAfter: 7 });
      }
      return page(after, signal);
    },
  };
  expect((await verifyChain(limited)).how).toBe('holds');
  expect(paused.filter((milliseconds) => milliseconds === 7000)).toHaveLength(2);
});

it('stops when asked to, and says how far it came', async () => {
  const { run, stop } = setUp();
  const stopping: Run = { ...run, onProgress: ({ entries }) => entries >= 200 && stop.abort() };
  expect(await verifyChain(stopping)).toMatchObject({ how: 'stopped', progress: { entries: 200 } });
});

it('distinguishes an outage from a ledger that fails its verification', async () => {
  const { run } = setUp();
  const cut: Run = {
    ...run,
    page: (after, signal) =>
      after > 0 ? Promise.reject(new Error('cut')) : run.page(after, signal),
  };
  expect(await verifyChain(cut)).toMatchObject({ how: 'broken', progress: { entries: 100 } });
});
