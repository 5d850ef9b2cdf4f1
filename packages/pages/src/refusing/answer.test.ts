import { refusalOf } from './answer.js';

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const text = { type: 'string', minLength: 3, maxLength: 20 };

it('puts the reason into the one text that is required', () => {
  expect(refusalOf('authorise_execution', object({ why: text }, ['why']), 'Too expensive')).toEqual(
    {
      response: { why: 'Too expensive' },
      decision: 'refuse',
    },
  );
});

it('puts it into an optional text for reasons, and leaves out others', () => {
  const schema = object({ ticket: text, refusal_reason: text });
  expect(refusalOf('review', schema, 'Too late')).toEqual({
    response: { refusal_reason: 'Too late' },
    decision: 'reject',
  });
  expect(refusalOf('review', object({ ticket: text }), 'Too late')).toEqual({
    response: {},
    decision: 'reject',
  });
});

it.each([
  ['two required fields', object({ a: text, b: text }, ['a', 'b'])],
  ['a required choice', object({ a: { enum: ['x', 'y'] } }, ['a'])],
  ['a reason that is too long', object({ a: { type: 'string', maxLength: 2 } }, ['a'])],
  ['no object', { type: 'string' }],
])('leaves a request with %s to its own page', (_what, schema) => {
  expect(refusalOf('review', schema, 'Too late')).toBeNull();
});
