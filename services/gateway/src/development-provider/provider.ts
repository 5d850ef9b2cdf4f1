import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import type { Logger, Module } from '@countersign/platform';
import { exportJWK, generateKeyPair } from 'jose';
import type { Context } from 'oidc-provider';
import { Provider } from 'oidc-provider';

import type { DevelopmentProviderConfig } from '../config.js';
import type { DemoPerson } from './person-page.js';
import { faultPage, personPage, stylesheet } from './person-page.js';

export interface DevelopmentProviderOptions extends DevelopmentProviderConfig {
  readonly log: Logger;
}

const LIFE_SECONDS = 600;
const FORM_BYTES = 4_096;

/**
 * An OpenID provider with named demo people, so that the pages work out of the box (R21). It is
 * `http://localhost:<port>`, on the loopback address unless a container must be reached from outside, and sends people
 * back to the service only.
 */
export function createDevelopmentProvider(options: DevelopmentProviderOptions): Module {
  const { people, port, log } = options;
  if (options.mode === 'production') {
    throw new Error('the development identity provider cannot be switched on in production');
  }
  const issuer = `http://localhost:${port}`;
  const server = createServer();

  return {
    name: 'development-identity-provider',

    async start() {
      const provider = await createProvider(issuer, options);
      const protocol = provider.callback();
      server.on('request', (request, response) => {
        setHeaders(response, options.origin);
        const path = request.url ?? '/';
        if (path === '/style.css') {
          response.setHeader('Content-Type', 'text/css; charset=utf-8');
          response.end(stylesheet);
        } else if (path.startsWith('/choose/')) {
          choose(provider, people, request, response).catch((error: unknown) => {
            log.warn({ err: error }, 'a development sign-in failed');
            answer(response, 400, faultPage('Start signing in again from the beginning.'));
          });
        } else {
          forgetSession(request);
          void protocol(request, response);
        }
      });
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, options.host, resolve);
      });
      log.info({ issuer, people: people.length }, 'development identity provider listens');
    },

    async stop() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function createProvider(
  issuer: string,
  options: DevelopmentProviderOptions,
): Promise<Provider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: options.clientId,
        client_secret: options.clientSecret,
        redirect_uris: [`${options.origin}/auth/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    scopes: ['openid'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/choose/${uid}` },
    ttl: {
      AccessToken: LIFE_SECONDS,
      Grant: LIFE_SECONDS,
      IdToken: LIFE_SECONDS,
      Interaction: LIFE_SECONDS,
      Session: LIFE_SECONDS,
    },
    findAccount: (_context: unknown, subject: string) => {
      const person = options.people.find((one) => one.subject === subject);
      return person && { accountId: subject, claims: () => ({ sub: subject, name: person.name }) };
    },
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
    renderError(context: Context, { error }: { error: string }) {
      context.type = 'html';
      context.body = faultPage(error);
    },
  });
  provider.on('server_error', (_context, error) => {
    options.log.warn({ err: error }, 'the development identity provider failed');
  });
  return provider;
}

async function choose(
  provider: Provider,
  people: readonly DemoPerson[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { uid } = await provider.interactionDetails(request, response);
  if (request.method !== 'POST') {
    answer(response, 200, personPage(people, `/choose/${uid}`));
    return;
  }
  const subject = new URLSearchParams(await readForm(request)).get('subject');
  const person = people.find((one) => one.subject === subject);
  if (!person) throw new Error('no such demo person');
  await provider.interactionFinished(request, response, {
    login: { accountId: person.subject, remember: false },
  });
}

/** Every sign-in begins without a memory of the last one, so that one browser can play several people. */
function forgetSession({ headers }: IncomingMessage): void {
  const cookies = headers.cookie?.split('; ').filter((cookie) => !cookie.startsWith('_session'));
  if (cookies) headers.cookie = cookies.join('; ');
}

async function readForm(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > FORM_BYTES) throw new Error('the form is too large');
  }
  return text;
}

function setHeaders(response: ServerResponse, origin: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
  // Browsers hold redirects after a form to form-action too, and the last one leads to the service.
  response.setHeader(
    'Content-Security-Policy',
    `default-src 'none'; style-src 'self'; form-action 'self' ${origin}; base-uri 'none'; frame-ancestors 'none'`,
  );
}

function answer(response: ServerResponse, status: number, page: string): void {
  if (response.headersSent) return void response.destroy();
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(page);
}
