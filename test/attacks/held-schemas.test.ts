import { randomUUID } from 'node:crypto';
import { personOf, producerOf } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';

// Attacks with response schemas that were tried and held.

let instance: Instance;
let producer: Client;
let reviewer: Client;

beforeAll(async () => {
  instance = await startInstance();
  const { demo, dataDirectory } = instance;
  producer = producerOf(demo);
  reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
});
afterAll(() => instance?.stop());

/** A machine too busy to check in time says so, and is asked again. */
const patiently = (call: () => Promise<Answer>): Promise<Answer> =>
  until(call, ({ body }) => body?.error !== 'schema_validation_busy');

/** `schema` as JSON text, for members that an object literal cannot have. */
function create(schema: string): Promise<Answer> {
  const raw = JSON.stringify(reviewInput(instance.demo, { response_schema: '$' }));
  return patiently(() =>
    producer.post('/v2/requests', {}, { raw: raw.replace('"$"', () => schema) }),
  );
}

async function codeOf(schema: unknown): Promise<string> {
  const { status, body } = await create(JSON.stringify(schema));
  return status === 201 ? 'accepted' : body.error;
}

/** The result of checking a response to a request with that schema. */
async function checked(schema: string, response: string): Promise<string> {
  const { status, body } = await create(schema);
  expect(status).toBe(201);
  const answer = await patiently(() =>
    reviewer.post(
      `/v2/requests/${body.request.id}/candidates`,
      {},
      { raw: `{"decision":"answer","response":${response}}` },
    ),
  );
  return answer.status === 201 ? 'accepted' : answer.body.error;
}

it.each([
  ['a pattern that takes for ever', { pattern: '^(a+)+$' }, 'unsupported_schema_keyword'],
  ['one of names', { patternProperties: { '(a+)+': {} } }, 'unsupported_schema_keyword'],
  ['a format', { format: 'regex' }, 'unsupported_schema_keyword'],
  ['a schema of the network', { $ref: 'http://127.0.0.1:1/schema' }, 'remote_schema_reference'],
  ['one of the disk', { $ref: 'file:///etc/passwd' }, 'remote_schema_reference'],
  ['a base elsewhere', { $id: 'http://127.0.0.1:1/' }, 'unsupported_schema_reference'],
  ['asynchronous code', { $async: true }, 'unsupported_schema_reference'],
  [
    'a circle',
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    'schema_reference_cycle',
  ],
  [
    'a keyword of the compiler’s own',
    { discriminator: { propertyName: 'a' } },
    'invalid_response_schema',
  ],
])('a schema with %s is refused', async (_what, schema, code) => {
  expect(await codeOf(schema)).toBe(code);
});

it('thirty levels that each refer twice to the next are not expanded', async () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `l${level}`,
      { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  );
  expect(await codeOf({ $ref: '#/$defs/l0', $defs: { ...$defs, l30: {} } })).toBe(
    'schema_complexity',
  );
});

describe('names that would end a string of generated code', () => {
  const NAMES = [
    '"];process.exit(1);//',
    "'];process.exit(1);//",
    '`${process.exit(1)}`',
    '*/process.exit(1);/*',
    '\\"];process.exit(1);//',
    '\u2028process.exit(1)//',
    '\n;process.exit(1)//',
    '</script>',
  ];

  it('are names', async () => {
    const properties = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' }]));
    const schema = JSON.stringify({
      title: NAMES.join(' '),
      $comment: NAMES.join(' '),
      type: 'object',
      properties,
      required: NAMES,
      dependentRequired: { [NAMES[0]!]: NAMES },
      dependentSchemas: { [NAMES[1]!]: { required: NAMES } },
      additionalProperties: false,
      $defs: { [NAMES[2]!]: { const: NAMES } },
      default: { [NAMES[3]!]: NAMES },
    });
    const all = Object.fromEntries(NAMES.map((name) => [name, name]));
    expect(await checked(schema, JSON.stringify(all))).toBe('accepted');
    const { [NAMES[0]!]: _left, ...others } = all;
    expect(await checked(schema, JSON.stringify(others))).toBe('response_schema_mismatch');
  });

  it('are values', async () => {
    const schema = JSON.stringify({ title: randomUUID(), enum: NAMES });
    for (const name of NAMES.slice(0, 3)) {
      expect(await checked(schema, JSON.stringify(name))).toBe('accepted');
    }
    expect(await checked(schema, '"process"')).toBe('response_schema_mismatch');
  });
});

describe('names that every object seems to have', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'])(
    'a required %s is missed',
    async (name) => {
      const schema = `{"type":"object","required":["${name}"]}`;
      expect(await checked(schema, '{}')).toBe('response_schema_mismatch');
      expect(await checked(schema, `{"${name}":1}`)).toBe('accepted');
    },
  );

  it('do not pass as members that are allowed', async () => {
    const closed = '{"type":"object","properties":{"a":{}},"additionalProperties":false}';
    expect(await checked(closed, '{"__proto__":1}')).toBe('response_schema_mismatch');
    const evaluated = '{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}';
    expect(await checked(evaluated, '{"constructor":1}')).toBe('response_schema_mismatch');
  });
});
