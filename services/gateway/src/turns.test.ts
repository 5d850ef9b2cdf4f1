import { createSharing } from '@countersign/platform';

import { createTurns } from './turns.js';

const settle = () => new Promise(setImmediate);

/** Work that has begun and not ended. */
const ends = new Map<string, () => void>();

afterEach(async () => {
  while (ends.size > 0) {
    for (const end of ends.values()) end();
    await settle();
  }
});

/** Work that ends when it is told to. */
function setup(shared: number, patienceMs?: number, always = false) {
  let time = 0;
  const turns = createTurns(shared, {
    ...(patienceMs && { patienceMs }),
    always,
    sharing: createSharing(() => time),
  });
  const begun: string[] = [];
  const call = (name: string) =>
    turns.of(name.split(' ')[0] as string, () => {
      begun.push(name);
      return new Promise<void>((resolve) =>
        ends.set(name, () => {
          ends.delete(name);
          resolve();
        }),
      );
    });
  const callAll = (names: readonly string[]) => names.forEach((name) => void call(name));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { turns, call, callAll, begun, end, pass: (ms: number) => (time += ms) };
}

const calls = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, place) => `${tenant} ${place + 1}`);

describe('turns', () => {
  test('are not waited for by a tenant that calls alone', async () => {
    const { callAll, begun } = setup(2);
    callAll(calls('a', 100));
    expect(begun).toHaveLength(100);
  });

  test('are waited for by a tenant that calls alone where they always count', async () => {
    const { call, begun, end } = setup(2, undefined, true);
    for (const name of calls('a', 3)) void call(name);
    expect(begun).toEqual(['a 1', 'a 2']);
    await end('a 2');
    expect(begun).toEqual(['a 1', 'a 2', 'a 3']);
  });

  test('are shared equally by tenants that call at the same time', async () => {
    const { call, callAll, begun, end } = setup(4);
    void call('b 0');
    await end('b 0');
    callAll([...calls('a', 6), ...calls('b', 6)]);
    await settle();
    // The first four calls came before the other tenant's.
    expect(begun.slice(1)).toEqual(['a 1', 'a 2', 'a 3', 'a 4', 'b 1', 'b 2']);
    for (const name of ['a 1', 'a 2', 'a 3', 'b 1']) await end(name);
    expect(begun.slice(7)).toEqual(['a 5', 'b 3']);
  });

  test('are passed on by a call that takes long', async () => {
    const { call, begun, end } = setup(1);
    void call('b 1');
    await end('b 1');
    void call('a 1');
    const second = call('a 2');
    expect(begun).toEqual(['b 1', 'a 1']);
    while (begun.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    await end('a 1');
    await end('a 2');
    await second;
  });

  test('are not waited for because another tenant called long ago', () => {
    const { call, callAll, begun, pass } = setup(1);
    void call('b 1');
    pass(2_000);
    callAll(calls('a', 3));
    expect(begun).toEqual(['b 1', 'a 1', 'a 2', 'a 3']);
  });

  test('are no longer shared two seconds after another tenant called', async () => {
    const { call, callAll, begun, end, pass } = setup(1);
    void call('b 1');
    await end('b 1');
    callAll(calls('a', 2));
    expect(begun).toEqual(['b 1', 'a 1']);
    pass(2_000);
    await end('a 1');
    void call('a 3');
    void call('a 4');
    expect(begun).toEqual(['b 1', 'a 1', 'a 2', 'a 3', 'a 4']);
  });

  test('come back from work that fails', async () => {
    const { turns, call, end } = setup(1);
    void call('b 1');
    await end('b 1');
    for (let turn = 0; turn < 3; turn += 1) {
      await expect(turns.of('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await turns.of('a', () => Promise.resolve(1))).toBe(1);
  });

  test('are not waited for too long, and a refused call leaves nothing', async () => {
    const { call, begun, end } = setup(1, 20);
    void call('b 1');
    void call('a 1');
    await expect(call('a 2')).rejects.toMatchObject({ code: 'service_unavailable', retryAfter: 1 });
    await end('b 1');
    await end('a 1');
    void call('b 2');
    void call('a 3');
    expect(begun).toEqual(['b 1', 'a 1', 'b 2', 'a 3']);
  });
});
