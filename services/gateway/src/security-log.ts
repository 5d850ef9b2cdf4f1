import { Refusal } from '@countersign/protocol';
import type { SecurityParameter, SecurityRead } from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { send } from './call.js';
import type { Pipeline } from './pipeline.js';

const identifier = /^[a-zA-Z0-9_.:@/-]{1,160}$/;
/** An actor may be the login of a database too. */
const name = /^[^\p{Cc}]{1,400}$/u;

/** The form of each parameter, and the refusal of a wrong one. */
const FORMS: Readonly<Record<SecurityParameter, RegExp>> = {
  kind: identifier,
  actor: name,
  subject: name,
  request: identifier,
  since: identifier,
  before: identifier,
  after: /^\d{1,15}$/,
  export: /^true$/,
};

/**
 * The reads of a tenant's security log for operators and auditors (protocol R41), by session or bearer token; checked here
 * and again by the service.
 */
export function createSecurityLog(pipeline: Pipeline): (read: SecurityRead) => Handler {
  async function serve(call: Call, read: SecurityRead): Promise<void> {
    const caller = await pipeline.admit(call, 'page');
    if (caller.kind !== 'auditor' && caller.kind !== 'operator' && !caller.operator) {
      throw new Refusal('operator_required');
    }
    const params = readParameters(read, new URLSearchParams(call.query));
    const { status, body, headers } = await pipeline.forward(
      call,
      caller,
      `countersign.${read.name}`,
      { params },
    );
    const { response } = call;
    response.statusCode = status;
    if (read.name === 'ledger.security-log-csv') {
      response.setHeader('Content-Disposition', 'attachment; filename="security-log.csv"');
    }
    send(call, headers?.['content-type'] ?? 'application/json', body);
  }

  return (read) => (call) => serve(call, read);
}

/** Of each parameter at most one; an empty one counts as missing, others than known are ignored. */
function readParameters(read: SecurityRead, given: URLSearchParams): Record<string, string> {
  const params: Record<string, string> = {};
  for (const parameter of read.query) {
    const [text, ...repeated] = given.getAll(parameter);
    if (repeated.length > 0) throw refusalOf(parameter);
    if (!text) continue;
    if (!FORMS[parameter].test(text)) throw refusalOf(parameter);
    params[parameter] = text;
  }
  return params;
}

function refusalOf(parameter: SecurityParameter): Refusal {
  const isPlace = parameter === 'since' || parameter === 'before' || parameter === 'after';
  return new Refusal(isPlace ? 'invalid_offset' : 'invalid_path_parameter');
}
