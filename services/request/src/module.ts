import { onFreshState } from '@countersign/database';
import { BodyWorkers, serveAdmin, serveOperations, servePreflights } from '@countersign/platform';
import type {
  AdminHandlers,
  Module,
  OperationHandlers,
  ServiceRuntime,
} from '@countersign/platform';
import { ADMIN_OPERATIONS, HISTORY_READ, INBOX_READ } from '@countersign/protocol';
import type { AdminOperation } from '@countersign/protocol';
import { requestDeps } from './deps.js';
import type { RequestOptions } from './deps.js';
import { app } from './operations/app.js';
import { configureMembership } from './operations/configure-membership.js';
import { configurePolicy } from './operations/configure-policy.js';
import { configurePrincipal } from './operations/configure-principal.js';
import { configureRoute } from './operations/configure-route.js';
import { countersign } from './operations/countersign.js';
import { create } from './operations/create.js';
import {
  adminDeliveries,
  adminIncidents,
  adminKeys,
  adminPrincipals,
  adminRequests,
  adminRoutes,
} from './operations/admin-reads.js';
import { credentials } from './operations/credentials.js';
import { endCredential } from './operations/end-credential.js';
import { enrol } from './operations/enrol.js';
import { figures } from './operations/figures.js';
import { endSessions } from './operations/end-sessions.js';
import { history } from './operations/history.js';
import { hitl, hitlPoll } from './operations/hitl.js';
import { inbox } from './operations/inbox.js';
import { liftHold } from './operations/lift-hold.js';
import { list } from './operations/list.js';
import { material } from './operations/material.js';
import { memberships } from './operations/memberships.js';
import { offerEnrolment } from './operations/offer-enrolment.js';
import { policy } from './operations/policy.js';
import { bundlePreflight, creationPreflight } from './operations/preflight.js';
import { previewPrincipal, previewRoute } from './operations/preview.js';
import { registerBundle } from './operations/register-bundle.js';
import { setHold } from './operations/set-hold.js';
import { status } from './operations/status.js';
import { supersede } from './operations/supersede.js';
import { cancel, discard, revoke } from './operations/withdraw.js';
import { readingBundle, readingCreation } from './reading.js';
import { unlessAnswered } from './unless-answered.js';

/**
 * Requests, their material, bundles, principals and routes: `request.register-bundle`, `request.create`, `request.list`,
 * `request.status`, `request.material`, `request.app`, `request.cancel`, `request.revoke`, `request.discard`,
 * `request.supersede`, `request.hitl`, `request.hitl-poll`, `request.configure-principal`, `request.configure-route`,
 * `request.configure-policy`, `request.policy`, `request.configure-membership`, those of keys of people (`request.enrol` and its like) and of legal holds (`request.set-hold`, `request.lift-hold`); the admin reads; the reads of the inbox and of a request's history.
 */
export function requestModule(runtime: ServiceRuntime, options: RequestOptions): Module {
  const deps = requestDeps(options);
  const bodies = new BodyWorkers(new URL('./body-worker.js', import.meta.url));
  const operations: OperationHandlers<'request'> = {
    'request.register-bundle': readingBundle(bodies, unlessAnswered(deps, registerBundle(deps))),
    'request.create': readingCreation(bodies, unlessAnswered(deps, create(deps))),
    'request.supersede': readingCreation(bodies, unlessAnswered(deps, supersede(deps))),
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
      'request.configure-policy': configurePolicy(deps),
      'request.policy': policy(deps),
      'request.configure-membership': configureMembership(deps),
      'request.offer-enrolment': offerEnrolment(deps),
      'request.enrol': enrol(deps),
      'request.credentials': credentials(deps),
      'request.countersign': countersign(deps),
      'request.end-credential': endCredential(deps),
      'request.set-hold': setHold(deps),
      'request.lift-hold': liftHold(deps),
    }),
  };
  const preflights = {
    'request.register-bundle': unlessAnswered(deps, bundlePreflight(deps)),
    'request.create': unlessAnswered(deps, creationPreflight(deps)),
    'request.supersede': unlessAnswered(deps, creationPreflight(deps)),
  };
  const admin: AdminHandlers<AdminOperation> = {
    'request.desk-routes': adminRoutes(deps),
    'request.desk-principals': adminPrincipals(deps),
    'request.desk-requests': adminRequests(deps),
    'request.desk-figures': figures(deps),
    'request.desk-deliveries': adminDeliveries(deps),
    'request.desk-incidents': adminIncidents(deps),
    'request.desk-memberships': memberships(deps),
    'request.desk-keys': adminKeys(deps),
    'request.preview-route': previewRoute(deps),
    'request.preview-principal': previewPrincipal(deps),
    'request.end-sessions': endSessions(deps),
  };
  return {
    name: 'request',
    start: async () => {
      await serveOperations(runtime, 'request', operations);
      await servePreflights(runtime, onFreshState(preflights));
      await serveAdmin(runtime, 'request', ADMIN_OPERATIONS, onFreshState(admin));
      await serveAdmin(
        runtime,
        'request',
        [INBOX_READ, HISTORY_READ],
        onFreshState({ 'request.inbox': inbox(deps), 'request.history': history(deps) }),
      );
    },
    stop: () => bodies.stop(),
  };
}
