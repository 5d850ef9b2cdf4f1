import type { Core } from './core.js';
import type { Message } from './envelope.js';
import { Fault } from './fault.js';
import { TYPES } from './payloads.js';
import { resumable, takeOver, replayAfter } from './resumption.js';
import { acknowledge, giveCredits } from './session.js';
import type { Connection, Conversation } from './session.js';
import { isAmount, isObject } from './values.js';

export const PROTOCOL_VERSION = '1.1.2';
const MAJOR = 1;

/** The server speaks first. */
export function sayHai(core: Core, to: Conversation, binaryFrames: boolean): void {
  const { flowControl, maxConcurrentRuns } = core.config;
  core.outbound.send(to, {
    type: 'HAI',
    channel: 'SYSTEM',
    pv: MAJOR,
    payload: {
      proto_version: PROTOCOL_VERSION,
      accept_major: [MAJOR],
      accept_events: [...TYPES],
      capabilities: {
        binary_frames: binaryFrames,
        flow_control: {
          initial_credit_messages: flowControl.initialCreditMessages,
          initial_credit_bytes: flowControl.initialCreditBytes,
        },
        max_concurrent_runs: maxConcurrentRuns,
        signed_envelopes: false,
      },
    },
  });
}

/** The client's answer: it completes the handshake, and may resume an older session. @throws {Fault} INVALID_MESSAGE */
export function greet(core: Core, connection: Connection, message: Message): void {
  const { payload } = message;
  if (connection.conversation.session.handshakeCompleted) {
    throw new Fault('INVALID_MESSAGE', 'The handshake is complete.', { relatedId: message.id });
  }
  if (!speaksOurs(payload)) {
    throw new Fault('INVALID_MESSAGE', 'The server speaks major version 1 alone.', {
      relatedId: message.id,
      detail: { accept_major: [MAJOR] },
    });
  }
  const lastSeen = payload['last_rx_seq'] as string | undefined;
  const older = lastSeen === undefined ? undefined : resumable(core, connection, message.session);
  if (older !== undefined) takeOver(core, connection, older);

  const { conversation } = connection;
  const { session, guard } = conversation;
  guard.reset(connection.transport.ordered);
  guard.check(message.seq, message.id);
  conversation.heard = message.seq;
  acknowledge(conversation, lastSeen ?? message.ack);
  giveCredits(session, ...creditsOf(payload, core));
  session.handshakeCompleted = true;
  core.log('handshake', { session: session.id, resumed: older !== undefined });
  core.emit('handshake', session.id, payload);
  core.emit('message', session.id, message);
  if (lastSeen !== undefined)
    replayAfter(core, conversation, lastSeen, message.id, older !== undefined);
  core.outbound.flush(conversation);
}

function speaksOurs(payload: Record<string, unknown>): boolean {
  const { proto_version: version, accept_major: majors } = payload;
  if (Array.isArray(majors)) return majors.includes(MAJOR);
  return String(version).split('.')[0] === String(MAJOR);
}

function creditsOf(payload: Record<string, unknown>, core: Core): [number, number] {
  const { initialCreditMessages, initialCreditBytes, maxCredits } = core.config.flowControl;
  const capabilities = payload['capabilities'];
  const flow = isObject(capabilities) ? capabilities['flow_control'] : undefined;
  const { initial_credit_messages: messages, initial_credit_bytes: bytes } = isObject(flow)
    ? flow
    : {};
  return [
    isAmount(messages)
      ? Math.min(messages, Math.max(maxCredits, initialCreditMessages))
      : initialCreditMessages,
    isAmount(bytes) ? bytes : initialCreditBytes,
  ];
}
