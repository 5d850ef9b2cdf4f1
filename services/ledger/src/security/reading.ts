import { Refusal, parseTimestamp } from '@countersign/protocol';
import type { SecurityList, SecurityPages } from '@countersign/protocol';
import { isOperator, requireCaller } from '@countersign/database';
import type { Directory, SecurityJournal } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { Call, Handler } from '@countersign/platform';
import type {
  SecurityLogOf,
  SecurityReadingStore,
  SecuritySearch,
} from '../store/security-reading.js';
import { securityCsv } from './csv.js';

const LIST = 100;
const PAGE = 500;
/** Rows of one CSV file: what somebody opens in a spreadsheet. */
const CSV = 5000;

export interface SecurityReadingDeps {
  readonly reading: SecurityReadingStore;
  readonly directory: Directory;
  readonly journal: SecurityJournal;
}

/** Operators and auditors read the log of their own tenant (protocol R41). */
async function requireReader(deps: SecurityReadingDeps, { caller }: Call): Promise<SecurityLogOf> {
  const log = await deps.reading.logOf(caller.tenant);
  const principal = await requireCaller(deps.directory, caller, log?.directory_revision);
  if (principal.kind !== 'auditor' && !isOperator(principal)) {
    throw new Refusal('operator_required');
  }
  return log as SecurityLogOf;
}

/** The newest entries that the search finds. */
export function securityList(deps: SecurityReadingDeps): Handler {
  return async (call) => {
    await requireReader(deps, call);
    const after = numberOf(call.params.after);
    const found = await deps.reading.list(call.caller.tenant, searchOf(call), after, LIST + 1);
    const items = found.slice(0, LIST);
    const next = found.length > LIST ? String(items.at(-1)?.sequence) : null;
    const list: SecurityList = { items, next };
    return answer(200, JSON.stringify(list));
  };
}

/** A stretch of the chain with its checkpoints, for `countersign verify`. */
export function securityPages(deps: SecurityReadingDeps): Handler {
  return async (call) => {
    const { ledger_id } = await requireReader(deps, call);
    const { tenant } = call.caller;
    const after = numberOf(call.params.after) ?? 0;
    const found = await deps.reading.chain(tenant, after, PAGE + 1);
    const entries = found.slice(0, PAGE);
    const end = entries.at(-1)?.sequence ?? after;
    const checkpoints = await deps.reading.checkpoints(tenant, after, end);
    const pages: SecurityPages = {
      security_log: { tenant, ledger_id },
      entries,
      checkpoints: checkpoints.map((text) => JSON.parse(text)),
      next: found.length > PAGE ? String(end) : null,
    };
    return answer(200, JSON.stringify(pages));
  };
}

/** The newest entries that the search finds, as a file for a spreadsheet. A download is an entry itself. */
export function securityCsvFile(deps: SecurityReadingDeps): Handler {
  return async (call) => {
    await requireReader(deps, call);
    const { tenant, id, kind } = call.caller;
    const found = await deps.reading.list(tenant, searchOf(call), null, CSV);
    await deps.journal.note({
      tenant,
      kind: 'security_log.exported',
      actor: { id, kind },
      detail: { entries: found.length, filters: Object.keys(call.params).sort() },
    });
    return answer(200, securityCsv(found), { 'content-type': 'text/csv; charset=utf-8' });
  };
}

function searchOf({ params }: Call): SecuritySearch {
  const { kind = null, actor = null, subject = null, request = null } = params;
  if (request !== null && !isId(request)) throw new Refusal('not_found');
  return {
    ...{ kind, actor, subject, request },
    since: timeOf(params.since),
    before: timeOf(params.before),
  };
}

function timeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (time === null) throw new Refusal('invalid_offset');
  return time;
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('invalid_offset');
  return Number(text);
}
