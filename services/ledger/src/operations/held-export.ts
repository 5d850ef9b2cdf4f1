import { Refusal } from '@countersign/protocol';
import type { AuditExport } from '@countersign/protocol';
import {
  oneLargeAtATime,
  requireCaller,
  requireCustodian,
  requireIntegrity,
  storedRequest,
} from '@countersign/database';
import { LARGE_ANSWER, answerOf, readSized } from '@countersign/platform';
import type { OperationCall, OperationHandler } from '@countersign/platform';
import type { ChainDeps } from '../deps.js';
import type { HeldExportRow } from '../store/index.js';
import { READABLE_PROFILES, assemble } from './export.js';

type Call = OperationCall<'ledger.held-export'>;

/**
 * `ledger.held-export`: the export of a held request with its material, for custodians, also after its deadlines (protocol
 * §20.8). Every reading is noted in the security log.
 */
export function heldExport(deps: ChainDeps): OperationHandler<'ledger.held-export'> {
  return oneLargeAtATime(async (call) => {
    const { caller, id: hold } = call;
    const found = await readSized(call, (whole) => open(deps, call, whole));
    if (found === null) return LARGE_ANSWER;
    const { stored, loaded } = found;
    requireIntegrity(stored, caller.tenant, READABLE_PROFILES);
    const withMaterial = !stored.lifecycle.materialDeleted;
    const { parts } = await assemble(deps, stored, loaded, withMaterial);
    await deps.journal.note({
      tenant: caller.tenant,
      kind: 'held_export.read',
      actor: { id: caller.id, kind: caller.kind },
      subject: hold,
      requestId: stored.id,
      detail: { material: withMaterial, request_digest: stored.digest },
    });
    return answerOf<AuditExport>(200, parts);
  });
}

/** Throws `custodian_required`, and `not_found` for a request that this hold does not keep. */
async function open(deps: ChainDeps, { caller, id: hold, request: id }: Call, whole: boolean) {
  const loaded = await deps.store.heldExport(caller, { hold, id }, whole);
  const principal = await requireCaller(deps.directory, caller, loaded?.directory_revision);
  // Only a tenant that is not there has no row, and no callers.
  const row = loaded as HeldExportRow;
  requireCustodian(caller.tenant, principal, row.membership, deps.trust);
  const stored = row.held === true ? storedRequest(row) : null;
  if (stored === null) throw new Refusal('not_found');
  return { stored, loaded: row, isLarge: row.is_large === true };
}
