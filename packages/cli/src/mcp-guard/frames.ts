import { JsonFault, readStrictJson } from '@countersign/protocol/strict-reader';
import type { JsonObject, JsonValue } from '@countersign/client/node';

export type Id = string | number;

/** One JSON-RPC message, as far as the guard looks into it. */
export type Frame =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response'; readonly id: Id | null; readonly value: JsonObject };
export type Params = JsonObject | undefined;

export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const METHOD_NOT_FOUND = -32_601;
export const INTERNAL_ERROR = -32_603;
/** Of MCP: the client did not declare what the request needs. */
export const MISSING_CAPABILITY = -32_021;

/** Bytes that the server must never see. */
export class FrameFault extends Error {
  override readonly name = 'FrameFault';

  constructor(
    readonly id: Id | null,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const MEMBERS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number';
}

/**
 * What a client wrote, if it can be read in one way only: a name that stands twice, or two that differ in their case alone,
 * could mean one thing here and another one at the server.
 *
 * @throws FrameFault
 */
export function frameFrom(bytes: Uint8Array): Frame {
  const value = strictly(bytes);
  if (Array.isArray(value))
    throw new FrameFault(null, INVALID_REQUEST, 'Batches are not taken: send one message a line.');
  if (!isObject(value) || value['jsonrpc'] !== '2.0')
    throw new FrameFault(idOf(value), INVALID_REQUEST, 'This is no JSON-RPC 2.0 message.');
  const id = idOf(value);
  requireNames(value, MEMBERS, id, INVALID_REQUEST);
  const { method, params } = value;
  if (params !== undefined && !isObject(params))
    throw new FrameFault(id, INVALID_REQUEST, 'params has to be an object.');
  if (typeof method === 'string' && !('result' in value) && !('error' in value)) {
    if (!('id' in value)) return { kind: 'notification', method, params };
    if (id !== null) return { kind: 'request', id, method, params };
  }
  const isAnswer = 'result' in value !== 'error' in value && 'id' in value;
  if (method === undefined && isAnswer) return { kind: 'response', id, value };
  throw new FrameFault(id, INVALID_REQUEST, 'This is no JSON-RPC request, notification or answer.');
}

/** @throws FrameFault for a member whose name differs from one of these in its case alone */
export function requireNames(
  value: JsonObject,
  names: readonly string[],
  id: Id | null,
  code: number,
): void {
  for (const name of Object.keys(value)) {
    const twin = names.find((each) => each.toLowerCase() === name.toLowerCase());
    if (twin !== undefined && twin !== name)
      throw new FrameFault(
        id,
        code,
        `Write ${twin} exactly so: some servers take other cases too.`,
      );
  }
}

/** Whether an object somewhere in the value has two names that differ in their case alone. */
export function hasTwins(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTwins);
  const names = Object.keys(value);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return true;
  return Object.values(value).some((member) => hasTwins(member as JsonValue));
}

function strictly(bytes: Uint8Array): JsonValue {
  try {
    return readStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const loose = parsed(new TextDecoder().decode(bytes));
    if (loose === undefined) throw new FrameFault(null, PARSE_ERROR, 'This is no JSON.');
    const isCall = isObject(loose) && loose['method'] === 'tools/call';
    const code = isCall ? INVALID_PARAMS : INVALID_REQUEST;
    throw new FrameFault(
      idOf(loose),
      code,
      `This can be read in more than one way: ${error.message}`,
    );
  }
}

/** JSON as any parser takes it; undefined for what is none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function idOf(value: JsonValue): Id | null {
  return isObject(value) && isId(value['id']) ? value['id'] : null;
}

/** What a server wrote; null for what is not for the guard to judge: it passes as it is. */
export function answerFrom(line: string): { readonly id: Id; readonly value: JsonObject } | null {
  const value = parsed(line);
  if (!isObject(value) || !isId(value['id']) || value['method'] !== undefined) return null;
  return { id: value['id'], value };
}

export function resultFrame(id: Id, result: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function errorFrame(id: Id | null, code: number, message: string, data?: JsonValue): string {
  const error = { code, message, ...(data !== undefined && { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
