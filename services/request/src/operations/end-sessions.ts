import { Refusal } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';
import { requireEnabled } from './configure-principal.js';

/** An operator ends every session of a person: the next call of each is 401. A login begins a new one. */
export function endSessions(deps: RequestDeps): Handler {
  return async ({ caller, params }) => {
    await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      if (!(await change.endSessions(params.id ?? ''))) throw new Refusal('not_found');
    });
    return answer(200, '{}');
  };
}
