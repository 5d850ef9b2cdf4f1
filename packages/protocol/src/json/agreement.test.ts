import fc from 'fast-check';
import { Refusal } from '../errors.js';
import { canonicalText } from './canonical.js';
import { parseStrictJson } from './strict-body.js';
import { canonicalByHand } from './testing/canonical-by-hand.js';

function canonicalByReader(text: string): string | null {
  try {
    return canonicalText(parseStrictJson(Buffer.from(text)));
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return null;
  }
}

const spacing = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n ');
const stringText = fc
  .oneof(
    { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
    { weight: 2, arbitrary: fc.constantFrom('__proto__', 'constructor', 'a', '1', '01', '') },
  )
  .chain((text) =>
    fc.boolean().map((escaped) =>
      escaped
        ? `"${text
            .split('')
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
            .join('')}"`
        : JSON.stringify(text),
    ),
  );
const numberText = fc.oneof(
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '-0',
    '1.0',
    '2.50',
    '1e2',
    '0.1',
    '1E-7',
    '9007199254740992',
    '1e400',
    '0e9',
    '0e912345678',
    '1e-912345678',
  ),
  fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/),
);
const { document } = fc.letrec<{ document: string; value: string }>((tie) => ({
  document: tie('value'),
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    { weight: 2, arbitrary: numberText },
    { weight: 2, arbitrary: stringText },
    { weight: 1, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.array(tie('value'), { maxLength: 5 }), spacing)
        .map(([items, space]) => `[${space}${items.join(`,${space}`)}${space}]`),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.array(fc.tuple(stringText, tie('value')), { maxLength: 5 }), spacing)
        .map(
          ([members, space]) =>
            `{${members.map(([key, value]) => `${space}${key}${space}:${value}`).join(',')}}`,
        ),
    },
  ),
}));
const noise = fc.constantFrom(
  ...['"', '\\', '{', '}', '[', ']', ',', ':', '0', '9', '.', 'e', '-', '+', ' ', '\0', 'é', '😀'],
  ...['\\u', '\\ud800', '\\u0061', '"a":1,', '1,', '\uFEFF', 'null', '//'],
);

describe('the strict reader and the canonical form', () => {
  it('agree with a reading by hand', () => {
    fc.assert(
      fc.property(document, (text) => {
        expect(canonicalByReader(text)).toBe(canonicalByHand(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('agree with it on damaged texts', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.nat(3), noise, (text, place, cut, insertion) => {
        const at = place % (text.length + 1);
        const damaged = Buffer.from(
          text.slice(0, at) + insertion + text.slice(at + cut),
        ).toString();
        expect(canonicalByReader(damaged)).toBe(canonicalByHand(damaged));
      }),
      { numRuns: 3000 },
    );
  });

  it('are idempotent', () => {
    fc.assert(
      fc.property(document, (text) => {
        const canonical = canonicalByReader(text);
        fc.pre(canonical !== null);
        expect(canonicalByReader(canonical as string)).toBe(canonical);
      }),
    );
  });
});
