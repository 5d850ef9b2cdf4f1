import { Refusal } from '@countersign/protocol';
import type { AdminOperation, AdminParameter } from '@countersign/protocol';

import { readSmallBody } from './body.js';
import type { Call, Handler } from './call.js';
import { sendJson } from './call.js';
import { readSearch } from './inbox-read.js';
import { readInput } from './input.js';
import type { Pipeline } from './pipeline.js';

const identifier = /^[a-zA-Z0-9_.:@/-]{1,160}$/;
/** An id, or a time and an id, depending on the list. */
const cursor = /^[a-zA-Z0-9_.:@/-]{1,200}$/;

/**
 * The reads of the operator pages (protocol/admin-reads.ts, decisions/0016): for a person's session with the power `operator`,
 * checked here and again by the service.
 */
export function createAdminReads(pipeline: Pipeline): (read: AdminOperation) => Handler {
  async function serve(call: Call, read: AdminOperation): Promise<void> {
    const caller = await pipeline.admit(call, 'page');
    if (caller.kind !== 'human' || !caller.session) throw new Refusal('human_required');
    if (!caller.operator) throw new Refusal('operator_required');
    const params = readParameters(read, new URLSearchParams(call.query));
    const search = read.query.some((name) => name === 'words') ? readSearch(call.request) : null;
    if (search !== null) params['words'] = search;
    const body =
      read.input === null ? '' : readInput(read.input, await readSmallBody(call.request));
    const subject = `countersign.${read.name}` as const;
    sendJson(call, (await pipeline.forward(call, caller, subject, { params, body })).body);
  }

  return (read) => (call) => serve(call, read);
}

/** Each parameter at most once; an empty one counts as missing, an unknown one is ignored. */
function readParameters(read: AdminOperation, given: URLSearchParams): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of read.query) {
    // Summaries belong in no address.
    if (name === 'words') continue;
    const [text, ...repeated] = given.getAll(name);
    if (repeated.length > 0) throw refusalOf(name);
    if (!text) continue;
    const form = name === 'after' || name === 'since' || name === 'before' ? cursor : identifier;
    if (!form.test(text)) throw refusalOf(name);
    params[name] = text;
  }
  return params;
}

const STATES: readonly AdminParameter[] = ['state', 'audit', 'grant', 'execution', 'range'];

function refusalOf(name: AdminParameter): Refusal {
  if (STATES.includes(name)) return new Refusal('invalid_state');
  const names = name === 'id' || name === 'route' || name === 'producer';
  return new Refusal(names ? 'invalid_path_parameter' : 'invalid_offset');
}
