import { DEFAULT_LIMITS } from '@countersign/protocol';

import { readInput } from './input.js';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const refused = (code: string, status: number) => expect.objectContaining({ code, status });

describe('an input', () => {
  test('becomes its canonical text', () => {
    const text = readInput(
      'DecisionProposal',
      Buffer.from('{"response": 1.0, "decision":"answer"}'),
    );
    expect(text).toBe('{"decision":"answer","response":1}');
  });

  test('is strict JSON of any shape where the service checks the record', () => {
    expect(readInput(null, Buffer.from('{"b": 1e2, "a": []}'))).toBe('{"a":[],"b":100}');
    expect(() => readInput(null, Buffer.from('{"a":1,"a":1}'))).toThrow(
      refused('invalid_json', 400),
    );
  });

  test('is too large before it is of the wrong shape', () => {
    const response = 'x'.repeat(DEFAULT_LIMITS.response_bytes - 1);
    expect(() => readInput('DecisionProposal', bytes({ response, unknown: 1 }))).toThrow(
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
