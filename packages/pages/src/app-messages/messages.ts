import { AGENT_UI_LIMITS } from '@countersign/protocol/constants';

import { aString, exactly, isObject, oneOf, text } from './shapes.js';

export type MessageId = string | number;
type Params = Readonly<Record<string, unknown>>;

/** A JSON-RPC 2.0 message as the profile has it: exact objects, params always an object (protocol §3.9). */
export type Message =
  | {
      readonly kind: 'request';
      readonly id: MessageId;
      readonly method: string;
      readonly params: Params;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'success'; readonly id: MessageId; readonly result: Params }
  | { readonly kind: 'error'; readonly id: MessageId }
  /** With the id that an error can be sent to, when there is one. */
  | { readonly kind: 'malformed'; readonly id: MessageId | null };

const idText = text(1, AGENT_UI_LIMITS.request_id_codepoints);
const version = oneOf('2.0');

export function isId(value: unknown): value is MessageId {
  return typeof value === 'number' ? Number.isSafeInteger(value) : idText(value);
}

const isRequest = exactly({ jsonrpc: version, id: isId, method: aString, params: isObject });
const isNotification = exactly({ jsonrpc: version, method: aString, params: isObject });
const isSuccess = exactly({ jsonrpc: version, id: isId, result: isObject });
const isError = exactly({
  jsonrpc: version,
  id: isId,
  error: exactly({
    code: oneOf(-32600, -32601, -32602, -32000),
    message: text(0, AGENT_UI_LIMITS.error_message_codepoints),
  }),
});

/** Reads a JSON value as a message. */
export function messageOf(value: unknown): Message {
  const { id, method, params, result } = isObject(value) ? value : ({} as Params);
  if (isRequest(value)) {
    return {
      kind: 'request',
      id: id as MessageId,
      method: method as string,
      params: params as Params,
    };
  }
  if (isNotification(value)) {
    return { kind: 'notification', method: method as string, params: params as Params };
  }
  if (isSuccess(value)) return { kind: 'success', id: id as MessageId, result: result as Params };
  if (isError(value)) return { kind: 'error', id: id as MessageId };
  // Only a request can be answered.
  return { kind: 'malformed', id: method !== undefined && isId(id) ? id : null };
}

export type ErrorCode = -32600 | -32601 | -32602 | -32000;

export function request(id: MessageId, method: string, params: Params) {
  return { jsonrpc: '2.0', id, method, params } as const;
}
export function notification(method: string, params: Params) {
  return { jsonrpc: '2.0', method, params } as const;
}
export function success(id: MessageId, result: Params) {
  return { jsonrpc: '2.0', id, result } as const;
}
export function failure(id: MessageId, code: ErrorCode, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } } as const;
}
