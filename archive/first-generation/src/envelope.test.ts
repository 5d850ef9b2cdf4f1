import { checkMessage, parseMessage } from './envelope.js';
import type { Fault } from './fault.js';
import { TYPES } from './payloads.js';
import type { MessageType } from './payloads.js';

const ENVELOPE = {
  id: 'a1b2',
  session: 's',
  seq: '7',
  ts: '2024-01-01T00:00:00.000Z',
  channel: 'SYSTEM',
  type: 'PING',
  payload: {},
};

function refusal(value: unknown): Fault | undefined {
  try {
    checkMessage(value);
  } catch (error) {
    return error as Fault;
  }
  return undefined;
}

/** A payload of each type that holds all that it must. */
const LEAST: Record<MessageType, Record<string, unknown>> = {
  HAI: { proto_version: '1.1.2' },
  PING: {},
  PONG: {},
  REPLAY_REQUEST: { from_seq: '1' },
  RUN_STARTED: {},
  RUN_FINISHED: {},
  RUN_CANCEL: {},
  RUN_ERROR: { code: 'C', message: 'm' },
  TEXT_MESSAGE_START: { message_id: 'm' },
  TEXT_MESSAGE_PART: { message_id: 'm', text: '' },
  TEXT_MESSAGE_END: { message_id: 'm' },
  AUDIO_CHUNK: { message_id: 'm' },
  TOOL_CALL: { call_id: 'c', tool: 't' },
  TOOL_UPDATE: { call_id: 'c', status: 'RUNNING' },
  TOOL_DONE: { call_id: 'c' },
  TOOL_CANCEL: { call_id: 'c' },
  TOOL_LIST: {},
  TOOL_SCHEMA: { tool: 't' },
  FLOW_UPDATE: { channel: 'USER' },
  PAUSE_CHANNEL: { channel: 'USER' },
  RESUME_CHANNEL: { channel: 'USER' },
  ERROR: { code: 'C', message: 'm' },
};

describe('an envelope', () => {
  it('passes with everything optional and with fields nobody knows', () => {
    const message = {
      ...ENVELOPE,
      ack: '3',
      pv: 1,
      crit: true,
      bin_len: 4,
      bin_mime: 'audio/ogg',
      run_id: 'r',
      thread_id: 't',
      extra: [1],
    };
    expect(parseMessage(JSON.stringify(message))).toEqual(message);
  });

  it.each(['id', 'session', 'seq', 'ts', 'channel', 'type', 'payload'])(
    'is INVALID_MESSAGE without %s',
    (field) => {
      const { [field as 'id']: _gone, ...rest } = ENVELOPE;
      expect(refusal(rest)?.code).toBe('INVALID_MESSAGE');
    },
  );

  it.each([
    ['id', 7],
    ['id', ''],
    ['id', 'x'.repeat(257)],
    ['seq', 7],
    ['seq', '-1'],
    ['seq', '1e3'],
    ['seq', '1'.repeat(20)],
    ['channel', 'user'],
    ['channel', 'constructor'],
    ['payload', null],
    ['payload', []],
    ['payload', 'text'],
    ['ack', 'x'],
    ['pv', '1'],
    ['crit', 'yes'],
    ['bin_len', -1],
    ['bin_len', 1.5],
    ['bin_mime', 3],
    ['run_id', {}],
    ['thread_id', ''],
  ])('is INVALID_MESSAGE with %s %j', (field, value) => {
    expect(refusal({ ...ENVELOPE, [field]: value })?.code).toBe('INVALID_MESSAGE');
  });

  it.each([[null], [[]], ['text'], [1]])('is no %j', (value) => {
    expect(refusal(value)?.code).toBe('INVALID_MESSAGE');
  });

  it('is not text that is no JSON', () => {
    expect(() => parseMessage('{"id":')).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE' }),
    );
  });

  it.each(['HELLO', 'ping', '__proto__', 'toString'])(
    'is UNSUPPORTED_TYPE with type %s',
    (type) => {
      expect(refusal({ ...ENVELOPE, type })).toMatchObject({
        code: 'UNSUPPORTED_TYPE',
        relatedId: 'a1b2',
      });
    },
  );

  it('never has its refusal quote what was sent', () => {
    const secret = 'correct horse';
    expect(refusal({ ...ENVELOPE, type: secret })?.message).not.toContain(secret);
    expect(refusal({ ...ENVELOPE, seq: secret })?.message).not.toContain(secret);
  });
});

describe('a payload', () => {
  it.each(TYPES)('of %s passes with what it must have', (type) => {
    expect(refusal({ ...ENVELOPE, type, payload: LEAST[type] })).toBeUndefined();
  });

  const required = TYPES.flatMap((type) =>
    Object.keys(LEAST[type]).map((field) => [type, field] as const),
  );
  it.each(required)('of %s is INVALID_MESSAGE without %s', (type, field) => {
    const { [field]: _gone, ...payload } = LEAST[type];
    expect(refusal({ ...ENVELOPE, type, payload })?.code).toBe('INVALID_MESSAGE');
  });

  it.each<[MessageType, Record<string, unknown>]>([
    ['HAI', { last_rx_seq: 5 }],
    ['HAI', { accept_major: 1 }],
    ['HAI', { capabilities: [] }],
    ['PING', { nonce: 1 }],
    ['REPLAY_REQUEST', { to_seq: 'last' }],
    ['RUN_FINISHED', { status: 'DONE' }],
    ['RUN_CANCEL', { run_id: 5 }],
    ['TEXT_MESSAGE_PART', { text: 5 }],
    ['AUDIO_CHUNK', { data: 'not base64!' }],
    ['AUDIO_CHUNK', { duration_ms: '20' }],
    ['TOOL_UPDATE', { status: 'DONE' }],
    ['TOOL_UPDATE', { progress: 'half' }],
    ['TOOL_DONE', { status: 'RUNNING' }],
    ['FLOW_UPDATE', { channel: 'NONE' }],
    ['FLOW_UPDATE', { add_messages: -1 }],
    ['FLOW_UPDATE', { add_bytes: 1.5 }],
    ['PAUSE_CHANNEL', { channel: 5 }],
  ])('of %s is INVALID_MESSAGE with %j', (type, wrong) => {
    const payload = { ...LEAST[type], ...wrong };
    expect(refusal({ ...ENVELOPE, type, payload })?.code).toBe('INVALID_MESSAGE');
  });
});
