import { CUSTODY_READ, Refusal } from '@countersign/protocol';

import type { Handler } from './call.js';
import { sendJson } from './call.js';
import type { Pipeline } from './pipeline.js';

/** The holds for the page of custodians (decisions/0042): for a person's session; the service knows the custodians. */
export function createCustodyRead(pipeline: Pipeline): Handler {
  return async (call) => {
    const caller = await pipeline.admit(call, 'page');
    if (caller.kind !== 'human' || !caller.session) throw new Refusal('human_required');
    const [after, ...more] = new URLSearchParams(call.query).getAll('after');
    if (more.length > 0) throw new Refusal('invalid_offset');
    const params: Record<string, string> = after ? { after } : {};
    const subject = `countersign.${CUSTODY_READ.name}` as const;
    sendJson(call, (await pipeline.forward(call, caller, subject, { params })).body);
  };
}
