import { bodyText } from './input.js';

const around: Record<string, unknown> = {};
around['self'] = { around };
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

it('writes JSON', () => {
  const shared = { a: 1 };
  const value = { n: [1.5, -3, true, null, 'é\u2028'], twice: [shared, shared], deep: deep(62) };
  expect(JSON.parse(bodyText(value))).toEqual(value);
});

it.each<[string, unknown, string]>([
  ['undefined', { a: undefined }, '/a'],
  ['a hole', { a: Array(1) }, '/a/0'],
  ['NaN', [NaN], '/0'],
  ['an infinity', { a: { 'b/c': Infinity } }, '/a/b~1c'],
  ['a BigInt', { a: 1n }, '/a'],
  ['a function', { a: () => 1 }, '/a'],
  ['a symbol', { a: Symbol('x') }, '/a'],
  ['a date', { a: new Date(0) }, '/a'],
  ['a map', { a: new Map() }, '/a'],
  ['an object that writes itself', { a: { toJSON: () => 1 } }, '/a'],
  ['a cycle', around, '/self/around'],
  ['half a character', { a: ['\ud800'] }, '/a/0'],
  ['half a character in a name', { a: { '\udc00': 1 } }, '/a'],
  ['an integer beyond the safe ones', { a: 2 ** 53 }, '/a'],
  ['a value at level 65', { a: deep(64) }, `/a${'/0'.repeat(64)}`],
])('refuses %s, and names its place', (_, value, pointer) => {
  const refusal = () => bodyText(value);
  expect(refusal).toThrow(TypeError);
  expect(refusal).toThrow(new RegExp(`at ${pointer.replaceAll('/', '\\/')}$`));
});

it('never quotes a value', () => {
  expect(() => bodyText({ a: 'secret\ud800' })).toThrow(/^(?!.*secret)/);
});
