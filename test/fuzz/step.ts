import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { OPERATIONS, operationNamed } from '@countersign/protocol';
import type { JsonValue, Operation, OperationName } from '@countersign/protocol';
import { brokenTexts, mutation } from './mutation.js';
import type { Mutation } from './mutation.js';
import { json, valueOf, word } from './values.js';
import type { Schema } from './values.js';

/** The variable parts of an input that fits the state: texts, values and choices, used as each record needs them. */
export interface Draft {
  readonly text: string;
  readonly json: JsonValue;
  readonly choice: number;
}

/** The body of a call. */
export type Input =
  | { readonly is: 'valid'; readonly draft: Draft; readonly mutations: readonly Mutation[] }
  | { readonly is: 'described'; readonly value: unknown }
  | { readonly is: 'broken'; readonly draft: Draft; readonly how: keyof typeof brokenTexts };

/** Null: a caller that the operation is for. A number: anybody, counted round. */
export type CallerChoice = number | null;

export interface CallStep {
  readonly does: 'call';
  readonly operation: OperationName;
  readonly caller: CallerChoice;
  /** Which of the things alive, counted round; a text stands in the path as it is. */
  readonly target: number | string;
  readonly input: Input;
  readonly key: 'fresh' | 'again' | 'missing' | { readonly odd: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  /** Sent twice at once. */
  readonly twice: boolean;
}

/** The next step in the life of a request, by its own last status. */
export interface AdvanceStep {
  readonly does: 'advance';
  readonly target: number;
  readonly draft: Draft;
}

/** An earlier success with a key, word for word. */
export interface ReplayStep {
  readonly does: 'replay';
  readonly which: number;
}

export type Step = CallStep | AdvanceStep | ReplayStep;

const { components } = JSON.parse(
  readFileSync(resolve(__dirname, '../../docs/openapi.json'), 'utf8'),
) as { components: { schemas: Record<string, Schema> } };

const index = fc.nat(1000);
export const draft: fc.Arbitrary<Draft> = fc.record({
  text: word,
  json,
  choice: index,
});

function inputOf(operation: Operation): fc.Arbitrary<Input> {
  const valid = (mutations: fc.Arbitrary<Mutation[]>) =>
    fc.record({ is: fc.constant('valid' as const), draft, mutations });
  const none = valid(fc.constant([]));
  if (operation.input === null) return none;
  const schema = components.schemas[operation.input] as Schema;
  return fc.oneof(
    { weight: 6, arbitrary: none },
    { weight: 4, arbitrary: valid(fc.array(mutation, { minLength: 1, maxLength: 3 })) },
    {
      weight: 1,
      arbitrary: fc.record({
        is: fc.constant('described' as const),
        value: valueOf(schema, components.schemas),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        is: fc.constant('broken' as const),
        draft,
        how: fc.constantFrom(...Object.keys(brokenTexts)),
      }),
    },
  );
}

const uuid = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
/** As they stand in the path. None that an HTTP client would resolve to another path. */
const wrongIds = fc.oneof(
  fc.constantFrom(
    uuid,
    uuid.toUpperCase(),
    uuid.slice(1),
    `${uuid}0`,
    '-'.repeat(36),
    'f'.repeat(36),
    '00000000-0000-0000-0000-000000000000',
    '%E0%A4%A',
    '%00',
    'a%2Fb',
    'a%20b',
    'a%0D%0Ab',
    '__proto__',
    'constructor',
    '%F0%9F%98%80',
    '0',
    'x'.repeat(160),
    'x'.repeat(161),
    'x'.repeat(6000),
    `${uuid}%00`,
    `${uuid};a=b`,
    `${uuid}.json`,
  ),
  word.map(encodeURIComponentStrictly),
);

function encodeURIComponentStrictly(text: string): string {
  const encoded = encodeURIComponent(text);
  return /^\.*$/.test(encoded) ? 'x' : encoded;
}

const headers: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>>(
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=utf-8' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/json;charset="UTF-8"' },
  { 'content-type': 'APPLICATION/JSON' },
  { 'content-type': 'application/merge-patch+json' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
  { accept: 'text/html' },
  { accept: 'application/xml;q=0, */*' },
  { accept: 'x' },
  { authorization: '' },
  { authorization: 'Bearer' },
  { authorization: 'bearer aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' },
  { authorization: `Bearer ${'a'.repeat(43)}` },
  { authorization: `Bearer ${'a'.repeat(201)}` },
  { authorization: 'Basic eA==' },
  { cookie: '__Host-proto=x' },
  { cookie: '__Host-proto=; __Host-proto=y' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'x-csrf-token': 'x' },
  { 'x-csrf-token': '' },
  { 'if-none-match': '*' },
  { 'if-none-match': 'W/"x", "y"' },
  { traceparent: 'x' },
  { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  { 'x-forwarded-for': '127.0.0.1', 'x-http-method-override': 'DELETE' },
  { 'x-long': 'x'.repeat(15_000) },
);

const queries = fc.oneof(
  fc.constantFrom(
    'after=0',
    'after=1',
    'after=99999999',
    'after=100000000',
    'after=-1',
    'after=1.0',
    'after=',
    'after=1&after=1',
    'offset=0',
    'offset=50',
    'offset=100000',
    'offset=100001',
    'offset=١',
    'offset=1e3',
    'state=',
    'state=pending',
    'state=confirmed',
    'state=expired',
    'state=superseded',
    'state=cancelled&offset=50',
    'state=PENDING',
    'state=pending&state=pending',
    '%00=1',
    '&&&',
    'a%',
  ),
  word.map((text) => `after=${encodeURIComponent(text)}`),
);

const oddKeys = fc.constantFrom(
  '',
  ' ',
  'a b',
  'x'.repeat(160),
  'x'.repeat(161),
  'é',
  'a\tb',
  '~!',
);

/** Mostly the first; seldom enough otherwise that most calls get past the edge. */
function mostly<Usual, Other>(
  usual: Usual,
  weight: number,
  other: fc.Arbitrary<Other>,
): fc.Arbitrary<Usual | Other> {
  return fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

function callOf(operation: Operation): fc.Arbitrary<CallStep> {
  const asks = operation.query.length > 0;
  return fc.record({
    does: fc.constant('call' as const),
    operation: fc.constant(operation.name),
    caller: mostly(null, 4, index),
    target: fc.oneof({ weight: 8, arbitrary: index }, { weight: 1, arbitrary: wrongIds }),
    input: inputOf(operation),
    key: mostly(
      'fresh' as const,
      8,
      fc.oneof(
        fc.constantFrom('again' as const, 'missing' as const),
        oddKeys.map((odd) => ({ odd })),
      ),
    ),
    headers: mostly<Record<string, string>, Record<string, string>>({}, 12, headers),
    query: mostly('', asks ? 1 : 20, queries),
    twice: mostly(false, 20, fc.constant(true)),
  });
}

/** How often each operation is called of its own accord; the rest of them once. */
const weights: Partial<Record<OperationName, number>> = {
  'request.create': 4,
  'request.configure-principal': 2,
  'request.configure-route': 2,
  'review.propose': 3,
  'review.confirm': 2,
  'request.supersede': 3,
  'execution-authority.claim': 2,
  'execution-authority.admit': 2,
  'execution-authority.report-outcome': 2,
};

const anyCall = fc.oneof(
  ...OPERATIONS.map(({ name }) => ({
    weight: weights[name] ?? 1,
    arbitrary: callOf(operationNamed(name)),
  })),
);

const advance = fc.record({
  does: fc.constant('advance' as const),
  target: fc.oneof(fc.constant(0), index),
  draft,
});
const replay = fc.record({ does: fc.constant('replay' as const), which: index });

export const NO_DRAFT: Draft = { text: '', json: null, choice: 0 };

/** A call as it should be. */
export function plainCall(
  operation: OperationName,
  how: Partial<CallStep> & { readonly draft?: Draft } = {},
): CallStep {
  const { draft = NO_DRAFT, ...own } = how;
  return {
    does: 'call',
    operation,
    caller: null,
    target: 0,
    input: { is: 'valid', draft, mutations: [] },
    key: 'fresh',
    headers: {},
    query: '',
    twice: false,
    ...own,
  };
}

/** The steps of one chain. */
export function chainOf(longest: number): fc.Arbitrary<Step[]> {
  return fc.array(
    fc.oneof(
      { weight: 12, arbitrary: anyCall },
      { weight: 8, arbitrary: advance },
      { weight: 1, arbitrary: replay },
    ) as fc.Arbitrary<Step>,
    { minLength: 1, maxLength: longest, size: 'max' },
  );
}
