import { Fault } from './fault.js';
import { checkPayload, TYPES } from './payloads.js';
import type { MessageType } from './payloads.js';
import { isAmount, isChannel, isName, isObject, isSequence } from './values.js';
import type { Channel } from './values.js';

/** One message on the wire. */
export interface Message {
  id: string;
  session: string;
  /** Decimal counter, rising per sender. */
  seq: string;
  /** The highest `seq` of the other side that its sender has seen. */
  ack?: string;
  ts: string;
  channel: Channel;
  type: MessageType;
  payload: Record<string, unknown>;
  pv?: number;
  crit?: boolean;
  /** Length of the binary frame that follows (WebSocket only). */
  bin_len?: number;
  bin_mime?: string;
  run_id?: string;
  thread_id?: string;
}

const TYPE_SET: ReadonlySet<unknown> = new Set(TYPES);

/** Reads one JSON text as a message. @throws {Fault} INVALID_MESSAGE, UNSUPPORTED_TYPE */
export function parseMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault('INVALID_MESSAGE', 'The message is not JSON.');
  }
  return checkMessage(value);
}

/** @throws {Fault} INVALID_MESSAGE, UNSUPPORTED_TYPE, with the message's id where it has one */
export function checkMessage(value: unknown): Message {
  if (!isObject(value)) throw new Fault('INVALID_MESSAGE', 'The message is not a JSON object.');
  const relatedId = isName(value['id']) ? value['id'] : undefined;
  const related = relatedId === undefined ? {} : { relatedId };
  const wrong = faultyField(value);
  if (wrong !== undefined) {
    throw new Fault('INVALID_MESSAGE', `The envelope's ${wrong} is missing or malformed.`, related);
  }
  if (!TYPE_SET.has(value['type'])) {
    throw new Fault('UNSUPPORTED_TYPE', 'There is no message of this type.', related);
  }
  const message = value as unknown as Message;
  const wrongInPayload = checkPayload(message.type, message.payload);
  if (wrongInPayload !== undefined) {
    throw new Fault(
      'INVALID_MESSAGE',
      `The payload's ${wrongInPayload} is missing or malformed.`,
      related,
    );
  }
  return message;
}

/** The name of the first field that is missing or malformed. */
function faultyField(value: Record<string, unknown>): string | undefined {
  if (!isName(value['id'])) return 'id';
  if (!isName(value['session'])) return 'session';
  if (!isSequence(value['seq'])) return 'seq';
  if (!isName(value['ts'])) return 'ts';
  if (!isChannel(value['channel'])) return 'channel';
  if (!isName(value['type'])) return 'type';
  if (!isObject(value['payload'])) return 'payload';
  return faultyOption(value);
}

function faultyOption(value: Record<string, unknown>): string | undefined {
  const { ack, pv, crit } = value;
  if (ack !== undefined && !isSequence(ack)) return 'ack';
  if (pv !== undefined && typeof pv !== 'number') return 'pv';
  if (crit !== undefined && typeof crit !== 'boolean') return 'crit';
  if (value['bin_len'] !== undefined && !isAmount(value['bin_len'])) return 'bin_len';
  for (const name of ['bin_mime', 'run_id', 'thread_id'] as const) {
    if (value[name] !== undefined && !isName(value[name])) return name;
  }
  return undefined;
}
