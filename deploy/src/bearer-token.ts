import { randomBytes } from 'node:crypto';
import { PlainError } from './plain-error.js';

/** 32 random bytes as the interface wants bearer tokens (protocol §8.1). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The text is never part of a message: it may be a token that was pasted badly. Throws PlainError. */
export function bearerTokenIn(text: string, place: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new PlainError(`${place}: it holds no bearer token.`);
}
