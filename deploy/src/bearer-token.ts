import { randomBytes } from 'node:crypto';

/** 32 random bytes as the interface wants bearer tokens (protocol §8.1). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
