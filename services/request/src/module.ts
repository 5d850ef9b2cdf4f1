import { onFreshState } from '@countersign/database';
import type { Directory } from '@countersign/database';
import { PREFLIGHT, serveOperations } from '@countersign/platform';
import type { Handler, Module, Notary, ServiceRuntime } from '@countersign/platform';
import type { DeskReadName, WebhookRules } from '@countersign/protocol';
import { app } from './operations/app.js';
import { configurePrincipal } from './operations/configure-principal.js';
import { configureRoute } from './operations/configure-route.js';
import { create } from './operations/create.js';
import {
  deskDeliveries,
  deskIncidents,
  deskPrincipals,
  deskRequests,
  deskRoutes,
} from './operations/desk.js';
import { hitl, hitlPoll } from './operations/hitl.js';
import { list } from './operations/list.js';
import { material } from './operations/material.js';
import { preflight } from './operations/preflight.js';
import { previewPrincipal, previewRoute } from './operations/preview.js';
import { registerBundle } from './operations/register-bundle.js';
import { status } from './operations/status.js';
import { supersede } from './operations/supersede.js';
import { cancel, discard, revoke } from './operations/withdraw.js';
import type { BundleStore } from './store/bundles.js';
import type { CreationStore } from './store/creation.js';
import type { DeskStore } from './store/desk.js';
import type { DirectoryStore } from './store/directory.js';
import type { ListStore } from './store/lists.js';
import type { RequestStore } from './store/requests.js';

export interface RequestDeps {
  readonly requests: RequestStore;
  readonly lists: ListStore;
  readonly desk: DeskStore;
  readonly creations: CreationStore;
  readonly bundles: BundleStore;
  readonly configuration: DirectoryStore;
  readonly directory: Directory;
  readonly notary: Notary;
  /** Throws the §10 refusal of a response schema, given as canonical text; remembers good ones. */
  readonly checkSchema: (tenant: string, schemaText: string) => Promise<void>;
  readonly webhooks: WebhookRules;
  readonly mode: 'development' | 'production';
  /** The origin of apps, with `{scope}` as one DNS label where it has one (contract §8.6). */
  readonly sandboxOrigin: string;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/** What is served beside the operations: each by its name in protocol/desk.ts. */
function deskReads(deps: RequestDeps): Readonly<Record<DeskReadName, Handler>> {
  return {
    'request.desk-routes': deskRoutes(deps),
    'request.desk-principals': deskPrincipals(deps),
    'request.desk-requests': deskRequests(deps),
    'request.desk-deliveries': deskDeliveries(deps),
    'request.desk-incidents': deskIncidents(deps),
    'request.preview-route': previewRoute(deps),
    'request.preview-principal': previewPrincipal(deps),
  };
}

/** Requests, their material, bundles, principals and routes: #3–#8, #12, #13, #15, #16, #23–#26; what operators see. */
export function requestModule(runtime: ServiceRuntime, deps: RequestDeps): Module {
  return {
    name: 'request',
    start: async () => {
      await serveOperations(
        runtime.bus,
        runtime.verifier,
        'request',
        onFreshState({
          'request.register-bundle': registerBundle(deps),
          'request.create': create(deps),
          'request.list': list(deps),
          'request.status': status(deps),
          'request.material': material(deps),
          'request.app': app(deps),
          'request.hitl': hitl(deps),
          'request.hitl-poll': hitlPoll(deps),
          'request.cancel': cancel(deps),
          'request.revoke': revoke(deps),
          'request.discard': discard(deps),
          'request.supersede': supersede(deps),
          'request.configure-principal': configurePrincipal(deps),
          'request.configure-route': configureRoute(deps),
        }),
        onFreshState({ [PREFLIGHT]: preflight(deps), ...deskReads(deps) }),
      );
    },
    stop: async () => {},
  };
}
