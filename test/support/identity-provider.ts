import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey } from 'jose';

const CLIENT_ID = 'countersign-test';
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * An OpenID provider without pages: a test chooses the person who logs in, and the provider's own messages to the service.
 */
export interface IdentityProvider {
  /** For `startInstance`. */
  readonly env: Readonly<Record<string, string>>;
  /** Logs in as that subject, in a new browser unless one is given; gives where the login ends. */
  signIn(origin: string, subject: string, options?: SignIn): Promise<SignedIn>;
  /** A right logout token unless the changes make it another. A claim that is undefined is left out. */
  logoutToken(claims: Record<string, unknown>, by?: CryptoKey): Promise<string>;
  stop(): Promise<void>;
}

export interface SignIn {
  /** The provider's name for its own session. */
  readonly sid?: string | undefined;
  readonly browser?: Visitor | undefined;
  readonly start?: string | undefined;
}

export interface SignedIn {
  readonly browser: Visitor;
  /** The answer to the callback. */
  readonly page: Visit;
}

export interface Visit {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  /** Of a refusal. */
  readonly code: string;
}

/** A browser as far as the service sees it: cookies of one origin, redirects shown and not followed. */
export interface Visitor {
  readonly cookies: Map<string, string>;
  open(path: string, init?: RequestInit): Promise<Visit>;
  /** Sends a form as that page's own. */
  submit(path: string, fields: Record<string, string>): Promise<Visit>;
  /** Who is signed in by now, with the token of the session. */
  session(): Promise<{ subject: string; tenant: string; csrf: string }>;
  /** A change with the session's token. */
  post(path: string): Promise<Visit>;
}

export function newVisitor(origin: string): Visitor {
  const cookies = new Map<string, string>();
  async function open(path: string, init: RequestInit = {}): Promise<Visit> {
    const response = await fetch(new URL(path, origin), {
      redirect: 'manual',
      ...init,
      headers: {
        accept: 'application/json',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const code = /"error":"([a-z_]+)"/.exec(text)?.[1] ?? '';
    return {
      status: response.status,
      text,
      location: response.headers.get('location') ?? '',
      code,
    };
  }
  const session = async () => JSON.parse((await open('/auth/session')).text);
  return {
    cookies,
    open,
    session,
    submit: (path, fields) =>
      open(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin } }),
    async post(path) {
      const { csrf } = await session();
      return open(path, { method: 'POST', headers: { origin, 'x-csrf-token': csrf } });
    },
  };
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig', kid: 'own' };
  const seconds = () => Math.floor(Date.now() / 1000);
  const sign = (claims: object, typ: string, by: CryptoKey) =>
    new SignJWT({ iss: issuer, aud: CLIENT_ID, iat: seconds(), exp: seconds() + 120, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'own', typ })
      .sign(by);

  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const answers: Record<string, () => object | Promise<object>> = {
      '/.well-known/openid-configuration': () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        end_session_endpoint: `${issuer}/leave`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
      }),
      '/jwks': () => ({ keys: [jwk] }),
      '/token': async () => {
        const code = new URLSearchParams(body).get('code') ?? '';
        const claims = JSON.parse(Buffer.from(code, 'base64url').toString()) as object;
        const id_token = await sign({ auth_time: seconds(), ...claims }, 'JWT', privateKey);
        return { access_token: randomUUID(), token_type: 'bearer', expires_in: 60, id_token };
      },
    };
    const answer = await answers[request.url ?? '']?.();
    response.statusCode = answer === undefined ? 404 : 200;
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answer ?? {}));
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;

  return {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: 'of-the-test' },

    async signIn(origin, sub, { sid, browser = newVisitor(origin), start = '/auth/login' } = {}) {
      const asked = new URL((await browser.open(start)).location).searchParams;
      const claims = { sub, sid, nonce: asked.get('nonce') };
      const code = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const state = asked.get('state') ?? '';
      const page = await browser.open(
        `/auth/callback?${new URLSearchParams({ code, state }).toString()}`,
      );
      return { browser, page };
    },

    logoutToken: (claims, by = privateKey) =>
      sign({ jti: randomUUID(), events: { [LOGOUT_EVENT]: {} }, ...claims }, 'logout+jwt', by),

    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
