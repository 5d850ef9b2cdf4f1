// The tables of packages/client: its operations, records and codes, printed from those of packages/protocol.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import {
  APPROVAL_RECORD_NAMES,
  CHECKS,
  ERRORS,
  HOLD_RECORD_NAMES,
  KEY_RECORD_NAMES,
  OPERATIONS,
  PROOF_REASONS,
  RECORDS,
  SENT_CODES,
  SIGNED_RECORDS,
  statusesOf,
} from '@countersign/protocol';

const FROM = '// Made by `npm run generate`, of packages/protocol.\n';

/** Reviewers' operations belong to the pages, which have their sessions. */
export const CALLED = OPERATIONS.filter(({ security }) => security !== 'human');

/** `request.hitl-poll` is `hitlPoll`; `export` is a word of the language. */
export const nameOf = ({ name }) =>
  name === 'ledger.export'
    ? 'auditExport'
    : name.split('.')[1].replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());

const titleOf = (record) => RECORDS[record].title;

/** `src/generated/operations.ts` */
export function clientOperations() {
  const names = CALLED.map(nameOf);
  if (new Set(names).size < names.length) throw new Error('two operations would have one name');
  const outputs = namesIn(CALLED.map(({ output }) => output));
  const inputs = namesIn(CALLED.map(({ input }) => input)).filter((one) => !outputs.includes(one));
  return [
    FROM,
    "import type { Operation } from '../operation.js';",
    `import type { ${inputs.join(', ')} } from './records.js';`,
    `import { ${outputs.join(', ')} } from './records.js';`,
    ...CALLED.map(operation),
  ].join('\n');
}

function namesIn(records) {
  return [...new Set(records.filter(Boolean).map(titleOf))].sort();
}

function operation(row) {
  const { number, method, path, key, preflight, query, success, input, output, etag } = row;
  const types = [
    `id: ${path.includes('{id}') ? 'string' : 'null'}`,
    `input: ${input === null ? 'null' : titleOf(input)}`,
    `output: ${output === null ? 'string' : titleOf(output)}`,
    `query: ${query.length === 0 ? 'null' : `{ ${query.map(queryType).join('; ')} }`}`,
  ];
  const values = {
    number,
    method,
    path,
    key,
    preflight,
    query: query.map(({ name }) => name),
    success,
  };
  const members = Object.entries({ ...values, etag }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  return `
/** ${row.summary} (\`${row.name}\`). */
export const ${nameOf(row)}: Operation<{ ${types.join('; ')} }> = {
  ${[...members, `output: ${output === null ? 'null' : titleOf(output)}`].join(', ')}
};`;
}

function queryType({ name, values }) {
  if (name === 'occurrence') return `readonly ${name}?: string`;
  const type = values
    ?.filter(Boolean)
    .map((value) => JSON.stringify(value))
    .join(' | ');
  return `readonly ${name}?: ${type ?? 'number'}`;
}

/** `src/generated/errors.ts` */
export function clientErrors() {
  const again = SENT_CODES.filter((code) => ERRORS[code].retry !== 'never');
  return `${FROM}
/** Every code of a refusal, with the statuses that it comes with. */
export interface ErrorStatuses {
${SENT_CODES.map((code) => `  /** ${ERRORS[code].title}. */\n  ${code}: ${statusesOf(code).join(' | ')};`).join('\n')}
}

export type ErrorCode = keyof ErrorStatuses;

/**
 * May a program make a refused call again? \`never\`; \`same\`: yes, after a growing pause; \`after\`: and not within the first
 * second; \`person\`: an operator must act first.
 */
export type Retry = 'never' | 'same' | 'after' | 'person';

/** All other codes are \`never\`. */
export const RETRIES = {
${again.map((code) => `  ${code}: ${JSON.stringify(ERRORS[code].retry)},`).join('\n')}
} as const satisfies Partial<Record<ErrorCode, Retry>>;
`;
}

const unionOf = (names) => names.map((name) => `  | '${name}'`).join('\n');

/** `src/generated/reasons.ts` */
export function clientReasons() {
  return `${FROM}
/** Why an answer does not verify: a reason of a record or a proof (protocol §2.4, §4.3), a check, or one of the client's own. */
export type VerificationReason =
${unionOf([...new Set([...Object.keys(PROOF_REASONS), ...Object.keys(CHECKS)])])}
  /** A revision below one that was seen before. */
  | 'went_back'
  /** The service made something else of the call than was asked. */
  | 'not_as_asked'
  /** A state without the signed record that leads to it. */
  | 'state_unproven';
`;
}

const VERDICT = new URL('../../packages/protocol/src/verifier/verdict.ts', import.meta.url);

/** `src/generated/verdict.ts`: the types of the verifier's verdict, for programs that have none of its sources. */
export function clientVerdict() {
  const types = readFileSync(VERDICT, 'utf8')
    .replace(/^import .*\n/gm, '')
    .replace(/^export function [\s\S]*$/m, '');
  const codes = unionOf([...Object.keys(CHECKS)]);
  return `${FROM}\n/** A check of the verifier. */\nexport type CheckCode =\n${codes};\n${types}`;
}

/** Parts without a title of their own that many records have, by the names that they get here. */
const COMMON = {
  identifier: member('ClaimInput', 'execution_identity'),
  digest: member('ClaimInput', 'execution_binding_digest'),
  uuid: member('Confirmation', 'candidate_id'),
  timestamp: member('ExecutionClaim', 'claimed_at'),
  count: member('RequestStatus', 'revision'),
};

function member(record, name) {
  const found = RECORDS[record].properties[name];
  if (found === undefined) throw new Error(`${record} has no ${name}`);
  return plain(found);
}

function plain(schema) {
  return JSON.parse(JSON.stringify(schema));
}

const BEYOND_ANSWERS = new Set([
  ...APPROVAL_RECORD_NAMES,
  ...KEY_RECORD_NAMES,
  ...HOLD_RECORD_NAMES,
]);

/** `src/generated/records.ts`: a type for each record that calls carry, and a shape for each that answers carry. */
export function clientRecords() {
  const answers = closure([
    ...CALLED.map(({ output }) => output)
      .filter(Boolean)
      .map(titleOf),
    ...Object.values(SIGNED_RECORDS)
      .map(({ payload }) => payload)
      // Those of approvals, keys and holds are in exports and ledgers alone, which the verifier judges.
      .filter((payload) => !BEYOND_ANSWERS.has(payload))
      .map(titleOf),
    'ExtendedDecisionReceipt',
  ]);
  const all = closure([
    ...answers,
    ...CALLED.map(({ input }) => input)
      .filter(Boolean)
      .map(titleOf),
  ]);
  return [
    FROM,
    "import type { Shape } from '../shape.js';\n",
    'export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;',
    'export interface JsonObject { readonly [name: string]: JsonValue }\n',
    ...Object.entries(COMMON).map(
      ([name, schema]) => `const ${name}: Shape = ${JSON.stringify(shaped(schema))};`,
    ),
    ...[...all].sort(byUse(all)).flatMap((name) => {
      const schema = plain(RECORDS[name]);
      const printed = typeOf(schema, name);
      const type =
        printed.startsWith('{') && !printed.includes('}\n|') && schema.properties
          ? `\nexport interface ${name} ${printed}`
          : `\nexport type ${name} = ${printed};`;
      return answers.has(name)
        ? [type, `export const ${name}: Shape = ${shapeText(schema, name)};`]
        : [type];
    }),
  ].join('\n');
}

/** The records of those names and all that they hold. */
function closure(names) {
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    held(plain(RECORDS[name]), name).forEach(add);
  };
  names.forEach(add);
  return found;
}

/** The records that a schema refers to, other than the one that it is. */
function held(schema, within) {
  if (typeof schema !== 'object' || schema === null) return [];
  const name = named(schema, within);
  if (name !== null) return [name];
  return Object.values(schema).flatMap((part) => held(part, null));
}

function named({ title }, within) {
  return typeof title === 'string' && title !== within && Object.hasOwn(RECORDS, title)
    ? title
    : null;
}

/** A shape stands after those that it refers to. */
function byUse(names) {
  const rank = new Map();
  const rankOf = (name) => {
    if (!rank.has(name))
      rank.set(name, 1 + Math.max(0, ...held(plain(RECORDS[name]), name).map(rankOf)));
    return rank.get(name);
  };
  for (const name of names) rankOf(name);
  return (a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1);
}

const KEYWORDS = new Set([
  ...['type', 'const', 'enum', 'anyOf', 'allOf', 'if', 'then', 'properties', 'required'],
  ...[
    'additionalProperties',
    'maxProperties',
    'items',
    'minItems',
    'maxItems',
    'minLength',
    'maxLength',
  ],
  ...['pattern', 'format', 'minimum', 'maximum'],
]);

/** Without words that check nothing. */
function shaped(schema) {
  const says = ([keyword, value]) =>
    keyword !== 'title' && keyword !== 'description' && value !== 'uuid';
  const entries = Object.entries(schema).filter(says);
  for (const [keyword] of entries)
    if (!KEYWORDS.has(keyword)) throw new Error(`packages/client knows no ${keyword}`);
  return Object.fromEntries(entries);
}

function shapeText(schema, within) {
  if (typeof schema === 'boolean') return String(schema);
  const name = named(schema, within);
  if (name !== null) return name;
  for (const [common, known] of Object.entries(COMMON))
    if (isDeepStrictEqual(schema, known)) return common;
  const parts = Object.entries(closed(shaped(schema))).map(([keyword, value]) => {
    switch (keyword) {
      case 'properties':
        return `properties: { ${Object.entries(value)
          .map(([key, part]) => `${JSON.stringify(key)}: ${shapeText(part, null)}`)
          .join(', ')} }`;
      case 'anyOf':
      case 'allOf':
        return `${keyword}: [${value.map((part) => shapeText(part, null)).join(', ')}]`;
      case 'items':
      case 'if':
      case 'then':
      case 'additionalProperties':
        return `${keyword}: ${shapeText(value, null)}`;
      default:
        return `${keyword}: ${JSON.stringify(value)}`;
    }
  });
  return `{ ${parts.join(', ')} }`;
}

/** A record with nothing but its properties, shorter: which of them it may lack. Programs carry these shapes. */
function closed(schema) {
  const { type, additionalProperties, required = [], ...rest } = schema;
  const names = Object.keys(rest.properties ?? {});
  const isClosed = type === 'object' && additionalProperties === false && names.length > 0;
  if (!isClosed || required.some((name) => !names.includes(name))) return schema;
  return { optional: names.filter((name) => !required.includes(name)), ...rest };
}

function typeOf(schema, within) {
  const name = named(schema, within);
  if (name !== null) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((part) => typeOf(part, null)).join('\n| ');
  switch (schema.type) {
    case undefined:
      return 'JsonValue';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items, null)})[]`;
    case 'object':
      return objectType(schema);
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

function objectType({ properties, required = [], additionalProperties }) {
  if (properties === undefined) {
    return typeof additionalProperties === 'object'
      ? `Readonly<Record<string, ${typeOf(additionalProperties, null)}>>`
      : 'JsonObject';
  }
  const members = Object.entries(properties).map(
    ([name, part]) =>
      `readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(part, null)};`,
  );
  if (members.length === 0) return 'Readonly<Record<string, never>>';
  if (additionalProperties !== false) members.push('readonly [name: string]: JsonValue;');
  return `{ ${members.join('\n')} }`;
}
