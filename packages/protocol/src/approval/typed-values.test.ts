import type { JsonValue } from '../json/index.js';
import { areRight, isAllTyped, requireTypable } from './typed-values.js';

const asking = (...pointers: string[]) => ({
  typed: pointers.map((pointer) => ({ label: 'Value', pointer })),
});
const typed = (value: string, pointer = '/at') => [{ pointer, value }];

describe('a typed value', () => {
  test.each<[string, JsonValue, string, boolean]>([
    ['a text', 'ACME', 'ACME', true],
    ['a text with space around it', ' ACME\n', '\tACME ', true],
    ['a text in another Unicode form', 'Zo\u00eb', 'Zoe\u0308', true],
    ['a text in another case', 'ACME', 'acme', false],
    ['a text of compatible characters', 'ﬁ', 'fi', false],
    ['a number', 1, '1', true],
    ['a number with a decimal', 1, '1.0', true],
    ['a number with an exponent', 1, '1e0', true],
    ['a number with space', 1250.5, ' 1250.50 ', true],
    ['a number that JSON does not know', 1, '01', false],
    ['a number with separators', 1250, '1,250', false],
    ['another number', 1, '2', false],
    ['a number for a text of digits', '1', '1.0', false],
    ['a text for a number', 1, '"1"', false],
    ['a boolean', true, 'true', true],
    ['the other boolean', true, 'false', false],
    ['a boolean for a number', 1, 'true', false],
    ['null for nothing', null, 'null', false],
    ['an object', {}, '{}', false],
    ['an array', [], '[]', false],
  ])('%s', (_, expected, value, right) => {
    expect(areRight(typed(value), { at: expected })).toBe(right);
  });

  it('stands at a JSON Pointer', () => {
    const payload = { 'a/b': [{ 'm~n': 7 }], '': 8 };
    expect(areRight(typed('7', '/a~1b/0/m~0n'), payload)).toBe(true);
    expect(areRight(typed('8', '/'), payload)).toBe(true);
    expect(areRight(typed('9', ''), 9)).toBe(true);
  });

  test.each([
    '/b',
    '/list/1',
    '/list/-',
    '/list/00',
    '/list/length',
    '/at/length',
    '/constructor/name',
  ])('is not inherited or made up: %s', (pointer) => {
    expect(areRight(typed('1', pointer), { at: 'x', list: [1] })).toBe(false);
  });
});

describe('what the policy wants typed', () => {
  it('is all there, each once', () => {
    const asked = asking('/a', '/b');
    const both = [...typed('1', '/b'), ...typed('2', '/a')];
    expect(isAllTyped(asked, both)).toBe(true);
    expect(isAllTyped(asked, both.slice(1))).toBe(false);
    expect(isAllTyped(asked, [...typed('1', '/a'), ...typed('2', '/a')])).toBe(false);
    expect(isAllTyped(asked, [...both, ...typed('3', '/c')])).toBe(false);
    expect(isAllTyped(asking(), [])).toBe(true);
  });

  test.each<[string, JsonValue]>([
    ['nothing', {}],
    ['null', { at: null }],
    ['an object', { at: {} }],
    ['an array', { at: [] }],
    ['an empty text', { at: ' ' }],
    ['a text that is too long', { at: 'é'.repeat(1001) }],
  ])('can not be %s', (_, payload) => {
    expect(() => requireTypable(asking('/at'), payload)).toThrow(
      expect.objectContaining({ code: 'acknowledgement_unresolved' }),
    );
  });

  it('can be a text, a number or a boolean', () => {
    const payload = { a: '😀'.repeat(1000), b: 0, c: false };
    expect(() => requireTypable(asking('/a', '/b', '/c'), payload)).not.toThrow();
  });
});
