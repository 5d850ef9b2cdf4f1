import { requireCaller, requireOwner, requireVisible, storedRequest } from '@countersign/database';
import type { OperationHead } from '@countersign/platform';
import { requireCreator } from '../creation.js';
import type { RequestDeps } from '../deps.js';
import { requireQuota } from '../quotas.js';

// The refusals of an operation before its body is read (protocol §6.1 step 5). A key that is already known passes: its
// answer comes first (R28).

/** Of `request.register-bundle`: the quotas. */
export function bundlePreflight(deps: RequestDeps) {
  return async ({ caller, key, scope }: OperationHead<'request.register-bundle'>) => {
    const row = await deps.bundles.refusal(caller, scope, key);
    await requireCaller(deps.directory, caller, row?.directory_revision);
    requireQuota(row?.quota_refusal ?? null);
  };
}

/** Of `request.create` and `request.supersede`: visibility of the replaced request, and the quotas. */
export function creationPreflight(deps: RequestDeps) {
  return async ({
    caller,
    id,
    key,
    scope,
  }: OperationHead<'request.create' | 'request.supersede'>) => {
    const row = await deps.creations.load(caller, scope, key, {
      bundle: null,
      occurrence: null,
      recoveryOf: null,
    });
    const { principal } = await requireCreator(deps, caller, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    if (loaded.replay_digest !== null) return;
    if (id !== null) {
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
    requireQuota(loaded.quota_refusal);
  };
}
