import { Refusal, remind as decide } from '@countersign/protocol';
import {
  openRequest,
  requireOwnerOrOperator,
  requireRequestIntegrity,
  withFreshState,
} from '@countersign/database';
import { answer, isId, keyScope } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { NotifierDeps } from '../module.js';

/** #14: at most one reminder a day, counted over supersession. `polling-only` while no mail is configured. */
export function remind(deps: NotifierDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (!isId(id)) throw new Refusal('not_found');
    const { caller } = call;
    const operation = keyScope('notifier.remind', id);
    return withFreshState(async () => {
      const row = await deps.store.load(caller, id, operation, call.key);
      const opened = await openRequest(deps.directory, caller, row, call.text);
      if (opened.replay !== null) return answer(opened.replay.status, opened.replay.body);
      const stored = await opened.visible();
      requireOwnerOrOperator(opened.principal, stored);
      requireRequestIntegrity(stored, caller.tenant);
      const { now } = stored.row;
      const { next, events } = decide(stored.lifecycle, now);
      const subject = {
        tenant: caller.tenant,
        audience: stored.owner,
        purpose: stored.request.purpose,
        profiles: stored.request.profiles,
      };
      const body = JSON.stringify({ request_id: id, notification: deps.notification });
      await deps.store.remind(
        {
          tenant: caller.tenant,
          directoryRevision: stored.row.directory_revision,
          requestId: id,
          version: stored.version,
          before: stored.lifecycle.reviewDeadline,
          records: deps.notary.events(id, subject, events, now),
          deadlines: [],
          answer: {
            principal: caller.id,
            operation,
            key: call.key ?? '',
            body: call.text,
            status: 200,
            result: body,
            recordId: null,
          },
        },
        next,
      );
      deps.chained(caller.tenant);
      return answer(200, body);
    });
  };
}
