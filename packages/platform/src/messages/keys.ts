import { createSecretKey, hash, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key that the gateway shares with one service. */
export interface MessageKey {
  /** Made of the key itself. */
  readonly id: string;
  readonly key: KeyObject;
}

const BYTES = 32;
const KEY = /^[A-Za-z0-9_-]{43}$/;
/** One in use, the next one, the last one. */
const MOST = 4;

/** A new key as {@link readMessageKeys} takes it. */
export function newMessageKey(): string {
  return randomBytes(BYTES).toString('base64url');
}

/**
 * Keys of 32 bytes in base64url, one a line, followed by a word for people (`next`, `old`). The gateway uses the first, a
 * service accepts all. Throws a TypeError that does not show them.
 */
export function readMessageKeys(text: string): readonly [MessageKey, ...MessageKey[]] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first, ...others] = lines.map(readLine);
  if (first === undefined || others.length >= MOST) {
    throw new TypeError(`expected one to ${MOST} keys, each on a line of its own`);
  }
  return [first, ...others];
}

function readLine(line: string): MessageKey {
  const [text = ''] = line.trim().split(/\s+/);
  if (!KEY.test(text)) throw new TypeError('expected keys of 43 characters of base64url');
  const bytes = Buffer.from(text, 'base64url');
  return { id: hash('sha256', bytes, 'hex').slice(0, 16), key: createSecretKey(bytes) };
}
