import { Refusal } from '@countersign/protocol';
import { openRequest, requireOwnerOrOperator } from '@countersign/database';
import { answer, isId, keyScope } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { NotifierDeps } from '../module.js';
import { saveReminder } from '../reminder.js';

/** `notifier.remind`. `queued` where mail is configured, else only who polls is told. */
export function remind(deps: NotifierDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (!isId(id)) throw new Refusal('not_found');
    const { caller } = call;
    const operation = keyScope('notifier.remind', id);
    const row = await deps.store.load(caller, id, operation, call.key);
    const opened = await openRequest(deps.directory, caller, row, call.text);
    if (opened.replay !== null) return answer(opened.replay.status, opened.replay.body);
    const stored = await opened.visible();
    requireOwnerOrOperator(opened.principal, stored);
    const body = JSON.stringify({ request_id: id, notification: deps.notification });
    await saveReminder(deps, caller.tenant, stored, {
      principal: caller.id,
      operation,
      key: call.key ?? '',
      body: call.text,
      status: 200,
      result: body,
      recordId: null,
    });
    return answer(200, body);
  };
}
