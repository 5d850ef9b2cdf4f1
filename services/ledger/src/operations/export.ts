import { Refusal, isBoundBundle, materialReadable } from '@countersign/protocol';
import { openRequest, requireIntegrity } from '@countersign/database';
import type { StoredRequest } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { LedgerDeps } from '../module.js';
import type { EntryRow, ExportRow } from '../store.js';

const VERIFICATION =
  'Verify offline: configure the trust manifest out of band, check each record and the anchor proof against it, ' +
  'then fetch the checkpoint from the anchor store yourself and compare its bytes.';

/** #21: the original signed records with the request's ledger entries, its proof and what is retained; never writes. */
export function exportRequest(deps: LedgerDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (!isId(id)) throw new Refusal('not_found');
    const { tenant } = call.caller;
    const row = await deps.store.export(call.caller, id);
    const opened = await openRequest(deps.directory, call.caller, row, '');
    const stored = await opened.visible();
    requireIntegrity(stored, tenant);
    const loaded = row as ExportRow;
    const [records, entries] = await Promise.all([
      deps.store.recordsOf(tenant, id),
      deps.store.entriesOf(tenant, id),
    ]);
    return answer(
      200,
      `{"request":${stored.canonical},"request_digest":"${stored.digest}"` +
        `,"records":[${records.join(',')}],"audit":${JSON.stringify(entries.map(auditEntry))}` +
        `,"anchor":${loaded.anchor},"material":${materialText(stored, loaded)}` +
        `,"verification":${JSON.stringify(VERIFICATION)}}`,
    );
  };
}

function auditEntry(entry: EntryRow) {
  const { previous_head, head, record_digest, record } = entry;
  return { sequence: String(entry.sequence), previous_head, head, record_digest, record };
}

/** Null once private material is gone, even if the bundle still is there; while retained, both must be intact. */
function materialText(stored: StoredRequest, row: ExportRow): string {
  if (!materialReadable(stored.lifecycle, row.now)) return 'null';
  return (
    `{"payload":${row.payload},"response_schema":${row.response_schema}` +
    `,"review_document":${JSON.stringify(row.review_document?.toString() ?? null)},"candidate":${row.candidate}` +
    `${bundleText(stored, row)}}`
  );
}

function bundleText(stored: StoredRequest, row: ExportRow): string {
  if (stored.request.review.bundle === undefined) return '';
  if (row.bundle_html === null || row.bundle_manifest === null) throw new Refusal('bundle_deleted');
  const html = row.bundle_html.toString();
  if (!isBoundBundle(stored.request, row.bundle_manifest, html)) {
    throw new Refusal('bundle_integrity_mismatch');
  }
  return `,"bundle":{"manifest":${row.bundle_manifest},"html":${JSON.stringify(html)}}`;
}
