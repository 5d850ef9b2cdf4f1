import { Refusal, assertRecord, canonicalText, valueDigest } from '@countersign/protocol';
import type { DirectoryInvalidation, RouteConfig, RouteInput } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { invalidateAffected } from '../invalidation.js';
import type { RequestDeps } from '../module.js';
import type { Affected } from '../store/directory.js';
import { requireEnabled } from './configure-principal.js';

/**
 * #26: a route's reviewers, producers and rules. The revision moves with the rules, not with membership; what a change
 * takes away is taken in the same transaction (contract §7 #26).
 */
export function configureRoute(deps: RequestDeps): Handler {
  return async (call) => {
    const { caller } = call;
    const id = call.params.id ?? '';
    const config = JSON.parse(call.text) as RouteInput;
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      if (deps.mode === 'production' && !config.separation_of_duties) {
        throw new Refusal('separation_of_duties_required');
      }
      assertRecord('RouteLimits', config.limits);
      const before = await change.route(id);
      const changed = before !== null && rulesDigest(before.config) !== rulesDigest(config);
      const revision = before === null ? 1 : before.revision + (changed ? 1 : 0);
      await change.saveRoute(id, revision, config);
      const removed = (before?.config.reviewers ?? []).filter(
        (reviewer) => !config.reviewers.includes(reviewer),
      );
      for (const reviewer of removed) await change.dropReviewer(reviewer, id);
      const { records, requests } = await invalidateAffected(
        change,
        deps.notary,
        before === null ? [] : await change.affectedByRoute(id),
        reasonsOf(config, changed, removed),
      );
      const result = { id, revision, config };
      const configured = deps.notary.issue(
        'RouteConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        result,
      );
      await change.saveRecords([...records, configured], [...requests, null]);
      return canonicalText(result);
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

function reasonsOf(config: RouteConfig, rulesChanged: boolean, removed: readonly string[]) {
  return (request: Affected): DirectoryInvalidation | null => {
    if (rulesChanged) return 'authorisation_changed';
    if (!config.allowed_producers.includes(request.owner)) return 'producer_removed';
    const { receiptReviewer } = request;
    return receiptReviewer !== null && removed.includes(receiptReviewer)
      ? 'reviewer_removed'
      : null;
  };
}

/** What moves a route's revision: everything but who belongs to it. */
function rulesDigest(config: RouteConfig): string {
  const { separation_of_duties, required_profiles, modes, limits } = config;
  return valueDigest({ separation_of_duties, required_profiles, modes, limits });
}
