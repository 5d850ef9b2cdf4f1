import { Refusal, textDigest } from '@countersign/protocol';
import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const MOST_AGE_SECONDS = 300;
const SKEW_SECONDS = 30;
/** Signatures that only the provider can make; never a secret that we share with it, never none. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The sessions that an identity provider reports as ended: all of a person, one of its sessions, or one of that person. */
export interface LogoutNotice {
  readonly issuer: string;
  /** Digest of the token's own id, which counts once. */
  readonly token: string;
  readonly subject: string | null;
  /** Digest of the provider's name for its session. */
  readonly session: string | null;
}

export interface LogoutTokenRules {
  readonly issuer: string;
  /** Our name at the provider. */
  readonly clientId: string;
  readonly keys: JWTVerifyGetKey;
}

/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0, §2.6). Throws `invalid_logout_token` for one that the
 * provider did not make for us, lately and for this, and `service_unavailable` when its keys cannot be had.
 */
export async function readLogoutToken(
  token: string,
  { issuer, clientId, keys }: LogoutTokenRules,
): Promise<LogoutNotice> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: MOST_AGE_SECONDS,
    clockTolerance: SKEW_SECONDS,
  }).catch((fault: unknown) => {
    throw refusalOf(fault);
  });
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt';
  if (type !== 'logout+jwt' && type !== 'jwt') throw new Refusal('invalid_logout_token');
  const { jti, sub, sid } = payload;
  // An ID token has a nonce and no event: a token that a browser carried must not end sessions.
  if (!saysLogout(payload) || 'nonce' in payload || !isName(jti)) {
    throw new Refusal('invalid_logout_token');
  }
  if ((sub !== undefined && !isName(sub)) || (sid !== undefined && !isName(sid))) {
    throw new Refusal('invalid_logout_token');
  }
  if (sub === undefined && sid === undefined) throw new Refusal('invalid_logout_token');
  return {
    issuer,
    token: textDigest(jti),
    subject: sub ?? null,
    session: sid === undefined ? null : textDigest(sid),
  };
}

function saysLogout({ events }: JWTPayload): boolean {
  if (typeof events !== 'object' || events === null) return false;
  const event: unknown = (events as Record<string, unknown>)[EVENT];
  return typeof event === 'object' && event !== null && !Array.isArray(event);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

/** Faults of fetching and reading the keys, not of the token. */
const UNAVAILABLE = ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'];

function refusalOf(fault: unknown): Refusal {
  if (fault instanceof errors.JOSEError && !UNAVAILABLE.includes(fault.code)) {
    // Its words may quote claims.
    return new Refusal('invalid_logout_token', { cause: new Error(fault.code) });
  }
  const cause = new Error(`the keys of the identity provider: ${(fault as Error).message}`);
  return new Refusal('service_unavailable', { cause });
}
