// The payloads of the wire, as one table. Fields that it does not name pass: clients of that generation add their own.

import { isAmount, isChannel, isName, isObject, isSequence } from './values.js';

type Check = (value: unknown) => boolean;

interface Field {
  readonly check: Check;
  readonly optional: boolean;
}

const LONGEST_REASON = 4096;

const text: Check = (value) => typeof value === 'string';
const reason: Check = (value) => typeof value === 'string' && value.length <= LONGEST_REASON;
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const list: Check = (value) => Array.isArray(value) && value.length <= 1000;
const base64: Check = (value) => typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
const anything: Check = () => true;
const oneOf =
  (...values: unknown[]): Check =>
  (value) =>
    values.includes(value);

const must = (check: Check): Field => ({ check, optional: false });
const may = (check: Check): Field => ({ check, optional: true });

const OUTCOME = oneOf('OK', 'CANCELLED', 'ERROR');

const PAYLOADS = {
  HAI: {
    proto_version: must(isName),
    accept_major: may(list),
    accept_events: may(list),
    capabilities: may(isObject),
    last_rx_seq: may(isSequence),
  },
  PING: { nonce: may(isName) },
  PONG: { nonce: may(isName) },
  REPLAY_REQUEST: { from_seq: must(isSequence), to_seq: may(isSequence) },
  RUN_STARTED: { run_id: may(isName), thread_id: may(isName), metadata: may(anything) },
  RUN_FINISHED: { run_id: may(isName), status: may(OUTCOME), summary: may(anything) },
  // A missing run_id has a code of its own, MISSING_RUN_ID.
  RUN_CANCEL: { run_id: may(isName) },
  RUN_ERROR: {
    run_id: may(isName),
    code: must(isName),
    message: must(reason),
    related_id: may(isName),
    detail: may(anything),
  },
  TEXT_MESSAGE_START: {
    message_id: must(isName),
    author: may(isName),
    text: may(text),
    content_type: may(isName),
  },
  TEXT_MESSAGE_PART: { message_id: must(isName), text: must(text) },
  TEXT_MESSAGE_END: { message_id: must(isName), tokens: may(anything) },
  AUDIO_CHUNK: {
    message_id: must(isName),
    mime: may(isName),
    data: may(base64),
    duration_ms: may(number),
  },
  TOOL_CALL: { call_id: must(isName), tool: must(isName), params: may(anything) },
  TOOL_UPDATE: {
    call_id: must(isName),
    status: must(oneOf('QUEUED', 'RUNNING', 'CANCELLING')),
    progress: may(number),
    partial: may(anything),
  },
  TOOL_DONE: { call_id: must(isName), status: may(OUTCOME), result: may(anything) },
  TOOL_CANCEL: { call_id: must(isName), reason: may(reason) },
  // Both are also the question: without tools, and without a schema.
  TOOL_LIST: { tools: may(list) },
  TOOL_SCHEMA: { tool: must(isName), schema: may(anything) },
  FLOW_UPDATE: { channel: must(isChannel), add_messages: may(isAmount), add_bytes: may(isAmount) },
  PAUSE_CHANNEL: { channel: must(isChannel) },
  RESUME_CHANNEL: { channel: must(isChannel) },
  ERROR: {
    code: must(isName),
    message: must(reason),
    related_id: may(isName),
    detail: may(anything),
  },
} satisfies Record<string, Record<string, Field>>;

export type MessageType = keyof typeof PAYLOADS;

export const TYPES = Object.keys(PAYLOADS) as readonly MessageType[];

const FIELDS = new Map(
  Object.entries(PAYLOADS).map(([type, fields]) => [
    type,
    Object.entries(fields as Record<string, Field>),
  ]),
);

/** The name of the first field of a payload that is missing or malformed. */
export function checkPayload(
  type: MessageType,
  payload: Record<string, unknown>,
): string | undefined {
  for (const [field, { check, optional }] of FIELDS.get(type) ?? []) {
    const value = payload[field];
    if (value === undefined ? !optional : !check(value)) return field;
  }
  return undefined;
}
