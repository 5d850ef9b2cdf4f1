import type { IncomingMessage } from 'node:http';

import { INBOX_READ, INBOX_SEARCH_HEADER, Refusal } from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { sendJson } from './call.js';
import { sendKnown } from './etag.js';
import { INBOX_SUBJECT } from './pipeline.js';
import type { Pipeline } from './pipeline.js';
import { readWaitOfList } from './wait-preference.js';

/** The service knows which values there are. */
const value = /^[a-zA-Z0-9_.:@/-]{1,200}$/;
/** Percent-encoded; of four bytes each at most. */
const words = /^[a-zA-Z0-9%_.!~*'()-]{1,2400}$/;

/** The one read of the inbox (decisions/0025): for a person's session, and held until something is new if that is preferred. */
export function createInboxRead(pipeline: Pipeline): Handler {
  return async (call) => {
    const caller = await pipeline.admit(call, 'page');
    if (caller.kind !== 'human' || !caller.session) throw new Refusal('human_required');
    const params = readParameters(call);
    const wait = readWaitOfList(call.request.headers);
    const { body } = await pipeline.whenNew(call, caller, wait, (now, again) =>
      pipeline.forward(call, now, INBOX_SUBJECT, { params, again }),
    );
    if (!sendKnown(call, body)) sendJson(call, body);
  };
}

/** Each parameter at most once; an empty one counts as missing, an unknown one is ignored. */
function readParameters({ query, request }: Call): Record<string, string> {
  const given = new URLSearchParams(query);
  const params: Record<string, string> = {};
  for (const name of INBOX_READ.query) {
    if (name === 'words') continue;
    const [text, ...repeated] = given.getAll(name);
    if (!text && repeated.length === 0) continue;
    if (repeated.length > 0 || text === undefined || !value.test(text))
      throw malformed(`“${name}”`);
    params[name] = text;
  }
  const search = readSearch(request);
  if (search !== null) params['words'] = search;
  return params;
}

/** The search text of a list, percent-encoded; null where there is none. */
export function readSearch({ headers }: IncomingMessage): string | null {
  const search = headers[INBOX_SEARCH_HEADER];
  if (search === undefined || search === '') return null;
  if (typeof search !== 'string' || !words.test(search)) throw malformed('The search text');
  return search;
}

function malformed(what: string): Refusal {
  return new Refusal('invalid_offset', { detail: `${what} is malformed, too long or repeated.` });
}
