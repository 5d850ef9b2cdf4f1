import { randomUUID } from 'node:crypto';
import { endSession } from './connections.js';
import type { Core } from './core.js';
import { Fault } from './fault.js';
import type { Connection, Conversation } from './session.js';

const SHORTEST = 5;
const LONGEST = 250;
// What clients send on; the server pauses these when they read too slowly.
const CLIENT_CHANNELS = ['USER', 'AGENT', 'AUDIO_IN'] as const;

/** How often `lookAfter` is due, in milliseconds: credits are filled up and heartbeats judged no later than this. */
export function upkeepInterval({ config }: Core): number {
  const { heartbeatInterval, heartbeatTimeout, replayWindowTime } = config;
  const wanted = Math.min(heartbeatInterval, heartbeatTimeout, replayWindowTime) / 4;
  return Math.max(SHORTEST, Math.min(LONGEST, Math.floor(wanted)));
}

/** Everything that happens because time passes. */
export function lookAfter(core: Core): void {
  const now = core.now();
  for (const conversation of [...core.directory.all()]) {
    const { connection } = conversation;
    conversation.window.expire(now);
    if (connection !== undefined) tend(core, connection, now);
    else if (now - conversation.detachedAt > core.config.replayWindowTime) {
      endSession(core, conversation);
    }
  }
}

function tend(core: Core, connection: Connection, now: number): void {
  const { conversation } = connection;
  if (now >= connection.expiresAt) {
    core.report(conversation, new Fault('INVALID_TOKEN', 'The token has expired.'));
    core.detach(connection, 1008, 'INVALID_TOKEN');
    return;
  }
  if (!conversation.session.handshakeCompleted) {
    const { heartbeatInterval, heartbeatTimeout } = core.config;
    if (now - connection.openedAt <= heartbeatInterval + heartbeatTimeout) return;
    core.report(conversation, new Fault('INVALID_MESSAGE', 'The handshake did not come.'));
    core.detach(connection, 1008, 'handshake');
    return;
  }
  if (!isAlive(core, connection, now)) {
    core.detach(connection, 1001, 'heartbeat');
    return;
  }
  adjust(core, conversation, now);
  connection.refusedOfLate = 0;
  connection.transport.release();
}

/** Sends the heartbeats; any message since the last one will do for an answer. */
function isAlive(core: Core, connection: Connection, now: number): boolean {
  const { ping, conversation } = connection;
  const { heartbeatInterval, heartbeatTimeout } = core.config;
  if (ping !== undefined) {
    if (now - ping.at < heartbeatTimeout) return true;
    if (conversation.session.lastActivity <= ping.at) return false;
    connection.ping = undefined;
  }
  if (now - connection.lastPing >= heartbeatInterval) {
    const nonce = randomUUID();
    connection.ping = { nonce, at: now };
    connection.lastPing = now;
    core.outbound.send(conversation, { type: 'PING', channel: 'SYSTEM', payload: { nonce } });
  }
  return true;
}

function adjust(core: Core, conversation: Conversation, now: number): void {
  const { outbound, config } = core;
  const pressed = outbound.isPressed(conversation);
  if (config.flowControl.enabled) pauseClient(core, conversation, pressed);
  for (const grant of conversation.allowance.refill(pressed, now)) {
    outbound.send(conversation, { type: 'FLOW_UPDATE', channel: 'SYSTEM', payload: { ...grant } });
  }
  outbound.flush(conversation);
}

function pauseClient({ outbound }: Core, conversation: Conversation, pressed: boolean): void {
  const { pausedByServer } = conversation;
  if (pressed === pausedByServer.size > 0) return;
  const type = pressed ? 'PAUSE_CHANNEL' : 'RESUME_CHANNEL';
  for (const channel of CLIENT_CHANNELS) {
    if (pressed) pausedByServer.add(channel);
    else pausedByServer.delete(channel);
    outbound.send(conversation, { type, channel: 'SYSTEM', payload: { channel } });
  }
}
