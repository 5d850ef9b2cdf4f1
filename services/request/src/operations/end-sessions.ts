import { Refusal, jsonText } from '@countersign/protocol';
import type { END_SESSIONS } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { configDigest } from '../directory-difference.js';
import { requireEnabled } from './configure-principal.js';

/** An operator ends every session of a person: the next call of each is 401. A login begins a new one. */
export function endSessions(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<typeof END_SESSIONS>) => {
    await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      const id = params.id ?? '';
      if (!(await change.endSessions(id))) throw new Refusal('not_found');
      const digest = configDigest((await change.principal(id))?.config ?? null);
      await change.saveSecurityEvent({
        kind: 'principal.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: id,
        detail: {
          kind: 'human',
          created: false,
          changed: ['sessions'],
          before: digest,
          after: digest,
          token_changed: false,
          requests_affected: 0,
        },
      });
    });
    deps.chained(caller.tenant);
    return answer(200, jsonText({}));
  };
}
