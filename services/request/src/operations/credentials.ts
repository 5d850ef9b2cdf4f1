import { canonicalText } from '@countersign/protocol';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { keysOf, statusOf } from '../keys.js';
import { personOfHuman } from '../persons.js';
import { requireEnabled } from './configure-principal.js';

/** `request.credentials`: the keys of the caller's person, the newest first (protocol §19.6). */
export function credentials(deps: RequestDeps): OperationHandler<'request.credentials'> {
  return async ({ caller }) => {
    const keys = await deps.configuration.view(caller.tenant, async (view) => {
      const principal = await requireEnabled(view, caller);
      return keysOf(view, await personOfHuman(view, principal, deps.trust));
    });
    return answer(200, canonicalText(keys.map(statusOf)));
  };
}
