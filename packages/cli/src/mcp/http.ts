import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  hostHeaderValidationResponse,
  originValidationResponse,
  requireBearerAuth,
} from '@modelcontextprotocol/server';
import type { AuthInfo, OAuthTokenVerifier } from '@modelcontextprotocol/server';
import type { Client } from '@countersign/client/node';

import type { Subjects } from './subjects.js';
import { SCOPES, newServer } from './tools.js';
import type { ServerOptions } from './tools.js';

interface Options {
  /** The address that tokens are for. */
  readonly resource: URL;
  readonly issuer: string;
  readonly verifier: OAuthTokenVerifier;
  readonly subjects: Subjects;
  readonly server: ServerOptions;
}

/** The server over streamable HTTP, as an OAuth resource server (RFC 9728). The callers' tokens go nowhere else. */
export function newHttpServer(options: Options): Server {
  const { resource, issuer, verifier, subjects } = options;
  const metadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
  const scopes = Object.values(SCOPES);
  const metadata = JSON.stringify({
    ...{ resource: resource.href, authorization_servers: [issuer], scopes_supported: scopes },
    ...{ bearer_methods_supported: ['header'], resource_name: 'Countersign' },
  });
  const gate = requireBearerAuth({
    ...{ verifier, resourceMetadataUrl: metadataUrl, expectedResource: resource },
  });
  const mcp = createMcpHandler(({ authInfo }) =>
    newServer(clientOf(subjects, authInfo) as Client, options.server),
  );
  const places = new Set([new URL(metadataUrl).pathname, '/.well-known/oauth-protected-resource']);
  const hosts = [resource.hostname];

  async function serve(request: Request): Promise<Response> {
    // A page of another origin, or of a name that was bound to this address, gets nothing at all.
    const stranger =
      hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
    if (stranger !== undefined) return stranger;
    const { pathname } = new URL(request.url);
    if (places.has(pathname))
      return new Response(metadata, { headers: { 'content-type': 'application/json' } });
    if (pathname !== resource.pathname) return new Response(null, { status: 404 });
    const auth = await gate(request);
    if (auth instanceof Response) return withScopes(auth, scopes);
    if (clientOf(subjects, auth) === null)
      return Response.json(
        { error: 'access_denied', error_description: 'This subject has no producer here.' },
        { status: 403 },
      );
    return mcp.fetch(request, { authInfo: auth });
  }
  return createServer(
    toNodeHandler({ fetch: serve }) as (request: unknown, response: unknown) => void,
  );
}

function clientOf(subjects: Subjects, auth: AuthInfo | undefined): Client | null {
  const { issuer, subject } = (auth?.extra ?? {}) as { issuer?: string; subject?: string };
  return issuer === undefined || subject === undefined ? null : subjects.clientOf(issuer, subject);
}

/** Clients ask their issuer for the scopes that the challenge names. */
function withScopes(response: Response, scopes: readonly string[]): Response {
  const challenge = response.headers.get('www-authenticate');
  if (response.status !== 401 || challenge === null || challenge.includes('scope='))
    return response;
  const headers = new Headers(response.headers);
  headers.set('www-authenticate', `${challenge}, scope="${scopes.join(' ')}"`);
  return new Response(response.body, { status: response.status, headers });
}
