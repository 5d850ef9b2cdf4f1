import type { FlowControlConfig } from './flow-config.js';
import { Fault } from './fault.js';
import { CHANNELS } from './values.js';
import type { Channel } from './values.js';

/** What a client has been given anew, as FLOW_UPDATE says it. */
export interface Grant {
  readonly channel: Channel;
  readonly add_messages: number;
  readonly add_bytes: number;
}

/** What a client may send, per channel, in messages and bytes. */
export interface Allowance {
  /** @throws {Fault} INSUFFICIENT_CREDITS */
  take(channel: Channel, bytes: number, messages?: number): void;
  /** Fills up what is nearly used. Under pressure it gives nothing, and the adaptive allowances shrink. */
  refill(pressed: boolean, now: number): Grant[];
}

interface Account {
  messages: number;
  bytes: number;
  /** What it is filled up to. */
  ceiling: number;
  /** When it was filled up last. */
  at: number;
  /** Something was refused since. */
  overdrawn: boolean;
}

// Heartbeats, replays and errors go on SYSTEM: it has an allowance that no configuration takes away.
const SYSTEM_MESSAGES = 1000;
const SYSTEM_BYTES = 1_048_576;
// Used up in less than this: the client is busy, and gets more.
const BUSY = 1000;
const MOST_BYTES_FACTOR = 16;

export function createAllowance(flow: FlowControlConfig, now: number): Allowance {
  const accounts = new Map<Channel, Account>(
    CHANNELS.map((channel) => [
      channel,
      channel === 'SYSTEM'
        ? account(SYSTEM_MESSAGES, SYSTEM_BYTES, SYSTEM_MESSAGES, now)
        : account(flow.initialCreditMessages, flow.initialCreditBytes, flow.initialCredits, now),
    ]),
  );

  return {
    take(channel, bytes, messages = 1) {
      if (!flow.enabled && channel !== 'SYSTEM') return;
      const held = accounts.get(channel) as Account;
      if (held.messages < messages || held.bytes < bytes) {
        held.overdrawn = true;
        throw new Fault('INSUFFICIENT_CREDITS', 'There are not enough credits for this channel.', {
          detail: { channel, messages: held.messages, bytes: held.bytes },
        });
      }
      held.messages -= messages;
      held.bytes -= bytes;
    },
    refill(pressed, at) {
      const grants: Grant[] = [];
      for (const [channel, held] of accounts) {
        if (channel === 'SYSTEM') {
          Object.assign(held, account(SYSTEM_MESSAGES, SYSTEM_BYTES, SYSTEM_MESSAGES, at));
        } else if (flow.enabled && isLow(held, flow)) {
          if (flow.adaptiveAdjustment) adjust(held, flow, pressed, at);
          if (!pressed) grants.push(fill(channel, held, flow, at));
        }
      }
      return grants.filter((grant) => grant.add_messages > 0 || grant.add_bytes > 0);
    },
  };
}

function account(messages: number, bytes: number, ceiling: number, at: number): Account {
  return { messages, bytes, ceiling, at, overdrawn: false };
}

function isLow(held: Account, flow: FlowControlConfig): boolean {
  const share = Math.min(1, flow.creditThreshold / Math.max(1, flow.initialCredits));
  return (
    held.overdrawn ||
    held.messages <= flow.creditThreshold ||
    held.bytes <= share * flow.initialCreditBytes
  );
}

function adjust(held: Account, flow: FlowControlConfig, pressed: boolean, now: number): void {
  const wanted = pressed
    ? held.ceiling / 2
    : now - held.at < BUSY
      ? held.ceiling * 2
      : held.ceiling;
  held.ceiling = Math.floor(Math.min(flow.maxCredits, Math.max(flow.minCredits, wanted)));
}

function fill(channel: Channel, held: Account, flow: FlowControlConfig, now: number): Grant {
  const factor = Math.min(MOST_BYTES_FACTOR, held.ceiling / Math.max(1, flow.initialCredits));
  const bytes = Math.floor(flow.initialCreditBytes * Math.max(1, factor));
  const grant = {
    channel,
    add_messages: Math.max(0, held.ceiling - held.messages),
    add_bytes: Math.max(0, bytes - held.bytes),
  };
  held.messages += grant.add_messages;
  held.bytes += grant.add_bytes;
  held.at = now;
  held.overdrawn = false;
  return grant;
}
