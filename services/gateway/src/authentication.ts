import type { IncomingMessage } from 'node:http';

import { Refusal, textDigest } from '@countersign/protocol';

import { SESSION_COOKIE, readCookie } from './cookies.js';
import type { KnownPrincipal, Store, TokenHolder } from './store/index.js';

export interface AuthenticatedSession {
  readonly digest: string;
  readonly csrf: string;
  /** This person's name in the directory. */
  readonly name: string | null;
  /** How long ago the identity provider last saw a proof of who it is, seconds; null when it did not say. */
  readonly provedAgo: number | null;
  /** The provider's name for how (`acr`). */
  readonly acr: string | null;
}

/** Who calls, by a bearer token or by a session; exactly one of the two is set. */
export interface Authenticated extends KnownPrincipal {
  /** The id by which services know the bearer token. */
  readonly credential: string | null;
  readonly session: AuthenticatedSession | null;
}

/** `mayLookUp` is called before the store, for a credential that was not good lately; it throws the refusal of the call. */
export type Authenticate = (
  request: IncomingMessage,
  mayLookUp: () => Promise<void>,
) => Promise<Authenticated>;

/** Sent by a page that was not touched for a while: its automatic calls keep no session alive. */
const UNATTENDED = 'x-unattended';

const bearer = /^Bearer ([A-Za-z0-9_-]{32,200})$/;
const REMEMBER_MS = 3_000;
/** How long a credential that was good is looked up again before strangers' ones. */
const KNOWN_MS = 600_000;
const REMEMBER_AT_MOST = 10_000;

/** Whether the caller brought anything to be recognised by; a page without it leads to the login. */
export function hasCredentials({ headers }: IncomingMessage): boolean {
  return (
    headers.authorization !== undefined || readCookie(headers.cookie, SESSION_COOKIE) !== undefined
  );
}

/**
 * Protocol §8.1, §8.3: an Authorization header decides alone, else the session cookie. Throws
 * `unauthenticated`. Principals of tokens are remembered for up to 3 s, which is harmless because
 * services look again in their own transaction; unknown tokens and sessions never are.
 */
export function createAuthenticate(store: Store): Authenticate {
  const remembered = new Map<string, { holder: TokenHolder; until: number }>();
  const asking = new Map<string, Promise<TokenHolder | null>>();
  /** Until when a credential counts as known, by its digest. That says nothing about whether it is good now. */
  const known = new Map<string, number>();

  async function lookUp<Found>(
    digest: string,
    mayLookUp: () => Promise<void>,
    ask: (digest: string) => Promise<Found | null>,
  ): Promise<Found> {
    if ((known.get(digest) ?? -1) < performance.now()) await mayLookUp();
    const found = await ask(digest);
    if (found === null) throw new Refusal('unauthenticated');
    keep(known, digest, performance.now() + KNOWN_MS);
    return found;
  }

  async function holderOf(digest: string): Promise<TokenHolder | null> {
    const asked = asking.get(digest);
    if (asked) return asked;
    const question = store.principalOfToken(digest).finally(() => asking.delete(digest));
    asking.set(digest, question);
    const holder = await question;
    if (holder) {
      const left = holder.secondsLeft === null ? REMEMBER_MS : holder.secondsLeft * 1000;
      keep(remembered, digest, { holder, until: performance.now() + Math.min(REMEMBER_MS, left) });
    }
    return holder;
  }

  async function byToken(header: string, mayLookUp: () => Promise<void>): Promise<Authenticated> {
    const token = bearer.exec(header)?.[1];
    if (token === undefined) throw new Refusal('unauthenticated');
    const digest = textDigest(token);
    const live = remembered.get(digest);
    if (live && live.until > performance.now()) return callerOf(live.holder);
    remembered.delete(digest);
    return callerOf(await lookUp(digest, mayLookUp, holderOf));
  }

  async function bySession(
    cookies: string | undefined,
    attended: boolean,
    mayLookUp: () => Promise<void>,
  ): Promise<Authenticated> {
    const value = readCookie(cookies, SESSION_COOKIE);
    if (value === undefined || value === 'invalid') throw new Refusal('unauthenticated');
    const digest = textDigest(value);
    const found = await lookUp(digest, mayLookUp, store.session);
    const { csrf, name, provedAgo, acr, stale, ...principal } = found;
    // Not waited for: a use that is not written down ends a session early, never late.
    if (stale && attended) void store.touchSession(principal.tenant, digest).catch(() => {});
    return { ...principal, credential: null, session: { digest, csrf, name, provedAgo, acr } };
  }

  return ({ headers }, mayLookUp) =>
    headers.authorization === undefined
      ? bySession(headers.cookie, headers[UNATTENDED] === undefined, mayLookUp)
      : byToken(headers.authorization, mayLookUp);
}

function callerOf({ secondsLeft: _, ...principal }: TokenHolder): Authenticated {
  return { ...principal, session: null };
}

function keep<Value>(entries: Map<string, Value>, key: string, value: Value): void {
  // The first key is the one that was put in longest ago.
  if (entries.size >= REMEMBER_AT_MOST) entries.delete(entries.keys().next().value as string);
  entries.delete(key);
  entries.set(key, value);
}

/** The same, which also counts each call with an unknown credential. */
export function countingUnknown(
  authenticate: Authenticate,
  unknown: (request: IncomingMessage) => void,
): Authenticate {
  return async (request, mayLookUp) => {
    try {
      return await authenticate(request, mayLookUp);
    } catch (fault) {
      const isUnknown = fault instanceof Refusal && fault.code === 'unauthenticated';
      if (isUnknown && hasCredentials(request)) unknown(request);
      throw fault;
    }
  };
}
