import { jsonText } from '@countersign/protocol';
import { openRequest, requireOwnerOrOperator } from '@countersign/database';
import { answer, storedReply } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { NotifierDeps } from '../deps.js';
import { decideReminder, saveReminder } from '../reminder.js';

/** `notifier.remind`. `queued` where mail is configured, else only callers that poll learn of it. */
export function remind(deps: NotifierDeps): OperationHandler<'notifier.remind'> {
  return async (call) => {
    const { caller, id, key, scope, body } = call;
    const row = await deps.store.load(caller, id, scope, key);
    const opened = await openRequest(deps.directory, caller, row, body);
    if (opened.replay !== null) return storedReply(opened.replay);
    const stored = await opened.visible();
    requireOwnerOrOperator(opened.principal, stored);
    const answered = jsonText({ request_id: id, notification: deps.notification });
    const transition = decideReminder(deps, caller.tenant, stored);
    await saveReminder(deps, stored, transition, { call, status: 200, result: answered });
    return answer(200, answered);
  };
}
