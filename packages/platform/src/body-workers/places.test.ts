import { Places } from './places.js';
import type { Leave, PlaceLimits } from './places.js';

const limits: PlaceLimits = {
  bytes: 30,
  tenantBytes: 20,
  waiting: 4,
  waitingOfOwner: 2,
  waitMs: 10_000,
};
const noPlace = expect.objectContaining({ code: 'service_unavailable', retryAfter: 2 });

/** Takes places by name and tells which were given. */
function setup(changes: Partial<PlaceLimits> = {}) {
  const places = new Places({ ...limits, ...changes });
  const inside = new Map<string, Leave>();
  const refused: string[] = [];
  const enter = (name: string, tenant: string, id: string, bytes: number, signal?: AbortSignal) =>
    void places.take({ tenant, id }, bytes, signal).then(
      (leave) => inside.set(name, leave),
      () => refused.push(name),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const names = async () => {
    await turn();
    return [...inside.keys()].join(' ');
  };
  const leave = async (name: string) => {
    inside.get(name)?.();
    inside.delete(name);
    return names();
  };
  return { places, enter, leave, names, refused };
}

it('gives one caller one place after the other, and others theirs meanwhile', async () => {
  const { enter, leave, names } = setup();
  enter('a1', 't', 'a', 5);
  enter('a2', 't', 'a', 5);
  enter('b1', 't', 'b', 5);
  // Ids of two tenants are of two people.
  enter('c1', 'u', 'a', 5);
  expect(await names()).toBe('a1 b1 c1');
  expect(await leave('a1')).toBe('b1 c1 a2');
});

it('leaves room for other tenants', async () => {
  const { enter, leave, names } = setup();
  enter('a', 't', 'a', 10);
  enter('b', 't', 'b', 10);
  enter('c', 't', 'c', 10);
  enter('d', 'u', 'd', 10);
  expect(await names()).toBe('a b d');
  expect(await leave('d')).toBe('a b');
  expect(await leave('a')).toBe('b c');
});

it('lets no smaller body pass one that waits for room', async () => {
  const { enter, leave, names } = setup();
  enter('a', 't', 'a', 20);
  enter('b', 'u', 'b', 15);
  enter('c', 'v', 'c', 5);
  expect(await names()).toBe('a');
  expect(await leave('a')).toBe('b c');
});

it('takes a body of any size alone', async () => {
  const { enter, leave, names } = setup();
  enter('a', 't', 'a', 50);
  enter('b', 'u', 'b', 1);
  expect(await names()).toBe('a');
  expect(await leave('a')).toBe('b');
});

it('gives a place back once', async () => {
  const { places, enter, names } = setup();
  const leave = await places.take({ tenant: 't', id: 'a' }, 20);
  leave();
  leave();
  enter('b', 't', 'b', 20);
  enter('c', 'u', 'c', 20);
  expect(await names()).toBe('b');
});

it('refuses a body that finds no room to wait, of one caller and of all', async () => {
  const { enter, names, refused } = setup();
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter(name, 't', 'a', 20);
  await names();
  expect(refused).toEqual(['a4']);
  for (const name of ['b', 'c', 'd']) enter(name, 'u', name, 20);
  await names();
  expect(refused).toEqual(['a4', 'd']);
});

it('refuses a body that has waited for too long', async () => {
  const { places } = setup({ waitMs: 1 });
  const leave = await places.take({ tenant: 't', id: 'a' }, 1);
  await expect(places.take({ tenant: 't', id: 'a' }, 1)).rejects.toEqual(noPlace);
  leave();
  await places.take({ tenant: 't', id: 'a' }, 1);
});

it('forgets a caller that went away', async () => {
  const { places, enter, leave, names } = setup();
  enter('a', 't', 'a', 20);
  const gone = new AbortController();
  enter('b', 'u', 'b', 20, gone.signal);
  enter('c', 'v', 'c', 10);
  expect(await names()).toBe('a');
  gone.abort(new Error('gone'));
  expect(await names()).toBe('a c');
  await expect(places.take({ tenant: 'w', id: 'd' }, 1, gone.signal)).rejects.toThrow('gone');
  expect(await leave('a')).toBe('c');
});
