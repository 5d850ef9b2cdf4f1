import { isId } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import type { Handler } from './call.js';
import { sendJson } from './call.js';
import { HISTORY_SUBJECT } from './pipeline.js';
import type { Pipeline } from './pipeline.js';

/** The history of one request (decisions/0028): for a person's session. */
export function createHistoryRead(pipeline: Pipeline): Handler {
  return async (call) => {
    const caller = await pipeline.admit(call, 'page');
    if (caller.kind !== 'human' || !caller.session) throw new Refusal('human_required');
    const [id = '', ...more] = new URLSearchParams(call.query).getAll('id');
    if (!isId(id) || more.length > 0) throw new Refusal('not_found');
    const { body } = await pipeline.forward(call, caller, HISTORY_SUBJECT, { params: { id } });
    sendJson(call, body);
  };
}
