import { inTurns } from './in-turns.js';

/** Work that ends on a signal. */
function setup(places: number, patienceMs?: number) {
  const run = inTurns(places, patienceMs);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) =>
    run(name.split(' ')[0] as string, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const end = async () => {
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { run, work, begun, end };
}

describe('work in turns', () => {
  test('begins in the order of tenants, one piece of each at a time', async () => {
    const { work, begun, end } = setup(2);
    const all = ['a 1', 'a 2', 'a 3', 'a 4', 'a 5', 'b 1', 'b 2', 'c 1'].map(work);
    await new Promise(setImmediate);
    expect(begun).toEqual(['a 1', 'b 1']);
    for (const _ of all) await end();
    await Promise.all(all);
    expect(begun).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'c 1', 'a 3', 'a 4', 'a 5']);
  });

  test('gives its place back when it fails', async () => {
    const { run } = setup(1);
    for (let turn = 0; turn < 3; turn += 1) {
      await expect(run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await run('b', () => Promise.resolve(1))).toBe(1);
  });

  test('is refused when it has waited too long, and then leaves no trace', async () => {
    const { run, work, begun, end } = setup(1, 20);
    const first = work('a 1');
    await expect(work('a 2')).rejects.toMatchObject({ code: 'service_unavailable', retryAfter: 1 });
    await new Promise(setImmediate);
    await end();
    await first;
    expect(await run('b', () => Promise.resolve(1))).toBe(1);
    expect(begun).toEqual(['a 1']);
  });
});
