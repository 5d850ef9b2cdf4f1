import { Refusal, textDigest } from '@countersign/protocol';
import { createRemoteJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import * as oidc from 'openid-client';

import { readLogoutToken } from './logout-token.js';
import type { LogoutNotice } from './logout-token.js';

const ANSWER_WITHIN_SECONDS = 10;
const METADATA_LIFE_MS = 60 * 60 * 1_000;

export interface IdentityProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the client secret goes: into the body, or into an Authorization header. */
  readonly clientAuthentication: 'body' | 'basic';
  readonly redirectUri: string;
  /** Where the provider sends people after its own logout. */
  readonly signedOutUri: string;
  /** Only for a provider on a loopback address, in development. */
  readonly plainHttp: boolean;
}

/** The secrets of one attempt, all of them compared or sent again at its callback. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** When the person last proved who they are (`auth_time`), epoch seconds; null when the provider does not say. */
  readonly provedAt: number | null;
  /** How (`acr`). */
  readonly acr: string | null;
  /** Digest of the provider's name for its session (`sid`); null when it does not say. */
  readonly session: string | null;
}

/** How fresh and how strong a login has to be. */
export interface LoginStrength {
  /** At most so many seconds old. */
  readonly maxAge: number;
  /** One of these, whichever comes first; none when any will do. */
  readonly acrValues: readonly string[];
}

export interface IdentityProvider {
  /** The provider's address for one attempt. Throws `service_unavailable`. */
  authorisationUrl(secrets: LoginSecrets, strength: LoginStrength | null): Promise<URL>;
  /**
   * Exchanges the code of a callback. Throws `invalid_login` when the provider refuses it, `invalid_identity` when its
   * claims about the person are not valid, `service_unavailable` when it does not answer properly.
   */
  exchange(callback: URLSearchParams, secrets: LoginSecrets): Promise<Identity>;
  /** Where people end their session at the provider; null when it announces no such place, or does not answer. */
  logoutAddress(): Promise<URL | null>;
  /** The content of a logout token. Throws `invalid_logout_token`, `service_unavailable`. */
  logoutNotice(token: string): Promise<LogoutNotice>;
}

export function newLoginSecrets(): LoginSecrets {
  return {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    codeVerifier: oidc.randomPKCECodeVerifier(),
  };
}

export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  let known: { client: oidc.Configuration; until: number } | null = null;
  let asking: Promise<oidc.Configuration> | null = null;
  let keys: { at: string; set: JWTVerifyGetKey } | null = null;

  async function discover(): Promise<oidc.Configuration> {
    const authenticate =
      options.clientAuthentication === 'basic' ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    const client = await oidc.discovery(
      new URL(options.issuer),
      options.clientId,
      {},
      authenticate(options.clientSecret),
      {
        timeout: ANSWER_WITHIN_SECONDS,
        // The signature of the ID token is checked too, not only the connection it came through.
        execute: options.plainHttp
          ? [oidc.enableNonRepudiationChecks, oidc.allowInsecureRequests]
          : [oidc.enableNonRepudiationChecks],
      },
    );
    if (client.serverMetadata().issuer !== options.issuer) {
      throw new Error(`the identity provider calls itself ${client.serverMetadata().issuer}`);
    }
    known = { client, until: performance.now() + METADATA_LIFE_MS };
    return client;
  }

  async function provider(): Promise<oidc.Configuration> {
    if (known && performance.now() < known.until) return known.client;
    asking ??= discover().finally(() => {
      asking = null;
    });
    try {
      return await asking;
    } catch (cause) {
      if (known) return known.client;
      throw new Refusal('service_unavailable', { cause: described(cause) });
    }
  }

  /** The provider's keys: fetched when a token names one that is not known yet, at most twice a minute. */
  async function keySet(): Promise<JWTVerifyGetKey> {
    const { jwks_uri: at } = (await provider()).serverMetadata();
    if (at === undefined || !(options.plainHttp || at.startsWith('https://'))) {
      const cause = new Error('the identity provider names no address for its keys');
      throw new Refusal('service_unavailable', { cause });
    }
    if (keys?.at !== at) keys = { at, set: createRemoteJWKSet(new URL(at)) };
    return keys.set;
  }

  return {
    async authorisationUrl({ state, nonce, codeVerifier }, strength) {
      const client = await provider();
      return oidc.buildAuthorizationUrl(client, {
        redirect_uri: options.redirectUri,
        scope: 'openid',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(strength === null ? {} : { max_age: String(strength.maxAge) }),
        ...(strength === null || strength.acrValues.length === 0
          ? {}
          : { acr_values: strength.acrValues.join(' ') }),
      });
    },

    async exchange(callback, { state, nonce, codeVerifier }) {
      const client = await provider();
      const answer = new URL(options.redirectUri);
      answer.search = callback.toString();
      const tokens = await oidc
        .authorizationCodeGrant(client, answer, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw refusalOf(error);
        });
      const claims = tokens.claims();
      if (claims?.iss !== options.issuer || typeof claims.sub !== 'string' || claims.sub === '') {
        throw new Refusal('invalid_identity');
      }
      const { auth_time, acr, sid } = claims;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        provedAt: typeof auth_time === 'number' && auth_time > 0 ? auth_time : null,
        acr: typeof acr === 'string' ? acr : null,
        session: typeof sid === 'string' && sid !== '' ? textDigest(sid) : null,
      };
    },

    async logoutAddress() {
      const client = await provider().catch(() => null);
      if (client?.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: options.signedOutUri });
    },

    async logoutNotice(token) {
      const { issuer, clientId } = options;
      return readLogoutToken(token, { issuer, clientId, keys: await keySet() });
    },
  };
}

/** Codes of openid-client that mean: the provider answered, and its answer does not hold. */
const unusable: ReadonlySet<string | undefined> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

function refusalOf(fault: unknown): Refusal {
  const cause = described(fault);
  if (fault instanceof oidc.AuthorizationResponseError) {
    return new Refusal('invalid_login', { cause });
  }
  if (fault instanceof oidc.ResponseBodyError && fault.error === 'invalid_grant') {
    return new Refusal('invalid_login', { cause });
  }
  if (fault instanceof oidc.ClientError && unusable.has(fault.code)) {
    return new Refusal('invalid_identity', { cause });
  }
  return new Refusal('service_unavailable', { cause });
}

/** The library's errors carry codes, claims and whole answers; only words may reach the log. */
function described(fault: unknown): Error {
  const words: string[] = [];
  for (let error = fault; error instanceof Error && words.length < 4; error = error.cause) {
    const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : '';
    words.push(`${error.message}${code}`);
  }
  return new Error(`identity provider: ${words.join(': ')}`);
}
