import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MessageKey } from './keys.js';

/** All that a message says, and so all that must not change on its way. */
export interface MessageContent {
  readonly subject: string;
  /** '' where there is no caller. */
  readonly token: string;
  /** Names the message, see ids.ts. */
  readonly message: string;
  readonly params: string | undefined;
  readonly key: string | undefined;
  /** Of a long body, see digest.ts; then `body` is ''. */
  readonly digest: string | undefined;
  readonly body: string;
}

const VERSION = 'countersign message 1';

/** HMAC-SHA-256. */
export function macOf({ key }: MessageKey, content: MessageContent): Buffer {
  const { subject, token, message, params, key: idempotencyKey, digest, body } = content;
  const who = apart(VERSION) + apart(subject) + apart(token) + apart(message);
  const what = apart(params) + apart(idempotencyKey) + apart(digest);
  return createHmac('sha256', key)
    .update(who + what)
    .update(body)
    .digest();
}

/** Takes the same time for every MAC of the right length. */
export function isMacOf(key: MessageKey, content: MessageContent, given: string): boolean {
  const bytes = Buffer.from(given, 'base64url');
  const expected = macOf(key, content);
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** With its length in front, so that no part can pass for the end of another. */
function apart(part: string | undefined): string {
  return part === undefined ? '-' : `${part.length}:${part}`;
}
