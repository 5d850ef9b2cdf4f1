import { canonicalText } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { requireRoute, revisionAfter, routeEffects } from '../directory-effects.js';
import { changedMembers, configDigest } from '../directory-difference.js';
import { routeConfiguredBy } from '../duties.js';
import { applyEffects } from '../apply-effects.js';
import type { RequestDeps } from '../deps.js';
import { requireEnabled } from './configure-principal.js';

/**
 * `request.configure-route`: a route's reviewers, producers and rules. The revision changes with the rules, not with
 * membership; the effects of a change are applied in the same transaction (protocol §7 request.configure-route).
 */
export function configureRoute(deps: RequestDeps): OperationHandler<'request.configure-route'> {
  return async ({ caller, id, input: config }) => {
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      const operator = await requireEnabled(change, caller);
      requireOperator(operator);
      const before = await change.route(id);
      requireRoute(before, config, deps.mode);
      const revision = revisionAfter(before, config);
      await change.saveRoute(id, revision, config, routeConfiguredBy(before, config, operator));
      const effects = await routeEffects(change, id, before, config, deps.trust);
      for (const reviewer of effects.removed) await change.dropReviewer(reviewer, id);
      const touched = await applyEffects(change, deps.notary, caller, effects);
      const result = { id, revision, config };
      const configured = await deps.notary.issue(
        'RouteConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        result,
      );
      await change.saveRecord(configured);
      await change.saveSecurityEvent({
        kind: 'route.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: id,
        detail: {
          created: before === null,
          changed: changedMembers(before?.config ?? null, config),
          before: configDigest(before?.config ?? null),
          after: configDigest(config),
          revision,
          requests_affected: touched,
        },
      });
      return canonicalText(result);
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}
