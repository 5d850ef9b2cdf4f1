import { createHash } from 'node:crypto';
import { Refusal } from '../errors.js';
import { generateSigningKey, signerFromPem } from '../signing/keys.js';
import { signRecord } from '../signing/signed-record.js';
import type { RecordHeader } from '../signing/signed-record.js';
import { createTrustManifest } from '../signing/change-trust.js';
import { loadTrust } from '../signing/trust-manifest.js';
import { verifyRecord } from '../signing/verify-record.js';
import type { JsonValue } from './value.js';
import { canonicalText, textDigest, valueDigest } from './canonical.js';
import { parseStrictJson } from './strict-body.js';
import { canonicalByHand } from './testing/canonical-by-hand.js';

/** `BODIES=100000` for a release; as many as CI has time for otherwise. */
const BODIES = Number(process.env['BODIES'] ?? 20_000);

/** Possible answers of reviewers, as text: every kind of value, and of name. */
const ANSWERS: readonly string[] = [
  '{"response":{"choice":"accept","score":0.1,"note":"déjà vu — ✓"},"decision":"answer"}',
  '{"decision":"authorise","response":{"limits":[1,2,3],"until":1e2,"nested":{"b":{"a":null},"a":[[],{}]}}}',
  '{"response":{"__proto__":{"admin":true},"constructor":1,"toString":"x","":0,"1":1,"01":1},"decision":"reject"}',
  '{"response":[9007199254740991,-9007199254740991,0.30000000000000004,5e-324,-0,true,false,null],"decision":"approve"}',
  '{"response":"\\u00e9 e\\u0301 \\u200b\\u202e\\u2066 \\ud83d\\ude00 \\u0000 \\u001f / \\\\ \\"","decision":"refuse"}',
  // By code units the first comes first, by code points the second.
  '{"response":{"\\ud83d\\ude00":1,"\\uff5e":2},"decision":"answer"}',
];

type Random = (below: number) => number;

function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[random(items.length)] as Item;

/** Other spellings of a number: of the same, of its neighbour, or of none that is exact. */
const NUMBERS = [
  ...['1', '1.0', '1e0', '10e-1', '1E+0', '01', '1.', '+1', '0x1', '-1', '-0', '0', '-0.0', '0e9'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '1e21', '1e400', '1e-400', 'NaN'],
  ...['0.1', '0.10', '0.1000000000000000055', '0.100000000000000001', '333333333.33333329'],
];
/** Characters that a text may hide, or that confuse a reader. */
const PIECES = [
  ...[
    '\u0065\u0301',
    '\u00e9',
    '\u200b',
    '\u202e',
    '\u2066',
    '\ufeff',
    '\u00a0',
    '\u{e0041}',
    '\u{1f600}',
  ],
  ...[
    '\\ud800',
    '\\udc00',
    '\\ud83d\\ude00',
    '\\u0061',
    '\\u0000',
    '\\/',
    '\\x',
    '\u0000',
    '\n',
    '"',
    '\\',
  ],
  ...['__proto__', 'constructor'],
];
const SPACES = [' ', '\t', '\r\n', '\u00a0', '\u2028', '/**/', ','];

type Mutation = (text: string, random: Random) => string;

const MUTATIONS: readonly Mutation[] = [
  // Members in another order: everything that is an object, from its end to its beginning.
  (text) => reordered(text),
  // A member twice, spelled alike or otherwise.
  (text, random) => {
    const names = [...text.matchAll(/"((?:[^"\\]|\\.)*)":/g)];
    const name = pick(names, random);
    if (name === undefined) return text;
    const spelled = random(2) === 0 ? name[1] : escaped(name[1] ?? '');
    return insert(text, name.index, `"${spelled}":${pick(NUMBERS, random)},`);
  },
  (text, random) => {
    const found = pick([...text.matchAll(/-?\d+(?:\.\d+)?(?:e-?\d+)?/g)], random);
    if (found === undefined) return text;
    const after = text.slice(found.index + found[0].length);
    return text.slice(0, found.index) + pick(NUMBERS, random) + after;
  },
  (text, random) => insert(text, random(text.length + 1), pick(PIECES, random)),
  (text, random) => {
    const [quote] = [pick([...text.matchAll(/"/g)], random)];
    return quote === undefined ? text : insert(text, quote.index + 1, pick(PIECES, random));
  },
  (text, random) => {
    const place = pick([...text.matchAll(/[{}[\],:]/g)], random);
    return place === undefined ? text : insert(text, place.index, pick(SPACES, random));
  },
  (text, random) => {
    const at = random(text.length + 1);
    return text.slice(0, at) + text.slice(at + 1 + random(3));
  },
  (text, random) => {
    const at = random(text.length);
    const code = (text.charCodeAt(at) ^ (1 << random(7))) & 0xffff;
    return text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
  },
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text, random) => '['.repeat(random(70)) + text + ']'.repeat(random(70)),
];

function insert(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

function reordered(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
  } catch {
    return text;
  }
}

/** Bodies as bytes, including bytes that no text encodes to but a sender can send. */
function* bodies(count: number, seed: number): Generator<Buffer> {
  const random = seeded(seed);
  for (let number = 0; number < count; number += 1) {
    let text = pick(ANSWERS, random);
    for (let rounds = random(4); rounds >= 0; rounds -= 1) {
      text = pick(MUTATIONS, random)(text, random);
    }
    yield Buffer.from(text);
  }
}

function byReader(body: Buffer): string | null {
  try {
    return canonicalText(parseStrictJson(body));
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Bytes that are no UTF-8 are no text that a reading by hand could get. */
const byHand = (body: Buffer): string | null => canonicalByHand(body.toString());

/** Plausible canonicalisers: each is right but for one rule. */
const WRONG: readonly [what: string, reader: (body: Buffer) => string | null][] = [
  ['lets a member stand twice', (body) => withJson(body, (text) => JSON.parse(text))],
  [
    'rounds integers',
    (body) => byReader(body) ?? (/\d{16}/.test(String(body)) ? withJson(body, JSON.parse) : null),
  ],
  ['normalises texts', (body) => byReader(Buffer.from(body.toString().normalize('NFC')))],
  [
    'sorts by code points',
    (body) =>
      withValue(body, (value) => {
        const keys = (object: object) =>
          Object.keys(object).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const write = (part: unknown): string =>
          Array.isArray(part)
            ? `[${part.map(write).join()}]`
            : typeof part === 'object' && part !== null
              ? `{${keys(part)
                  .map((key) => `${JSON.stringify(key)}:${write((part as never)[key])}`)
                  .join()}}`
              : JSON.stringify(part);
        return write(value);
      }),
  ],
  ['keeps a minus before zero', (body) => byReader(body)?.replace(/:0([,}])/g, ':-0$1') ?? null],
  [
    'drops a byte-order mark',
    (body) => byReader(Buffer.from(body.toString().replace(/^\ufeff/, ''))),
  ],
  [
    'drops invisible characters',
    (body) => byReader(Buffer.from(body.toString().replace(/\u200b/g, ''))),
  ],
  [
    'loses __proto__',
    (body) =>
      withValue(body, (value) =>
        canonicalText(JSON.parse(JSON.stringify(Object.assign({}, value)))),
      ),
  ],
  ['lets lone surrogates through', (body) => withJson(body, JSON.parse)],
  [
    'lets any depth through',
    (body) =>
      String(body).startsWith('['.repeat(65)) ? withJson(body, JSON.parse) : byReader(body),
  ],
  [
    'takes a space for none',
    (body) => byReader(Buffer.from(body.toString().replace(/\u00a0/g, ' '))),
  ],
];

function withJson(body: Buffer, parse: (text: string) => unknown): string | null {
  try {
    return canonicalText(parse(body.toString()));
  } catch {
    return null;
  }
}

function withValue(body: Buffer, write: (value: JsonValue) => string): string | null {
  try {
    return write(parseStrictJson(body));
  } catch {
    return null;
  }
}

describe(`${BODIES} mutated bodies (invariant I5)`, () => {
  it('have one canonical form in two independent readings, or are refused by both', () => {
    let accepted = 0;
    for (const body of bodies(BODIES, 1)) {
      const [one, other] = [byReader(body), byHand(body)];
      if (one !== other) expect([body.toString(), one]).toEqual([body.toString(), other]);
      if (one !== null) accepted += 1;
    }
    // Both kinds are there in numbers.
    expect(accepted).toBeGreaterThan(BODIES / 10);
    expect(accepted).toBeLessThan((BODIES * 9) / 10);
  }, 600_000);

  it('are signed over as they were frozen: no other body verifies in the place of one', () => {
    const { privatePem, publicPem } = generateSigningKey('k');
    const issuer = 'https://review.example';
    const from = { notBefore: 0, notAfter: 2_000_000_000_000 };
    const trust = loadTrust(createTrustManifest(issuer, { keyId: 'k', publicPem, ...from }));
    const header = {
      type: 'RouteConfigured',
      purpose: 'service',
      profiles: {},
      issuer,
      audience: 'ops',
      tenant: 'acme',
      issuedAt: 1_000_000,
    } as const satisfies RecordHeader;
    const expected = { type: 'RouteConfigured', audience: 'ops', tenant: 'acme' } as const;
    const digests = new Map<string, string>();
    let before: JsonValue = null;
    let signed = 0;
    for (const body of bodies(Math.min(BODIES, 1500), 2)) {
      const canonical = byReader(body);
      if (canonical === null) continue;
      const value = parseStrictJson(body);
      const digest = valueDigest(value);
      expect(digest).toBe(`sha256:${createHash('sha256').update(canonical).digest('hex')}`);
      expect(digests.get(digest) ?? canonical).toBe(canonical);
      digests.set(digest, canonical);
      const { record, text } = signRecord(signerFromPem('k', privatePem), header, value as never);
      expect(text).toContain(canonical);
      expect(verifyRecord(JSON.parse(text), trust, expected).ok).toBe(true);
      // A signature over one answer does not verify for another, however alike they look.
      const swapped = verifyRecord({ ...record, payload: before }, trust, expected);
      expect(swapped.ok).toBe(textDigest(canonicalText(before)) === digest);
      before = value;
      signed += 1;
    }
    expect(signed).toBeGreaterThan(100);
  }, 600_000);

  it('detect every canonicaliser that is wrong in one rule', () => {
    const left = new Map(WRONG);
    for (const body of bodies(20_000, 3)) {
      const right = byHand(body);
      for (const [what, reader] of left) if (reader(body) !== right) left.delete(what);
      if (left.size === 0) break;
    }
    console.info(`planted bugs caught: ${WRONG.length - left.size} of ${WRONG.length}`);
    expect([...left.keys()]).toEqual([]);
  }, 600_000);
});
