import { drawBytes } from './random.js';

/** A new UUID version 7 (RFC 9562): random, and in the order of time, so that indexes stay dense. */
export function newId(now = Date.now()): string {
  const bytes = drawBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Request and bundle ids on the wire: a lower-case UUID; anything else names nothing (protocol §1). */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value);
}
