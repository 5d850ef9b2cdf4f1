import { storedAnswer } from '@countersign/database';
import { answer, keyScope, newId } from '@countersign/platform';
import type { BusReply, Call } from '@countersign/platform';
import type { CreationInput } from '../creation-input.js';
import { namesIn, prepare, requireAcceptable, requireCreator } from '../creation.js';
import type { RequestDeps } from '../module.js';
import { newRequest } from '../new-request.js';

/** `request.create`: one immutable review request; its records, reservation, deadlines and answer commit together. */
export function create(deps: RequestDeps) {
  return async (call: Call, input: CreationInput): Promise<BusReply> => {
    const { caller } = call;
    const operation = keyScope('request.create');
    const row = await deps.creations.load(caller, operation, call.key, namesIn(input));
    const owner = await requireCreator(deps, call, row?.directory_revision);
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, input);
    if (replay !== null) return answer(replay.status, replay.body);
    const route = await requireAcceptable(deps, call, owner, loaded, input);
    const id = newId(loaded.now);
    const prepared = await prepare(deps, call, owner, loaded, input, route, id, null);
    const { body, transit } = await newRequest(deps, call, input, operation, loaded, prepared);
    await deps.creations.create(transit, prepared.creation);
    deps.chained(caller.tenant);
    return answer(201, body);
  };
}
