import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import type { OAuthTokenVerifier } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';

import { UsageError } from '../exits.js';

const ALGORITHMS = ['EdDSA', 'Ed25519', 'ES256', 'ES384', 'PS256', 'PS384', 'RS256', 'RS384'];
const SKEW_SECONDS = 60;
const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/**
 * Verifies access tokens of one issuer for one resource, by the issuer's keys.
 *
 * @throws UsageError for an issuer whose metadata cannot be read
 */
export async function verifierOf(issuer: string, resource: string): Promise<OAuthTokenVerifier> {
  const keys = createRemoteJWKSet(await keysOf(issuer));
  const rules = {
    ...{ issuer, audience: resource, algorithms: ALGORITHMS },
    ...{ clockTolerance: SKEW_SECONDS, requiredClaims: ['exp', 'sub'] },
  };
  return {
    async verifyAccessToken(token) {
      const claims = await jwtVerify(token, keys, rules).then(
        ({ payload }) => payload,
        () => null,
      );
      // Which rule it breaks is for the issuer's logs: a caller without a token of ours learns nothing.
      if (claims === null)
        throw new OAuthError(OAuthErrorCode.InvalidToken, 'The access token is not valid here');
      return {
        ...{
          token,
          clientId: String(claims['client_id'] ?? claims['azp'] ?? ''),
          scopes: scopesOf(claims),
        },
        // The SDK compares it without a tolerance.
        ...{ expiresAt: (claims.exp as number) + SKEW_SECONDS, resource: new URL(resource) },
        extra: { issuer, subject: claims.sub },
      };
    },
  };
}

function scopesOf({ scope, scp }: JWTPayload): string[] {
  const found = scope ?? scp;
  if (Array.isArray(found)) return found.filter((each) => typeof each === 'string');
  return typeof found === 'string' ? found.split(' ') : [];
}

async function keysOf(issuer: string): Promise<URL> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  // RFC 8414 puts the path behind the well-known name, OpenID Connect before it.
  const places = [
    `${origin}${METADATA[0]}${path}`,
    `${origin}${path}${METADATA[1]}`,
    `${origin}${METADATA[1]}${path}`,
  ];
  for (const place of places) {
    const metadata = await fetch(place, { redirect: 'error' })
      .then(async (response) => (response.ok ? ((await response.json()) as unknown) : null))
      .catch(() => null);
    const { issuer: named, jwks_uri: keys } = (metadata ?? {}) as Record<string, unknown>;
    if (named === issuer && typeof keys === 'string' && URL.canParse(keys)) return new URL(keys);
  }
  throw new UsageError(
    `--issuer ${issuer}: its metadata cannot be read, or names another issuer or no keys.`,
  );
}
