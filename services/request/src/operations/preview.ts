import { Refusal, effective, invalidate, jsonText } from '@countersign/protocol';
import type { AdminAffected, AdminPreview, AdminReadRowOf } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import {
  principalEffects,
  requirePrincipal,
  requireRoute,
  revisionAfter,
  routeEffects,
} from '../directory-effects.js';
import type { Effects } from '../directory-effects.js';
import { barredFromOwner, barredFromRoute } from '../duties.js';
import type { RequestDeps } from '../deps.js';
import type { DirectoryView } from '../store/directory.js';
import { requireEnabled } from './configure-principal.js';

const LISTED = 100;

/**
 * The refusal or effects that `request.configure-route` with this body would have now: the same decisions, in a transaction
 * that cannot write (decisions/0016).
 */
export function previewRoute(deps: RequestDeps) {
  return async ({
    caller,
    params,
    input: config,
  }: AdminCall<AdminReadRowOf<'request.preview-route'>>) => {
    const { id = '' } = params;
    return deps.configuration.view(caller.tenant, async (view) => {
      const operator = await requireEnabled(view, caller);
      requireOperator(operator);
      const before = await view.route(id);
      requireRoute(before, config, deps.mode);
      const effects = await routeEffects(view, id, before, config, deps.trust);
      const after = revisionAfter(before, config);
      return preview(view, effects, {
        creates: before === null,
        revision: { before: before?.revision ?? 0, after },
        barred: await barredFromRoute(view, { id, before, config }, operator),
      });
    });
  };
}

/**
 * The same of `request.configure-principal`. Whether a token belongs to another principal is left to it: a preview must not
 * be a way to try tokens.
 */
export function previewPrincipal(deps: RequestDeps) {
  return async ({
    caller,
    params,
    input,
  }: AdminCall<AdminReadRowOf<'request.preview-principal'>>) => {
    return deps.configuration.view(caller.tenant, async (view) => {
      const operator = await requireEnabled(view, caller);
      requireOperator(operator);
      if (params.id !== input.id) throw new Refusal('identity_mismatch');
      const before = await view.principal(input.id);
      await requirePrincipal(view, before, input, deps);
      const effects = await principalEffects(view, before, input, deps.trust);
      return preview(view, effects, {
        creates: before === null,
        revision: null,
        barred: await barredFromOwner(view, before, input, operator),
      });
    });
  };
}

async function preview(
  view: DirectoryView,
  { affected, reasonOf, removed, route }: Effects,
  about: Pick<AdminPreview, 'creates' | 'revision' | 'barred'>,
) {
  const items: AdminAffected[] = [];
  let [count, cancelled, revoked] = [0, 0, 0];
  for (const request of affected) {
    const reason = reasonOf(request);
    if (reason === null) continue;
    const before = effective(request.lifecycle, view.now);
    const after = invalidate(request.lifecycle, reason, view.now).next;
    count += 1;
    if (before.decision !== after.decision) cancelled += 1;
    if (before.grant !== after.grant) revoked += 1;
    if (items.length === LISTED) continue;
    items.push({
      id: request.id,
      summary: request.summary,
      producer: request.owner,
      route: request.route,
      reason,
      decision: { before: before.decision, after: after.decision },
      grant: { before: before.grant, after: after.grant },
      execution: after.execution,
    });
  }
  const dropped = await view.opened(removed, route);
  const body: AdminPreview = { ...about, affected: { count, cancelled, revoked, items }, dropped };
  return answer(200, jsonText(body));
}
