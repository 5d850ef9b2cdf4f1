import { EXAMPLES } from '../records/examples.js';
import { createTrustManifest, generateSigningKey, loadTrust } from '../signing/index.js';
import { DOCUMENT_LIMITS } from './context.js';
import { plainText } from './plain-text.js';
import { isRespelled } from './spelling.js';
import { verifyDocument } from './verify.js';
import { verdictText } from './verdict-text.js';

const key = generateSigningKey('k-1');
const window = { notBefore: Date.UTC(2026, 0), notAfter: Date.UTC(2027, 0) };
const trust = loadTrust(
  createTrustManifest('https://review.example', {
    keyId: key.keyId,
    publicPem: key.publicPem,
    ...window,
  }),
);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a hostile document', () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const record = JSON.stringify(EXAMPLES.SignedRecord);

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['a number', '1'],
    ['null', 'null'],
    ['no entries', '[]'],
    ['entries that are none', '[null,1,{}]'],
    [
      'an entry with a sequence beyond measure',
      JSON.stringify([{ ...EXAMPLES.LedgerEntry, sequence: '9'.repeat(400) }]),
    ],
    ['endless nesting', nested(1_000_000)],
    [
      'nesting in a place for anything',
      record.replace('"payload":', `"payload":${nested(500)},"x":`),
    ],
    ['a number of many letters', `[${'1'.repeat(100_000)}]`],
    ['half of a surrogate pair, in a text', record.replace('rev-2', 'rev-2\ud800')],
    ['half of a UTF-8 letter', Uint8Array.of(0x22, 0xc3, 0x22)],
    ['members of the wrong types', '{"request":1,"records":{},"audit":null}'],
    ['a proof of the wrong types', '{"checkpoint":[],"acceptance":0,"proof":"x"}'],
    ['a record of the wrong types', '{"protected":null,"payload":null,"signature":null}'],
    [
      'a webhook without an event',
      JSON.stringify({ protected: { type: 'WebhookDelivery' }, payload: [], signature: '' }),
    ],
    [
      'getters that are keys',
      '{"__proto__":null,"constructor":1,"toString":2,"checkpoint":{},"acceptance":{},"proof":[]}',
    ],
    ['a half-right export', JSON.stringify(EXAMPLES.AuditExport)],
  ])('is never good and never thrown: %s', (_, document) => {
    const verdict = verifyDocument(document, trust);
    expect(verdict.verdict).not.toBe('holds');
    expect(verdictText(verdict)).not.toMatch(/Error|\.[jt]s:\d+/);
  });

  it('is refused by its size before it is read', () => {
    const verdict = verifyDocument(new Uint8Array(DOCUMENT_LIMITS.bytes + 1), trust);
    expect([verdict.kind, verdict.checks.map(({ code }) => code)]).toEqual([
      null,
      ['document_readable'],
    ]);
  });

  it.each([
    ['a million and a half members', `{${'"":0,'.repeat(1_500_000)}"a":1}`],
    ['millions of values', `[${'1,'.repeat(3_000_000)}1]`],
    ['millions of objects', `[${'{},'.repeat(3_000_000)}{}]`],
  ])('is refused before anything is built of %s', (_, document) => {
    const parse = jest.spyOn(JSON, 'parse');
    const { kind, checks } = verifyDocument(document, trust);
    expect([kind, checks.map(({ code }) => code)]).toEqual([null, ['document_readable']]);
    expect(parse).not.toHaveBeenCalled();
    parse.mockRestore();
  });

  it('never makes the verifier throw, with any value in any place', () => {
    const values = [null, true, -1, 1.5, '', 'x'.repeat(300), [], {}, [[]], { a: 1 }];
    for (const name of [
      'AuditExport',
      'SignedRecord',
      'AnchorProof',
      'WebhookDelivery',
      'LedgerPage',
    ] as const) {
      for (const pointer of pointersIn(EXAMPLES[name])) {
        for (const value of values) {
          const { verdict, checks } = verifyDocument(
            JSON.stringify(withValue(EXAMPLES[name], pointer, value)),
            trust,
          );
          expect(verdict).not.toBe('holds');
          expect(checks.map(({ code }) => code)).not.toContain('verifier_works');
        }
      }
    }
  });

  it('cannot write to a terminal', () => {
    expect(plainText('a\u001b[2J\u202e\u200bb\n')).toBe('a\\u{1b}[2J\\u{202e}\\u{200b}b\\u{a}');
    expect(plainText('x'.repeat(10_000)).length).toBeLessThan(1000);
  });
});

describe('the spelling of JSON', () => {
  it.each(['{"a":[1,-2.5,1e-7,"\\n\\u001f\\"é"],"b":{}}', '[]\n', 'true'])(
    'is usual in %s',
    (text) => {
      expect(isRespelled(bytes(text))).toBe(false);
    },
  );

  it.each([
    '{"a": 1}',
    '[1.0]',
    '[1E-7]',
    '["\\u001F"]',
    '["\\u0041"]',
    '["\\/"]',
    '[1e2]',
    '[-0]',
  ])('is another in %s', (text) => {
    expect(isRespelled(bytes(text))).toBe(true);
  });
});

function pointersIn(value: unknown, path: readonly string[] = []): string[][] {
  const here = [...path];
  if (typeof value !== 'object' || value === null) return [here];
  return [
    here,
    ...Object.entries(value).flatMap(([name, member]) => pointersIn(member, [...path, name])),
  ];
}

function withValue(document: unknown, pointer: readonly string[], value: unknown): unknown {
  const [name, ...rest] = pointer;
  if (name === undefined) return value;
  const copy = structuredClone(document) as Record<string, unknown>;
  copy[name] = withValue(copy[name], rest, value);
  return copy;
}
