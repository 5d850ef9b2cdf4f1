import { storedAnswer } from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import type { CreationInput } from '../creation-input.js';
import { namesIn, prepare, requireAcceptable, requireCreator } from '../creation.js';
import type { RequestDeps } from '../deps.js';
import { saveNewRequest } from '../new-request.js';
import { CREATE } from '../store/creation.js';

/** `request.create`: one immutable review request; its records, reservation, deadlines and answer commit together. */
export function create(deps: RequestDeps) {
  return async (
    call: OperationCall<'request.create', CreationInput>,
  ): Promise<OperationAnswer<'request.create'>> => {
    const { caller, key, scope, input } = call;
    const row = await deps.creations.load(caller, scope, key, namesIn(input));
    const owner = await requireCreator(deps, caller, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, input);
    if (replay !== null) return storedReply(replay);
    const route = await requireAcceptable(deps, caller, owner, loaded, input);
    const id = newId(loaded.now);
    const prepared = await prepare(deps, caller, owner, loaded, input, route, id, null);
    const body = await saveNewRequest(deps, CREATE, call, loaded, prepared);
    return answer(201, body);
  };
}
