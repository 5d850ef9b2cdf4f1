import { Refusal } from '@countersign/protocol';
import { openRequest } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';
import { statusText } from '../status-view.js';

/** `request.status`: the authoritative state, in one read; never writes, and shows due deadlines as passed. */
export function status(deps: RequestDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (!isId(id)) throw new Refusal('not_found');
    const row = await deps.requests.status(call.caller, id);
    const opened = await openRequest(deps.directory, call.caller, row, '');
    const stored = await opened.visible();
    return answer(200, statusText(stored, row as NonNullable<typeof row>, deps.notary.origin));
  };
}
