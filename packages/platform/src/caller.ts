import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { CALLER_KINDS, Refusal } from '@countersign/protocol';
import type { CallerKind } from '@countersign/protocol';
import { SignJWT, jwtVerify } from 'jose';
import type { Changing } from './changing.js';
import type { DatabaseClock } from './database-clock.js';

/** Whom the gateway authenticated. */
export interface Caller {
  /** Principal id. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: CallerKind;
  /** The id by which services know the bearer token, null for a session. */
  readonly credential: string | null;
  /** Came with a session and its CSRF proof. */
  readonly session: boolean;
}

/** Makes the tokens that tell services who calls. */
export interface CallerMinter {
  /** `audience` is the one service that the token is for. */
  mint(caller: Caller, audience: string): Promise<string>;
}

/** Reads them again on the other side of the bus. */
export interface CallerVerifier {
  /** Throws `unauthenticated` for a token that is forged, too old, malformed or for another service. */
  verify(token: string): Promise<Caller>;
}

/** The key that signs tokens. */
export interface CallerKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Public keys by id. */
export type CallerKeys = ReadonlyMap<string, KeyObject>;

export interface CallerVerifierOptions {
  readonly audience: string;
  readonly keys: Changing<CallerKeys>;
  readonly clock: DatabaseClock;
  /** By how much a token may seem too old or too young. */
  readonly toleranceMs?: number;
}

const KINDS: ReadonlySet<unknown> = new Set(CALLER_KINDS);
/** Protocol R40. */
export const LIFE_MS = 30_000;
export const TOLERANCE_MS = 30_000;
/** A token is handed out again for this long, so that it always has most of its life before it. */
const REUSE_MS = 10_000;
const REMEMBERED = 10_000;

/** The private key of caller tokens, in PEM form. */
export function readCallerKey(pem: string): CallerKey {
  const key = createPrivateKey(pem);
  return { id: callerKeyId(createPublicKey(pem)), key };
}

/** Public keys of caller tokens, in PEM form one after the other. Throws a TypeError when there is none. */
export function readCallerKeys(pems: string): CallerKeys {
  const blocks = pems.match(/-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g) ?? [];
  if (blocks.length === 0) throw new TypeError('expected public keys in PEM form');
  const keys = blocks.map((pem) => createPublicKey(pem));
  if (keys.some((key) => key.asymmetricKeyType !== 'ed25519')) {
    throw new TypeError('expected Ed25519 keys');
  }
  return new Map(keys.map((key) => [callerKeyId(key), key]));
}

function callerKeyId(key: KeyObject): string {
  const bytes = key.export({ type: 'spki', format: 'der' });
  return `caller-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

/** Mints EdDSA JWTs of 30 s and reuses them per caller and service for 10 s. */
export function createCallerMinter(keys: Changing<CallerKey>, clock: DatabaseClock): CallerMinter {
  const minted = boundedMap<{ token: Promise<string>; until: number }>();

  function sign(
    { id: keyId, key }: CallerKey,
    { id, tenant, kind, credential, session }: Caller,
    audience: string,
    now: number,
  ): Promise<string> {
    const issued = Math.floor(now / 1000);
    return new SignJWT({ tenant, kind, credential, ...(session ? { session } : {}) })
      .setProtectedHeader({ alg: 'EdDSA', kid: keyId })
      .setSubject(id)
      .setAudience(audience)
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFE_MS / 1000)
      .sign(key);
  }

  return {
    async mint(caller, audience) {
      const key = keys.current();
      const { id, tenant, kind, credential, session } = caller;
      const name = JSON.stringify([audience, key.id, tenant, id, kind, credential, session]);
      const now = clock.now();
      const known = minted.get(name);
      // `until` is also too far ahead when the clock was set back.
      if (known !== undefined && now < known.until && known.until - now <= REUSE_MS) {
        return known.token;
      }
      const token = sign(key, caller, audience, now);
      minted.set(name, { token, until: now + REUSE_MS });
      token.catch(() => minted.delete(name));
      return token;
    },
  };
}

/** Verifies by key id and caches verified tokens: a signature costs 113 µs, a look-up nothing. */
export function createCallerVerifier(options: CallerVerifierOptions): CallerVerifier {
  const { audience, keys, clock, toleranceMs = TOLERANCE_MS } = options;
  const verified = boundedMap<{ caller: Promise<Caller>; until: number }>();

  function keyOf({ kid = '' }: { kid?: string }): KeyObject {
    const key = keys.current().get(kid) ?? keys.again().get(kid);
    if (key === undefined) throw new Refusal('unauthenticated');
    return key;
  }

  async function check(token: string, now: number): Promise<Caller> {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ['EdDSA'],
        audience,
        currentDate: new Date(now),
        clockTolerance: toleranceMs / 1000,
        // Also refuses tokens issued in the future.
        maxTokenAge: LIFE_MS / 1000,
        requiredClaims: ['exp', 'sub'],
      });
      const caller = callerOf(payload);
      const until = (payload.exp as number) * 1000 + toleranceMs;
      verified.set(token, { caller: Promise.resolve(caller), until });
      return caller;
    } catch (cause) {
      verified.delete(token);
      throw cause instanceof Refusal ? cause : new Refusal('unauthenticated', { cause });
    }
  }

  return {
    async verify(token) {
      const now = clock.now();
      const known = verified.get(token);
      if (known !== undefined && now < known.until) return known.caller;
      const caller = check(token, now);
      // Calls that arrive together wait for one verification.
      verified.set(token, { caller, until: now + LIFE_MS });
      return caller;
    },
  };
}

function callerOf(claims: Record<string, unknown>): Caller {
  const { sub, tenant, kind, credential, session } = claims;
  if (
    typeof sub !== 'string' ||
    typeof tenant !== 'string' ||
    !KINDS.has(kind) ||
    !(credential === null || typeof credential === 'string')
  ) {
    throw new Refusal('unauthenticated');
  }
  return { id: sub, tenant, kind: kind as CallerKind, credential, session: session === true };
}

/** A map that forgets its oldest entries first. */
function boundedMap<V>(): Pick<Map<string, V>, 'get' | 'delete'> & {
  set(key: string, value: V): void;
} {
  const entries = new Map<string, V>();
  return {
    get: (key) => entries.get(key),
    delete: (key) => entries.delete(key),
    set(key, value) {
      entries.delete(key);
      if (entries.size >= REMEMBERED) entries.delete(entries.keys().next().value as string);
      entries.set(key, value);
    },
  };
}
