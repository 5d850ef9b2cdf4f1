import fc from 'fast-check';
import { isExactNumber, isMultipleOf } from './decimal.js';

describe('isExactNumber', () => {
  it('takes the engine’s numbers, apart from large integers', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const large = Number.isInteger(value) && !Number.isSafeInteger(value);
        expect(isExactNumber(JSON.stringify(value))).toBe(!large);
        expect(isExactNumber(value.toExponential())).toBe(!large);
      }),
    );
  });

  it('takes every decimal of fifteen digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
        fc.integer({ min: 0, max: 14 }),
        (digits, places) => {
          const text = String(digits).padStart(places + 1, '0');
          const point = text.length - places;
          expect(isExactNumber(`${text.slice(0, point)}.${text.slice(point)}0`)).toBe(true);
        },
      ),
    );
  });

  it('refuses a seventeenth digit that says something else', () => {
    expect(isExactNumber('0.10000000000000001')).toBe(false);
    expect(isExactNumber('2.0000000000000001')).toBe(false);
  });
});

describe('isMultipleOf', () => {
  it.each([
    [0.3, 0.1, true],
    [19.99, 0.01, true],
    [1.1, 0.1, true],
    [-4.5, 1.5, true],
    [0, 7, true],
    [1e300, 3, false],
    [5e-324, 1e-323, false],
    [1e-323, 5e-324, true],
    [9007199254740991, 2, false],
    [19.995, 0.01, false],
    [0.1, 0.3, false],
  ])('checks %p by %p', (value, step, expected) => {
    expect(isMultipleOf(value, step)).toBe(expected);
  });
});
