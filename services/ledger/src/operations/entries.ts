import { PAGE_SIZES, jsonText } from '@countersign/protocol';
import { requireCaller, requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { LedgerDeps } from '../deps.js';

/** `ledger.entries`: the tenant's complete chain in pages of 100, for operators. */
export function entries(deps: LedgerDeps): OperationHandler<'ledger.entries'> {
  return async ({ caller, query: { after } }) => {
    const { tenant } = caller;
    const revision = await deps.directory.revision(tenant);
    requireOperator(await requireCaller(deps.directory, caller, revision));
    const rows = await deps.store.entries(tenant, after, PAGE_SIZES.ledger);
    return answer(
      200,
      jsonText(
        rows.map((row) => ({
          tenant: row.tenant,
          sequence: String(row.sequence),
          request_id: row.request_id,
          previous_head: row.previous_head,
          head: row.head,
          record_digest: row.record_digest,
          record: row.record,
          created_at: new Date(row.created_at).toISOString(),
        })),
      ),
    );
  };
}
