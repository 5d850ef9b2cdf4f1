import { Refusal, jsonText } from '@countersign/protocol';
import type { END_SESSIONS } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { requireEnabled } from './configure-principal.js';

/** An operator ends every session of a person: the next call of each is 401. A login begins a new one. */
export function endSessions(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<typeof END_SESSIONS>) => {
    await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      if (!(await change.endSessions(params.id ?? ''))) throw new Refusal('not_found');
    });
    return answer(200, jsonText({}));
  };
}
