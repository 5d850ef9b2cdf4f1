import type { IncomingMessage } from 'node:http';

import { Refusal, textDigest } from '@countersign/protocol';

import { SESSION_COOKIE, readCookie } from './cookies.js';
import type { KnownPrincipal, Store } from './store.js';

export interface AuthenticatedSession {
  readonly digest: string;
  readonly csrf: string;
  /** What the directory calls this person. */
  readonly name: string | null;
  /** How long ago the identity provider last saw a proof of who it is, seconds; null when it did not say. */
  readonly provedAgo: number | null;
  /** The provider's name for how (`acr`). */
  readonly acr: string | null;
}

/** Who calls, by a bearer token or by a session; exactly one of the two is set. */
export interface Authenticated extends KnownPrincipal {
  /** Digest of the bearer token. */
  readonly credential: string | null;
  readonly session: AuthenticatedSession | null;
}

export type Authenticate = (request: IncomingMessage) => Promise<Authenticated>;

const bearer = /^Bearer ([A-Za-z0-9_-]{32,200})$/;
const REMEMBER_MS = 3_000;
const REMEMBER_AT_MOST = 10_000;

/** Whether the caller brought anything to be recognised by; a page without it leads to the login. */
export function hasCredentials({ headers }: IncomingMessage): boolean {
  return (
    headers.authorization !== undefined || readCookie(headers.cookie, SESSION_COOKIE) !== undefined
  );
}

/**
 * Contract §8.1, §8.3: an Authorization header decides alone, else the session cookie. Throws
 * `unauthenticated`. Principals of tokens are remembered for up to 3 s, which is harmless because
 * services look again in their own transaction; unknown tokens and sessions never are.
 */
export function createAuthenticate(store: Store): Authenticate {
  const remembered = new Map<string, { principal: KnownPrincipal; until: number }>();
  const asking = new Map<string, Promise<KnownPrincipal | null>>();

  async function principalOf(digest: string): Promise<KnownPrincipal | null> {
    const known = remembered.get(digest);
    if (known && known.until > performance.now()) return known.principal;
    remembered.delete(digest);
    const asked = asking.get(digest);
    if (asked) return asked;
    const question = store.principalOfToken(digest).finally(() => asking.delete(digest));
    asking.set(digest, question);
    const principal = await question;
    if (principal) {
      if (remembered.size >= REMEMBER_AT_MOST) {
        // The first key is the one that was put in longest ago.
        remembered.delete(remembered.keys().next().value as string);
      }
      remembered.set(digest, { principal, until: performance.now() + REMEMBER_MS });
    }
    return principal;
  }

  async function byToken(header: string): Promise<Authenticated> {
    const token = bearer.exec(header)?.[1];
    if (token === undefined) throw new Refusal('unauthenticated');
    const credential = textDigest(token);
    const principal = await principalOf(credential);
    if (!principal) throw new Refusal('unauthenticated');
    return { ...principal, credential, session: null };
  }

  async function bySession(cookies: string | undefined): Promise<Authenticated> {
    const value = readCookie(cookies, SESSION_COOKIE);
    if (value === undefined || value === 'invalid') throw new Refusal('unauthenticated');
    const digest = textDigest(value);
    const found = await store.session(digest);
    if (!found) throw new Refusal('unauthenticated');
    const { csrf, name, provedAgo, acr, ...principal } = found;
    return { ...principal, credential: null, session: { digest, csrf, name, provedAgo, acr } };
  }

  return ({ headers }) =>
    headers.authorization === undefined
      ? bySession(headers.cookie)
      : byToken(headers.authorization);
}
