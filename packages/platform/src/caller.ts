import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Refusal } from '@countersign/protocol';
import type { CallerKind } from '@countersign/protocol';
import { SignJWT, jwtVerify } from 'jose';

/** Whom the gateway authenticated. */
export interface Caller {
  /** Principal id. */
  readonly id: string;
  readonly tenant: string;
  readonly kind: CallerKind;
  /** Digest of the bearer token, null for a session. */
  readonly credential: string | null;
  /** Came with a session and its CSRF proof. */
  readonly session: boolean;
}

/** Makes the tokens that tell services who calls. */
export interface CallerMinter {
  mint(caller: Caller): Promise<string>;
}

/** Reads them again on the other side of the bus. */
export interface CallerVerifier {
  /** Throws `unauthenticated` for a token that is forged, too old or malformed. */
  verify(token: string): Promise<Caller>;
}

const AUDIENCE = 'countersign';
const KINDS: ReadonlySet<unknown> = new Set<CallerKind>([
  'producer',
  'publisher',
  'operator',
  'human',
]);
const LIFE_MS = 30_000;
/** A token is handed out again for this long, so that it always has most of its life before it. */
const REUSE_MS = 10_000;
/**
 * No machine's clock decides anything here, and one that is five minutes off must not shut its services out. A token
 * stops a peer on the bus from inventing callers; whether a principal is still enabled is read from the database.
 */
const CLOCK_TOLERANCE_S = 310;
const REMEMBERED = 10_000;

/** Mints EdDSA JWTs of 30 s and reuses them per caller for 10 s. */
export function createCallerMinter(keyId: string, privatePem: string): CallerMinter {
  const key = createPrivateKey(privatePem);
  const minted = boundedMap<{ token: Promise<string>; until: number }>();

  function sign({ id, tenant, kind, credential, session }: Caller, now: number): Promise<string> {
    const issued = Math.floor(now / 1000);
    return new SignJWT({ tenant, kind, credential, ...(session ? { session } : {}) })
      .setProtectedHeader({ alg: 'EdDSA', kid: keyId })
      .setSubject(id)
      .setAudience(AUDIENCE)
      .setIssuedAt(issued)
      .setExpirationTime(issued + LIFE_MS / 1000)
      .sign(key);
  }

  return {
    mint(caller) {
      const { id, tenant, kind, credential, session } = caller;
      const name = JSON.stringify([tenant, id, kind, credential, session]);
      const now = Date.now();
      const known = minted.get(name);
      // `until` also lies too far ahead when this clock was set back.
      if (known !== undefined && now < known.until && known.until - now <= REUSE_MS) {
        return known.token;
      }
      const token = sign(caller, now);
      minted.set(name, { token, until: now + REUSE_MS });
      token.catch(() => minted.delete(name));
      return token;
    },
  };
}

/** Verifies by key id and remembers what it verified: a signature costs 113 µs, a look-up nothing. */
export function createCallerVerifier(publicPems: Readonly<Record<string, string>>): CallerVerifier {
  const keys = new Map<string, KeyObject>(
    Object.entries(publicPems).map(([keyId, pem]) => [keyId, createPublicKey(pem)]),
  );
  const verified = boundedMap<{ caller: Promise<Caller>; until: number }>();

  function keyOf({ kid }: { kid?: string }): KeyObject {
    const key = kid === undefined ? undefined : keys.get(kid);
    if (key === undefined) throw new Refusal('unauthenticated');
    return key;
  }

  async function check(token: string): Promise<Caller> {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ['EdDSA'],
        audience: AUDIENCE,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['exp', 'sub'],
      });
      const caller = callerOf(payload);
      const until = ((payload.exp as number) + CLOCK_TOLERANCE_S) * 1000;
      verified.set(token, { caller: Promise.resolve(caller), until });
      return caller;
    } catch (cause) {
      verified.delete(token);
      throw cause instanceof Refusal ? cause : new Refusal('unauthenticated', { cause });
    }
  }

  return {
    verify(token) {
      const known = verified.get(token);
      if (known !== undefined && Date.now() < known.until) return known.caller;
      const caller = check(token);
      // Calls that arrive together wait for one verification.
      verified.set(token, { caller, until: Date.now() + LIFE_MS });
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

/** A map that forgets what it learned first. */
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
