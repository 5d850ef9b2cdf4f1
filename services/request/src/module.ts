import { onFreshState, withFreshState } from '@countersign/database';
import type { Directory, SecurityJournal } from '@countersign/database';
import { BodyWorkers, PREFLIGHT, serveOperations, withInput } from '@countersign/platform';
import type {
  BusReply,
  Call,
  Handler,
  Module,
  Notary,
  ServiceRuntime,
} from '@countersign/platform';
import type { DeskCall, OperationName, WebhookRules } from '@countersign/protocol';
import { readBundle } from './bundle-input.js';
import type { BodyQuestion } from './body-worker.js';
import { AS_TEXT, readCreation } from './creation-input.js';
import type { Keep } from './creation-input.js';
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
import { endSessions } from './operations/end-sessions.js';
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
  /** For the security log: reads of private material, noted before they are answered. */
  readonly journal: SecurityJournal;
  readonly notary: Notary;
  /** Throws the §10 refusal of a response schema, given as canonical text; remembers good ones. */
  readonly checkSchema: (tenant: string, schemaText: string) => Promise<void>;
  readonly webhooks: WebhookRules;
  /** Where people log in: every human is one of this issuer (protocol R37). */
  readonly issuer: string;
  readonly mode: 'development' | 'production';
  /** The origin of apps, with `{scope}` as one DNS label where it has one (protocol §8.6). */
  readonly sandboxOrigin: string;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

/** What is served beside the operations: each by its name in protocol/desk.ts. */
function deskCalls(deps: RequestDeps): Readonly<Record<DeskCall['name'], Handler>> {
  return {
    'request.desk-routes': deskRoutes(deps),
    'request.desk-principals': deskPrincipals(deps),
    'request.desk-requests': deskRequests(deps),
    'request.desk-deliveries': deskDeliveries(deps),
    'request.desk-incidents': deskIncidents(deps),
    'request.preview-route': previewRoute(deps),
    'request.preview-principal': previewPrincipal(deps),
    'request.end-sessions': endSessions(deps),
  };
}

/** Operations whose input may be large: it is read once, however often the step is tried. */
function reading<Name extends OperationName, Input>(
  bodies: BodyWorkers,
  question: BodyQuestion,
  read: (body: string, keep: Keep) => Input,
  steps: Record<Name, (call: Call, input: Input) => Promise<BusReply>>,
): Record<Name, Handler> {
  const reader = { bodies, question, read: (body: string) => read(body, AS_TEXT) };
  const named = Object.entries<(call: Call, input: Input) => Promise<BusReply>>(steps);
  const handlers = named.map(([name, step]): [string, Handler] => [
    name,
    withInput(reader, (call, input) => withFreshState(() => step(call, input))),
  ]);
  return Object.fromEntries(handlers) as Record<Name, Handler>;
}

/**
 * Requests, their material, bundles, principals and routes: `request.register-bundle`, `request.create`, `request.list`,
 * `request.status`, `request.material`, `request.app`, `request.cancel`, `request.revoke`, `request.discard`,
 * `request.supersede`, `request.hitl`, `request.hitl-poll`, `request.configure-principal`, `request.configure-route`; what
 * operators see.
 */
export function requestModule(runtime: ServiceRuntime, deps: RequestDeps): Module {
  const bodies = new BodyWorkers(new URL('./body-worker.js', import.meta.url));
  return {
    name: 'request',
    start: async () => {
      await serveOperations(
        runtime.bus,
        runtime.verifier,
        'request',
        {
          ...reading(bodies, 'bundle', readBundle, {
            'request.register-bundle': registerBundle(deps),
          }),
          ...reading(bodies, 'creation', readCreation, {
            'request.create': create(deps),
            'request.supersede': supersede(deps),
          }),
          ...onFreshState({
            'request.list': list(deps),
            'request.status': status(deps),
            'request.material': material(deps),
            'request.app': app(deps),
            'request.hitl': hitl(deps),
            'request.hitl-poll': hitlPoll(deps),
            'request.cancel': cancel(deps),
            'request.revoke': revoke(deps),
            'request.discard': discard(deps),
            'request.configure-principal': configurePrincipal(deps),
            'request.configure-route': configureRoute(deps),
          }),
        },
        onFreshState({ [PREFLIGHT]: preflight(deps), ...deskCalls(deps) }),
      );
    },
    stop: () => bodies.stop(),
  };
}
