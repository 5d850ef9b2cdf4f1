import { supersede as replace } from '@countersign/protocol';
import {
  StaleRead,
  openRequest,
  requireIntegrity,
  requireOwner,
  storedAnswer,
} from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import type { CreationInput } from '../creation-input.js';
import { namesIn, prepare, requireAcceptable, requireCreator } from '../creation.js';
import type { RequestDeps } from '../deps.js';
import { saveNewRequest } from '../new-request.js';
import { SUPERSEDE, replacedValues } from '../store/creation.js';

/**
 * `request.supersede`: replaces unconsumed work by a new request, both in one statement (protocol §7 request.supersede).
 */
export function supersede(deps: RequestDeps) {
  return async (
    call: OperationCall<'request.supersede', CreationInput>,
  ): Promise<OperationAnswer<'request.supersede'>> => {
    const { caller, id: oldId, key, scope, input } = call;
    const oldRow = await deps.requests.integral(caller, oldId, scope, key);
    const opened = await openRequest(deps.directory, caller, oldRow, input);
    if (opened.replay !== null) return storedReply(opened.replay);
    const owner = await requireCreator(deps, caller, oldRow?.directory_revision);
    const old = await opened.visible();
    requireOwner(opened.principal, old);
    const row = await deps.creations.load(caller, scope, key, namesIn(input));
    const loaded = row as NonNullable<typeof row>;
    // The same key at once: its other call may have moved the occurrence since the first read (R5).
    const twin = storedAnswer(loaded, input);
    if (twin !== null) return storedReply(twin);
    // Caller and visibility were checked by the first read's directory: it must be the one that the save holds.
    if (loaded.directory_revision !== old.row.directory_revision) throw new StaleRead(scope);
    const route = await requireAcceptable(deps, caller, owner, loaded, input);
    requireIntegrity(old, caller.tenant, deps.profiles);
    const gone = replace(
      old.lifecycle,
      old,
      { input: input.head, occurrenceRequest: loaded.occurrence_request },
      old.row.now,
    );
    const id = newId(loaded.now);
    const replaced = { id: oldId, remindedAt: old.lifecycle.remindedAt };
    const prepared = await prepare(deps, caller, owner, loaded, input, route, id, replaced);
    const records = await deps.notary.sign(caller.tenant, old, gone.records, loaded.now);
    const ids = records.map((record) => record.id);
    const values = replacedValues(old, gone.next, ids);
    const body = await saveNewRequest(deps, SUPERSEDE, call, loaded, prepared, { records, values });
    return answer(201, body);
  };
}
