import { snapshotOf } from './snapshot.js';

const taken = (value: unknown) => snapshotOf(value, 'the arguments');

it('is a frozen copy that later changes do not reach', () => {
  const args = { list: [{ amount: 1 }], text: 'é', nothing: null, zero: -0 };
  const copy = taken(args) as typeof args;
  args.list[0]!.amount = 2;
  expect(copy).toEqual({ list: [{ amount: 1 }], text: 'é', nothing: null, zero: 0 });
  expect([Object.isFrozen(copy), Object.isFrozen(copy.list[0])]).toEqual([true, true]);
});

it('reads each member once', () => {
  let reads = 0;
  const args = {
    get amount() {
      return (reads += 1);
    },
  };
  expect(taken(args)).toEqual({ amount: 1 });
  const lies = new Proxy({ amount: 1 }, { get: () => (reads += 1) });
  expect(taken(lies)).toEqual({ amount: 2 });
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;
let deep: unknown = 1;
for (let level = 0; level < 61; level += 1) deep = [deep];

it.each<[string, unknown, string]>([
  ['undefined', { a: { b: undefined } }, '/a/b'],
  ['a function', { a: () => 1 }, '/a'],
  ['a BigInt', [1n], '/0'],
  ['a symbol', { a: Symbol('a') }, '/a'],
  ['NaN', { a: Number.NaN }, '/a'],
  ['infinity', { a: [Number.POSITIVE_INFINITY] }, '/a/0'],
  ['an integer that is not safe', { 'a/b~': 2 ** 53 }, '/a~1b~0'],
  ['half a character', { a: '\uD800' }, '/a'],
  ['a name with half a character', { '\uD800': 1 }, 'the root'],
  ['a date', { a: new Date(0) }, '/a'],
  ['a map', { a: new Map() }, '/a'],
  ['a hole', { a: new Array(2) }, '/a/0'],
  ['a cycle', cycle, '/self'],
  ['61 levels', deep, `${'/0'.repeat(61)}`],
  ['nothing', undefined, 'the root'],
])('refuses %s, and names its place', (_, value, place) => {
  expect(() => taken(value)).toThrow(TypeError);
  expect(() => taken(value)).toThrow(`at ${place}`);
});
