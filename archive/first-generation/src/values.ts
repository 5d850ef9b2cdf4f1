export const CHANNELS = ['USER', 'AGENT', 'SYSTEM', 'AUDIO_IN', 'AUDIO_OUT'] as const;
export type Channel = (typeof CHANNELS)[number];

const SEQUENCE = /^\d{1,19}$/;
const LONGEST_NAME = 256;
const CHANNEL_SET: ReadonlySet<unknown> = new Set(CHANNELS);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names (ids, types, times) are kept and sent back, so they are short. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_NAME;
}

/** A decimal counter in text. */
export function isSequence(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE.test(value);
}

/** A count of messages or bytes. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isChannel(value: unknown): value is Channel {
  return CHANNEL_SET.has(value);
}
