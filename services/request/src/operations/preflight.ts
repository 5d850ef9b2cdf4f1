import { OPERATIONS, Refusal } from '@countersign/protocol';
import { requireCaller, requireOwner, requireVisible, storedRequest } from '@countersign/database';
import { answer, isId, keyScope } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { requireCreator } from '../creation.js';
import type { RequestDeps } from '../module.js';

/**
 * What `request.register-bundle`, `request.create` and `request.supersede` can be refused for before their body is read
 * (protocol §6.1 step 5): visibility of the replaced request and quotas. A key that is already known passes: its answer
 * comes first (R28).
 */
export function preflight(deps: RequestDeps): Handler {
  return async (call) => {
    const operation = OPERATIONS.find((row) => String(row.number) === call.params.operation);
    if (operation === undefined) throw new Refusal('not_found');
    const { caller } = call;
    const id = call.params.id;
    if (operation.name === 'request.register-bundle') {
      const refusal = await deps.bundles.refusal(caller, operation.name, call.key);
      await requireCaller(deps.directory, caller, refusal?.directory_revision);
      if (refusal?.quota_refusal) throw new Refusal(refusal.quota_refusal as 'bundle_rate');
      return answer(200, '{}');
    }
    // No other text than an id comes near the database.
    if (id !== undefined && !isId(id)) throw new Refusal('not_found');
    const scope = keyScope(operation.name, id);
    const row = await deps.creations.load(caller, scope, call.key, {
      bundle: null,
      occurrence: null,
      recoveryOf: null,
    });
    const { principal } = await requireCreator(deps, call, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    if (loaded.replay_digest !== null) return answer(200, '{}');
    if (id !== undefined) {
      const old = await deps.requests.status(caller, id);
      const stored = await requireVisible(
        deps.directory,
        principal,
        caller.tenant,
        old === undefined ? null : storedRequest(old),
        old?.directory_revision ?? loaded.directory_revision,
      );
      requireOwner(principal, stored);
    }
    if (loaded.quota_refusal !== null) throw new Refusal(loaded.quota_refusal as 'daily_quota');
    return answer(200, '{}');
  };
}
