import { EXAMPLES } from '../records/examples.js';
import { mayUse } from './enrolment.js';
import { readPeople } from './people.js';
import { thumbprintOf } from './public-key.js';

const KEY = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const PERSON = `sha256:${'7e'.repeat(32)}`;

describe('a list of people', () => {
  it('gives the keys by principal', () => {
    const listed = [
      { principal: 'plat-1', person: PERSON, keys: [KEY] },
      { principal: 'fin-1', keys: [] },
    ];
    expect(readPeople(listed).people).toEqual(
      new Map([
        ['plat-1', { person: PERSON, keys: new Set([KEY]) }],
        ['fin-1', { person: null, keys: new Set() }],
      ]),
    );
  });

  it.each<[string, unknown]>([
    ['an object', {}],
    ['nothing', null],
    ['a list of names', ['plat-1']],
    ['an entry without a principal', [{ keys: [KEY] }]],
    ['an entry without keys', [{ principal: 'plat-1' }]],
    ['an unknown member', [{ principal: 'plat-1', keys: [KEY], note: '' }]],
    ['a principal that is none', [{ principal: 'plat 1', keys: [KEY] }]],
    ['a person that is no digest', [{ principal: 'plat-1', person: 'anna', keys: [KEY] }]],
    ['a key that is no thumbprint', [{ principal: 'plat-1', keys: [`${KEY}=`] }]],
    ['a key that is a JWK', [{ principal: 'plat-1', keys: [{ kty: 'OKP' }] }]],
    [
      'a principal twice',
      [
        { principal: 'plat-1', keys: [] },
        { principal: 'plat-1', keys: [KEY] },
      ],
    ],
    [
      'too many people',
      Array.from({ length: 10_001 }, (_, at) => ({ principal: `p${at}`, keys: [] })),
    ],
  ])('is refused with %s', (_, value) => {
    const read = readPeople(value);
    expect(read).toEqual({ people: null, fault: expect.stringMatching(/\.$/) });
  });
});

// The key and its thumbprint of RFC 8037, appendix A.3.
it('names a key by its RFC 7638 thumbprint', () => {
  expect(thumbprintOf(EXAMPLES.CredentialBound.public_key)).toBe(KEY);
});

it.each<[string, string, boolean]>([
  ['review.example', 'https://review.example', true],
  ['example', 'https://review.example:8443', true],
  ['localhost', 'http://localhost:8080', true],
  ['evil.example', 'https://review.example', false],
  ['view.example', 'https://review.example', false],
  ['a.review.example', 'https://review.example', false],
  ['review.example', 'https://review.example.evil', false],
  ['review.example', 'review.example', false],
])('keys of %s may be used at %s: %s', (rpId, origin, may) => {
  expect(mayUse(rpId, origin)).toBe(may);
});
