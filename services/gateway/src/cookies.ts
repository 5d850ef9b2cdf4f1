import type { IncomingMessage } from 'node:http';

import { textDigest } from '@countersign/protocol';

export const SESSION_COOKIE = '__Host-proto';
export const LOGIN_COOKIE = '__Host-proto-login';

export const SESSION_SECONDS = 8 * 60 * 60;
/** Without use, unless it is configured otherwise. */
export const IDLE_SECONDS = 30 * 60;
export const LOGIN_SECONDS = 10 * 60;

type CookieName = typeof SESSION_COOKIE | typeof LOGIN_COOKIE;

/** 32 bytes as unpadded base64url: the only form we ever give out. */
const ours = /^[A-Za-z0-9_-]{43}$/;

/**
 * The value of a cookie of ours: undefined when the browser sent none, `invalid` when its value cannot be one of ours or is
 * ambiguous.
 */
export function readCookie(
  header: string | undefined,
  name: CookieName,
): string | 'invalid' | undefined {
  if (header === undefined) return undefined;
  let found: string | undefined;
  for (const pair of header.split(';')) {
    const sign = pair.indexOf('=');
    if (sign < 0 || pair.slice(0, sign).trim() !== name) continue;
    const value = pair.slice(sign + 1).trim();
    found = found === undefined && ours.test(value) ? value : 'invalid';
  }
  return found;
}

/** The digest under which the store knows a cookie of ours; null when there is none that can be one. */
export function cookieDigest(
  { headers }: Pick<IncomingMessage, 'headers'>,
  name: CookieName,
): string | null {
  const value = readCookie(headers.cookie, name);
  return value === undefined || value === 'invalid' ? null : textDigest(value);
}

/** A `Set-Cookie` header with the attributes of protocol §8.3. */
export function setCookie(name: CookieName, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; Path=/; Secure; HttpOnly; SameSite=Lax`;
}

export function clearCookie(name: CookieName): string {
  return setCookie(name, '', 0);
}
