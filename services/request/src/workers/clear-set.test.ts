import { clearSet } from './clear-set.js';

const POISONED = Object.assign(new Error('poisoned'), { code: 'P0001' });

/** Rows by number; those in `bad` fail, those in `held` are skipped as locked rows are. */
function setOf(
  many: number,
  bad: readonly number[],
  held: (call: number) => readonly number[] = () => [],
) {
  const rows = new Set(Array.from({ length: many }, (_, row) => row));
  let calls = 0;
  return {
    rows,
    name: 'rows',
    async clear(_tenant: string, most: number, skip: number) {
      const away = held((calls += 1));
      const page = [...rows].filter((row) => !away.includes(row)).slice(skip, skip + most);
      if (page.some((row) => bad.includes(row))) throw POISONED;
      for (const row of page) rows.delete(row);
      return page.length;
    },
  };
}

const failed: unknown[] = [];
const rowFailed = (error: unknown) => failed.push(error);
beforeEach(() => (failed.length = 0));

it('clears all that there is', async () => {
  const set = setOf(7, []);
  expect(await clearSet(set, 't', 10, rowFailed)).toEqual({
    more: false,
    failures: 0,
    elusive: false,
  });
  expect(set.rows.size).toBe(0);
});

it('clears no more than it may', async () => {
  const set = setOf(7, []);
  expect(await clearSet(set, 't', 5, rowFailed)).toEqual({
    more: true,
    failures: 0,
    elusive: false,
  });
  expect([...set.rows]).toEqual([5, 6]);
});

it('skips the rows that fail, each reported by itself', async () => {
  const set = setOf(20, [0, 13]);
  expect(await clearSet(set, 't', 30, rowFailed)).toEqual({
    more: false,
    failures: 2,
    elusive: false,
  });
  expect([...set.rows]).toEqual([0, 13]);
  expect(failed).toEqual([POISONED, POISONED]);
});

it('does not touch a set of which ten rows failed', async () => {
  const set = setOf(
    20,
    Array.from({ length: 20 }, (_, row) => row),
  );
  expect(await clearSet(set, 't', 100, rowFailed)).toMatchObject({ more: false, failures: 10 });
});

it('says so when a page fails and its row is held when its turn comes', async () => {
  const set = setOf(8, [0], (call) => (call === 1 ? [] : [0]));
  expect(await clearSet(set, 't', 20, rowFailed)).toEqual({
    more: false,
    failures: 0,
    elusive: true,
  });
  expect([...set.rows]).toEqual([0]);
});

it('throws a failure that no row causes', async () => {
  const broken = { name: 'rows', clear: () => Promise.reject(new Error('connection lost')) };
  await expect(clearSet(broken, 't', 5, rowFailed)).rejects.toThrow('connection lost');
});
