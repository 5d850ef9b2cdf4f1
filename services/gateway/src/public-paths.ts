import type { Bus } from '@countersign/platform';
import type { TrustManifest } from '@countersign/protocol';
import {
  ERRORS,
  OPERATIONS,
  Refusal,
  extensionSchemas,
  isErrorCode,
  openApiDocument,
  openApiExtensions,
  statusesOf,
  trustManifestToJwks,
} from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { redirect, send, sendJson, sendPage, wantsHtml } from './call.js';
import type { Notifications, Offered } from './operations/discovery.js';
import { capabilities, discovery, hitlDiscovery } from './operations/discovery.js';
import { docsPage } from './pages/docs-page.js';
import { errorReferencePage } from './pages/error-page.js';
import { incidentPages } from './pages/incident-pages.js';
import type { Pipeline } from './pipeline.js';
import { securityText } from './security-txt.js';
import type { SecurityContact } from './security-txt.js';
import type { Store } from './store/index.js';

export interface PublicParts {
  readonly mode: 'development' | 'production';
  readonly origin: string;
  readonly notifications: Notifications;
  readonly offered: Offered;
  /** The rate of one principal. */
  readonly requestsPerMinute: number;
  /** As it was configured; it is served as it is. */
  readonly trust: TrustManifest;
  readonly store: Store;
  readonly bus: Bus;
  readonly take: Pipeline['takeOfAddress'];
  /** `/verify`, and the page around evidence. */
  readonly verifier: Handler;
  readonly evidencePage: Handler;
  readonly securityContact: SecurityContact | null;
}

/** Public reads, by path (protocol §6.1 step 2, R30). */
export function publicPaths(parts: PublicParts): Map<string, Handler> {
  const { mode, origin, notifications, offered, trust, store, bus, take } = parts;
  const json = (value: object): Handler => {
    const text = JSON.stringify(value);
    return (call) => sendJson(call, text);
  };
  const docs = docsPage(OPERATIONS);
  const probe = atMostEachSecond(() => store.probe());

  return new Map<string, Handler>([
    ['/', (call) => redirect(call, '/inbox')],
    ['/.well-known/proto', json(discovery(mode, notifications, offered))],
    ['/.well-known/proto-trust', json(trust)],
    ['/.well-known/jwks.json', json(trustManifestToJwks(trust))],
    ['/.well-known/hitl.json', json(hitlDiscovery(origin, parts.requestsPerMinute))],
    ...securityPath(parts),
    ['/openapi.json', json(openApiDocument(origin))],
    ['/openapi-extensions.json', json(openApiExtensions(origin, offered))],
    ...ofCapabilities(origin, offered, json),
    ['/docs', (call) => sendPage(call, docs)],
    ['/verify', parts.verifier],
    ['/verify/evidence', parts.evidencePage],
    ...[...incidentPages()].map(([path, text]): [string, Handler] => [
      path,
      (call) => sendPage(call, text),
    ]),
    ['/livez', json({ status: 'ok' })],
    [
      '/readyz',
      async (call) => {
        if (!bus.ready()) throw new Refusal('service_unavailable', { cause: new Error('no bus') });
        await probe();
        sendJson(call, '{"status":"ok"}');
      },
    ],
    [
      '/health',
      async (call) => {
        await take(call, 'health');
        await probe();
        sendJson(call, JSON.stringify({ status: 'ok', release: 'draft', notifications }));
      },
    ],
  ]);
}

/** Empty where no capability is offered: each of its paths is 404 as an unknown one. */
function ofCapabilities(
  origin: string,
  offered: Offered,
  json: (value: object) => Handler,
): [string, Handler][] {
  if (Object.keys(offered).length === 0) return [];
  const schemas = [...extensionSchemas(offered)];
  return [
    ['/.well-known/proto-capabilities', json(capabilities(origin, offered))],
    ...schemas.map(([path, schema]): [string, Handler] => [path, json(schema)]),
  ];
}

function securityPath({ securityContact, origin }: PublicParts): [string, Handler][] {
  if (securityContact === null) return [];
  return [
    [
      '/.well-known/security.txt',
      (call) =>
        send(call, 'text/plain; charset=utf-8', securityText(securityContact, origin, Date.now())),
    ],
  ];
}

const PROBE_MS = 1_000;

/** One question a second, however many ask: anybody may ask as often as they like. */
function atMostEachSecond(ask: () => Promise<void>): () => Promise<void> {
  let asked: Promise<void> | null = null;
  return () => {
    if (asked !== null) return asked;
    const begun = performance.now();
    const answered = ask();
    const forget = () => {
      setTimeout(() => (asked = null), begun + PROBE_MS - performance.now()).unref();
    };
    answered.then(forget, forget);
    return (asked = answered);
  };
}

const errorPrefix = '/errors/';

/** `/errors/<code>`: the page that a problem's `type` resolves to (R3). */
export function errorReference(origin: string): Handler {
  return (call: Call) => {
    const code = call.path.slice(errorPrefix.length);
    if (!isErrorCode(code)) throw new Refusal('not_found');
    if (wantsHtml(call) || !/json/.test(call.request.headers.accept ?? '')) {
      sendPage(call, errorReferencePage(code));
      return;
    }
    const { title, advice } = ERRORS[code];
    const type = `${origin}${errorPrefix}${code}`;
    const [status] = statusesOf(code);
    const problem = {
      type,
      title,
      status,
      detail: advice,
      error: code,
      instance: call.trace.traceId,
    };
    send(call, 'application/problem+json', JSON.stringify(problem));
  };
}
