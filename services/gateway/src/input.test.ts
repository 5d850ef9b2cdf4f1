import { DEFAULT_LIMITS, canonicalText } from '@countersign/protocol';

import { readInput } from './input.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const refused = (code: string, status: number) => expect.objectContaining({ code, status });

const request = {
  protocol_revision: '2.0.0-draft.3',
  purpose: 'review',
  profiles: {},
  route: 'r',
  summary: 's',
  artefact: { digest: `sha256:${'a'.repeat(64)}`, representation: 'text', digest_rules: 'raw' },
  payload: null as unknown,
  response_schema: { type: 'object' } as object,
  review_document: 'd',
};

describe('an input', () => {
  test('becomes its canonical text', () => {
    const text = readInput(
      'DecisionProposal',
      Buffer.from('{"response": 1.0, "decision":"answer"}'),
    );
    expect(text).toBe('{"decision":"answer","response":1}');
  });

  test('becomes the same text whether it is small or its parts were measured first', () => {
    const rows = Array.from({ length: 3000 }, (_, row) => ({ b: row, a: 'é'.repeat(5), c: [] }));
    for (const payload of [rows, 'x'.repeat(50_000), rows.length]) {
      const input = {
        ...request,
        payload,
        metadata: { z: 1, a: payload === rows ? 'm' : payload },
      };
      expect(readInput('RequestInput', bytes(input))).toBe(canonicalText(input));
    }
  });

  test('is too large before it is of the wrong shape', () => {
    const { payload_bytes, response_bytes, bundle_bytes } = DEFAULT_LIMITS;
    const wrong = { unknown: 1 };
    const tooLong = 'x'.repeat(payload_bytes + 1);
    expect(() => readInput('RequestInput', bytes({ ...wrong, review_document: tooLong }))).toThrow(
      refused('document_too_large', 413),
    );
    expect(() => readInput('RequestInput', bytes({ ...wrong, payload: tooLong }))).toThrow(
      refused('payload_too_large', 413),
    );
    const html = 'x'.repeat(bundle_bytes + 1);
    expect(() => readInput('BundleRegistration', bytes({ ...wrong, html }))).toThrow(
      refused('bundle_too_large', 413),
    );
    const response = 'x'.repeat(response_bytes - 1);
    expect(() => readInput('DecisionProposal', bytes({ ...wrong, response }))).toThrow(
      refused('response_too_large', 413),
    );
  });

  test('may grow up to its limit in canonical form, and not beyond', () => {
    const { response_bytes } = DEFAULT_LIMITS;
    const fits = (count: number) =>
      Buffer.from(`{"decision":"answer","response":[${'9e15,'.repeat(count)}0]}`);
    const most = Math.floor((response_bytes - 3) / 17);
    expect(() => readInput('DecisionProposal', fits(most))).not.toThrow();
    expect(() => readInput('DecisionProposal', fits(most + 1))).toThrow(
      refused('response_too_large', 413),
    );
  });

  test('is refused with the code of its record', () => {
    expect(() => readInput('EmptyInput', bytes({ a: 1 }))).toThrow(
      refused('invalid_EmptyInput', 400),
    );
    expect(() => readInput('ClaimInput', Buffer.from('{"a":1,"a":1}'))).toThrow(
      refused('invalid_json', 400),
    );
  });
});
