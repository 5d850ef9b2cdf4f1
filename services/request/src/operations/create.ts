import { storedAnswer } from '@countersign/database';
import { answer, keyScope, newId } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { namesIn, prepare, readInput, requireAcceptable, requireCreator } from '../creation.js';
import type { RequestDeps } from '../module.js';
import { newRequest } from '../new-request.js';

/** #4: one immutable review request; its records, reservation, deadlines and answer commit together. */
export function create(deps: RequestDeps): Handler {
  return async (call) => {
    const { caller } = call;
    const input = readInput(call.text);
    const operation = keyScope('request.create');
    const row = await deps.creations.load(caller, operation, call.key, namesIn(input));
    const owner = await requireCreator(deps, call, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, call.text);
    if (replay !== null) return answer(replay.status, replay.body);
    const route = await requireAcceptable(deps, call, owner, loaded, input);
    const id = newId(loaded.now);
    const prepared = await prepare(deps, call, owner, loaded, input, route, id, null);
    const { body, transit } = await newRequest(deps, call, operation, loaded, prepared);
    await deps.creations.create(transit, prepared.creation);
    deps.chained(caller.tenant);
    return answer(201, body);
  };
}
