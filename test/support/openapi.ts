import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ERRORS, canonicalText, isErrorCode, isTimestamp, statusesOf } from '@countersign/protocol';
import type { ErrorStatus } from '@countersign/protocol';
import { newValidator } from './ajv.js';
import type { Validate } from './ajv.js';

/** One answered call; the body is as it came over the wire. */
export interface Exchange {
  readonly method: string;
  /** With the query, still percent-encoded. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

interface Described {
  readonly operationId: string;
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}
interface DescribedResponse {
  readonly headers?: Readonly<Record<string, { required?: boolean; schema: object }>>;
  readonly content?: Readonly<Record<string, { schema: object }>>;
}

interface Description {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: { readonly schemas: object };
}
/** A description as it is published; `npm run check` proves that it is up to date. */
const published = (file: string) =>
  JSON.parse(readFileSync(resolve(__dirname, '../../docs', file), 'utf8')) as Description;
const [interfaces, extensions] = [published('openapi.json'), published('openapi-extensions.json')];
/** The extensions' schemas are those of the interface and some more. */
const document: Description = {
  paths: { ...interfaces.paths, ...extensions.paths },
  components: extensions.components,
};

// Strict, so that the document itself has no keyword that nothing reads.
const ajv = newValidator({ strict: true, allowUnionTypes: true, allErrors: false });
ajv.addFormat('date-time', isTimestamp);
ajv.addFormat('uri', (text: string) => URL.canParse(text));
ajv.addFormat('uuid', true);
ajv.addFormat('int32', true);
for (const keyword of ['components', 'example']) ajv.addKeyword(keyword);
ajv.addSchema({ components: { schemas: emittedForm(document.components.schemas) } }, 'document');

/** All times that the service writes have one form (protocol §1); `valid_until` is the producer's own text. */
function emittedForm(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((part) => emittedForm(part));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, part]) => [key, emittedForm(part, key)]);
  const copy = Object.fromEntries(entries) as { format?: unknown };
  return copy.format === 'date-time' && name !== 'valid_until'
    ? { ...copy, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' }
    : copy;
}

const validators = new Map<object, Validate>();

/** A schema of the document, compiled once; its references lead into the document. */
function validatorOf(schema: object): Validate {
  let validate = validators.get(schema);
  if (validate === undefined) {
    const located = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    validate = ajv.compile(JSON.parse(located) as object);
    validators.set(schema, validate);
  }
  return validate;
}

function misfit(schema: object, value: unknown): string | null {
  const validate = validatorOf(schema);
  if (validate(value)) return null;
  const [error] = validate.errors ?? [];
  return `${error?.instancePath ?? ''} ${error?.message ?? ''} ${JSON.stringify(error?.params)}`;
}

const templates = Object.keys(document.paths).map((template) => ({
  template,
  pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace('{id}', '[^/]+')}$`),
}));

/** Every code that some operation declares. */
export function declaredCodes(): string[] {
  const listed = [...JSON.stringify(document.paths).matchAll(/"error":\{"enum":(\[[^\]]*\])/g)];
  return [...new Set(listed.flatMap(([, codes = '[]']) => JSON.parse(codes) as string[]))];
}

/** The operation of the document that a call is for, or null. */
export function describedOperation(method: string, path: string): Described | null {
  const [bare = ''] = path.split('?');
  const found = templates.find(({ pattern }) => pattern.test(bare));
  return (found && document.paths[found.template]?.[method.toLowerCase()]) ?? null;
}

/** The faults of a body as the input of an operation, or null when its declared schema accepts it. */
export function inputFault(method: string, path: string, body: unknown): string | null {
  const described = describedOperation(method, path)?.requestBody as
    | { content: Record<string, { schema: object }> }
    | undefined;
  const schema = described?.content['application/json']?.schema;
  return schema === undefined ? null : misfit(schema, body);
}

/** The difference between an answer and the description, or null. */
export function faultOf(exchange: Exchange): string | null {
  const described = describedOperation(exchange.method, exchange.path);
  return described === null ? strayFault(exchange) : operationFault(exchange, described);
}

/** Throws for an answer that the description does not allow. */
export function assertDescribed(exchange: Exchange): void {
  const fault = faultOf(exchange);
  if (fault === null) return;
  const { method, path, status } = exchange;
  throw new Error(`${method} ${path} answered ${status} against its description: ${fault}`);
}

function operationFault(exchange: Exchange, described: Described): string | null {
  const { status, headers, body } = exchange;
  const response = described.responses[String(status)];
  if (response === undefined) return 'the status is not declared';
  const declaredTypes = Object.keys(response.content ?? {});
  const text = strictText(body);
  if (text === null) return 'the body is not UTF-8';
  if (declaredTypes.length === 0) return text === '' ? null : 'no body is declared';
  const sentType = headers.get('content-type');
  const type = declaredTypes.find((declared) => isOfType(sentType, declared));
  if (type === undefined) return `the content type ${sentType} is not declared`;
  const value = type.endsWith('json') ? parsed(text) : { json: text };
  if (value === null) return 'the body is not JSON';
  const fault =
    headerFault(headers, response) ??
    misfit(response.content?.[type]?.schema ?? {}, value.json) ??
    (status >= 400 ? problemFault(exchange, value.json) : recordFault(value.json, text));
  return fault;
}

/** Nothing of the table answers here: pages, and refusals before an operation is known. */
function strayFault({ method, path, status, headers, body }: Exchange): string | null {
  if (![200, 204, 302, 304, ...REFUSED].includes(status)) return 'the interface has no such status';
  const problem = isOfType(headers.get('content-type'), 'application/problem+json');
  if (path.startsWith('/v2') && status < 400) return 'nothing of the kind is described';
  if (!problem && path.startsWith('/v2')) return 'a refusal is a problem document';
  if (!problem || method === 'HEAD') return null;
  const value = parsed(strictText(body) ?? '');
  if (value === null) return 'the body is not JSON';
  const schema = { $ref: '#/components/schemas/ProblemDocument' };
  // The page of a code is no refusal; it tells of one.
  const own = status === 200 ? value.json : null;
  return misfit(schema, value.json) ?? (own ? null : problemFault({ status, headers }, value.json));
}

const REFUSED = [...new Set(Object.values(ERRORS).flatMap(({ status }) => status))] as number[];

const RATE_HEADERS = ['Retry-After', 'RateLimit', 'RateLimit-Policy'];

function problemFault(
  { status, headers }: Pick<Exchange, 'status' | 'headers'>,
  body: unknown,
): string | null {
  const problem = body as { status: number; error: string; type: string };
  const { error } = problem;
  if (!isErrorCode(error) || !statusesOf(error).includes(status as ErrorStatus)) {
    return `${error} is not sent with ${status}`;
  }
  if (problem.status !== status) return `the body says ${problem.status}`;
  if (!problem.type.endsWith(`/errors/${error}`)) return `the type is ${problem.type}`;
  if (error !== 'rate_limited') return null;
  const missing = RATE_HEADERS.find((name) => !headers.has(name));
  return missing === undefined ? null : `${missing} is missing`;
}

function headerFault(headers: Headers, response: DescribedResponse): string | null {
  for (const [name, { required, schema }] of Object.entries(response.headers ?? {})) {
    const sent = headers.get(name);
    if (sent === null && required === true) return `the header ${name} is missing`;
    if (sent === null) continue;
    const numeric = (schema as { type?: string }).type === 'integer' && /^\d+$/.test(sent);
    const fault = misfit(schema, numeric ? Number(sent) : sent);
    if (fault !== null) return `the header ${name}: ${fault}`;
  }
  return null;
}

/**
 * Signed records go out in the bytes that were signed, wherever they stand (protocol §2.3): canonical, and never made
 * anew. Ledger entries carry them as text.
 */
function recordFault(value: unknown, text: string): string | null {
  if (Array.isArray(value)) return firstFault(value, text);
  if (value === null || typeof value !== 'object') return null;
  const members = value as Record<string, unknown>;
  if (isSignedRecord(members)) {
    return text.includes(canonicalText(members)) ? null : 'a signed record is not canonical';
  }
  const { record } = members;
  if (typeof record === 'string' && typeof members['record_digest'] === 'string') {
    const entry = parsed(record);
    return entry !== null && canonicalText(entry.json) === record
      ? null
      : 'the record of a ledger entry is not canonical';
  }
  return firstFault(Object.values(members), text);
}

function firstFault(parts: readonly unknown[], text: string): string | null {
  for (const part of parts) {
    const fault = recordFault(part, text);
    if (fault !== null) return fault;
  }
  return null;
}

function isSignedRecord(value: Record<string, unknown>): boolean {
  return (
    Object.keys(value).sort().join() === 'payload,protected,signature' &&
    /^[A-Za-z0-9_-]{86}$/.test(String(value['signature']))
  );
}

/** JSON answers have the type alone; a text may say its version and charset. */
function isOfType(sent: string | null, declared: string): boolean {
  if (sent === null) return false;
  return declared.endsWith('json') ? sent === declared : sent.split(';')[0]?.trim() === declared;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function strictText(body: Uint8Array): string | null {
  try {
    return decoder.decode(body);
  } catch {
    return null;
  }
}

function parsed(text: string): { json: any } | null {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return null;
  }
}
