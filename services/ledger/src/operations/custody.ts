import { answer, isId } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import { Refusal, canonicalText } from '@countersign/protocol';
import type {
  AdminPage,
  CUSTODY_READ,
  CustodyHold,
  LegalHoldLifted,
  LegalHoldSet,
  SignedRecord,
} from '@countersign/protocol';
import { requireCaller, requireCustodian } from '@countersign/database';
import type { ChainDeps } from '../deps.js';
import type { HoldRow, ReadingRow } from '../store/custody.js';

const PAGE = 20;
const MOST_READINGS = 50;

/** `ledger.custody`: the holds of the tenant with their requests and readings, for custodians (protocol §20.8). */
export function custody(deps: ChainDeps) {
  return async ({ caller, params }: AdminCall<typeof CUSTODY_READ>) => {
    const { tenant } = caller;
    const { after } = params;
    if (after !== undefined && !isId(after)) throw new Refusal('invalid_offset');
    const known = await deps.custody.custodian(tenant, caller.id);
    const principal = await requireCaller(deps.directory, caller, known?.directory_revision);
    requireCustodian(tenant, principal, known?.membership ?? null, deps.trust);
    const rows = await deps.custody.holds(tenant, after ?? null, PAGE + 1);
    const shown = rows.slice(0, PAGE);
    const sets = shown.map(({ record }) => payloadOf<LegalHoldSet>(record));
    const ids = new Set(sets.flatMap(({ requests }) => requests.map(({ id }) => id)));
    const [summaries, readings] = await Promise.all([
      deps.custody.summaries(tenant, [...ids]),
      deps.custody.readings(
        tenant,
        shown.map(({ id }) => id),
        MOST_READINGS,
      ),
    ]);
    const page: AdminPage<CustodyHold> = {
      items: shown.map((row, at) => holdOf(row, sets[at] as LegalHoldSet, summaries, readings)),
      next: rows.length > PAGE ? (shown.at(-1)?.id ?? null) : null,
    };
    return answer(200, canonicalText(page));
  };
}

const payloadOf = <Payload>(text: string) => (JSON.parse(text) as SignedRecord).payload as Payload;

function holdOf(
  { id, lifted, in_force }: HoldRow,
  { revision, reference, until, set_by, set_at, requests }: LegalHoldSet,
  summaries: ReadonlyMap<string, string>,
  readings: readonly ReadingRow[],
): CustodyHold {
  const ending = lifted === null ? null : payloadOf<LegalHoldLifted>(lifted);
  return {
    ...{ id, revision, reference, until, set_by, set_at, in_force },
    lifted: ending && { by: ending.lifted_by, at: ending.lifted_at },
    requests: requests.map((held) => ({ id: held.id, summary: summaries.get(held.id) ?? null })),
    readings: readings
      .filter(({ hold }) => hold === id)
      .map(({ request, by, at }) => ({ request, by, at: new Date(at).toISOString() })),
  };
}
