import { Refusal } from '@countersign/protocol';
import { busRefusal } from '../bus/fault.js';
import type { BusFaultKind, BusReply } from '../bus/types.js';
import { SCHEMA_SUBJECT } from '../subjects.js';
import { SchemaChecks } from './asking.js';

interface Asked {
  readonly subject: string;
  readonly tenant: unknown;
  readonly body: string;
}

const GOOD: BusReply = { status: 200, body: '' };
let asked: Asked[];
let answer: () => Promise<BusReply>;
let checks: SchemaChecks;

beforeEach(() => {
  asked = [];
  answer = async () => GOOD;
  checks = new SchemaChecks({
    call: (subject, { tenant }, body) => {
      asked.push({ subject, tenant, body: String(body) });
      return answer();
    },
  });
});

const check = (tenant: string, schemaText: string, responseText: string | null = null) =>
  checks.check(tenant, { schemaText, responseText }).then(
    () => 'ok',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );

it('asks about a schema by itself, or with the response behind it', async () => {
  await check('a', '{}');
  await check('a', '{}', '1');
  expect(asked).toEqual([
    { subject: SCHEMA_SUBJECT, tenant: 'a', body: '{}' },
    { subject: SCHEMA_SUBJECT, tenant: 'a', body: '{}\n1' },
  ]);
});

it('checks a good schema once for each tenant', async () => {
  for (const tenant of ['a', 'a', 'b']) expect(await check(tenant, '{}', '1')).toBe('ok');
  expect(asked.map(({ tenant }) => tenant)).toEqual(['a', 'b']);
  // Neither another response nor none is the same job.
  await check('a', '{}', '2');
  await check('a', '{}');
  expect(asked).toHaveLength(4);
});

it('checks a refused schema again', async () => {
  answer = () => Promise.reject(new Refusal('response_schema_mismatch'));
  expect(await check('a', '{}', '1')).toBe('response_schema_mismatch');
  expect(await check('a', '{}', '1')).toBe('response_schema_mismatch');
  expect(asked).toHaveLength(2);
});

it('asks once when the same is wanted many times at once', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, () => check('a', '{}')));
  expect(new Set(all)).toEqual(new Set(['ok']));
  expect(asked).toHaveLength(1);
});

it('asks about 524544 bytes at most, of schema and response together', async () => {
  const schema = '{"type":"string"}';
  const response = (bytes: number) => `"é${'x'.repeat(bytes - schema.length - 4)}"`;
  expect(await check('a', schema, response(524_544))).toBe('ok');
  expect(await check('a', schema, response(524_545))).toBe('schema_validation_too_large');
  expect(asked).toHaveLength(1);
});

it.each([
  ['no_responder', 'schema_validation_unavailable'],
  ['timeout', 'schema_validation_unavailable'],
  ['disconnected', 'schema_validation_unavailable'],
  ['closed', 'schema_validation_unavailable'],
  ['body_lost', 'schema_validation_unavailable'],
  ['handler_failed', 'schema_validation_unavailable'],
  ['overloaded', 'schema_validation_busy'],
] as const)('says that the check is not there when the bus says %s', async (fault, code) => {
  answer = () => Promise.reject(busRefusal(fault satisfies BusFaultKind, SCHEMA_SUBJECT));
  expect(await check('a', '{}')).toBe(code);
});
