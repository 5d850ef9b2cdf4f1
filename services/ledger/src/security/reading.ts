import { Refusal, jsonText, parseTimestamp } from '@countersign/protocol';
import type { SecurityList, SecurityPages, SecurityParameter } from '@countersign/protocol';
import { isOperator, requireCaller } from '@countersign/database';
import type { Directory, SecurityJournal } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { Caller } from '@countersign/platform';
import type {
  SecurityLogOf,
  SecurityReadingStore,
  SecuritySearch,
} from '../store/security-reading.js';
import { securityCsv } from './csv.js';

const LIST = 100;
const PAGE = 500;
/** Rows of one CSV file, for a spreadsheet. */
const CSV = 5000;

export interface SecurityReadingDeps {
  readonly reading: SecurityReadingStore;
  readonly directory: Directory;
  readonly journal: SecurityJournal;
}

interface ReadCall {
  readonly caller: Caller;
  readonly params: { readonly [Name in SecurityParameter]?: string };
}

/** Operators and auditors read the log of their own tenant (protocol R41). */
async function requireReader(deps: SecurityReadingDeps, caller: Caller): Promise<SecurityLogOf> {
  const log = await deps.reading.logOf(caller.tenant);
  const principal = await requireCaller(deps.directory, caller, log?.directory_revision);
  if (principal.kind !== 'auditor' && !isOperator(principal)) {
    throw new Refusal('operator_required');
  }
  return log as SecurityLogOf;
}

/** The newest entries that the search finds. */
export function securityList(deps: SecurityReadingDeps) {
  return async ({ caller, params }: ReadCall) => {
    await requireReader(deps, caller);
    const after = numberOf(params.after);
    const found = await deps.reading.list(caller.tenant, searchOf(params), after, LIST + 1);
    const items = found.slice(0, LIST);
    const next = found.length > LIST ? String(items.at(-1)?.sequence) : null;
    const list: SecurityList = { items, next };
    return answer(200, jsonText(list));
  };
}

/** A stretch of the chain with its checkpoints, for `countersign verify`. To read it is no export unless the reader says so. */
export function securityPages(deps: SecurityReadingDeps) {
  return async ({ caller, params }: ReadCall) => {
    const { ledger_id } = await requireReader(deps, caller);
    const { tenant } = caller;
    const after = numberOf(params.after) ?? 0;
    if (params.export !== undefined) {
      // The first page of a file stands for all of it: the pages behind it follow from this one.
      const entries = Math.max(0, ((await deps.reading.end(tenant))?.sequence ?? 0) - after);
      await noteExport(deps, caller, { format: 'json', entries, filters: [] });
    }
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
    return answer(200, jsonText(pages));
  };
}

/** The newest entries that the search finds, as a file for a spreadsheet. A download is an entry itself. */
export function securityCsvFile(deps: SecurityReadingDeps) {
  return async ({ caller, params }: ReadCall) => {
    await requireReader(deps, caller);
    const found = await deps.reading.list(caller.tenant, searchOf(params), null, CSV);
    const filters = Object.keys(params).sort();
    await noteExport(deps, caller, { format: 'csv', entries: found.length, filters });
    const headers = { 'content-type': 'text/csv; charset=utf-8' };
    return { status: 200, body: securityCsv(found), headers };
  };
}

async function noteExport(
  { journal }: SecurityReadingDeps,
  { tenant, id, kind }: Caller,
  detail: { format: 'csv' | 'json'; entries: number; filters: string[] },
): Promise<void> {
  await journal.note({ tenant, kind: 'security_log.exported', actor: { id, kind }, detail });
}

function searchOf(params: ReadCall['params']): SecuritySearch {
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
