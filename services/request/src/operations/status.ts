import { openRequest } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { statusText } from '../status-view.js';

/** `request.status`: the authoritative state, in one read; never writes, and shows due deadlines as passed. */
export function status(deps: RequestDeps): OperationHandler<'request.status'> {
  return async ({ caller, id }) => {
    const found = await deps.requests.status(caller, id);
    const { row, visible } = await openRequest(deps.directory, caller, found, '');
    return answer(200, statusText(await visible(), row, deps.notary.origin));
  };
}
