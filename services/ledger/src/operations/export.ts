import { Refusal, isBoundBundle, materialReadable } from '@countersign/protocol';
import { openSized, readEvent, requireIntegrity } from '@countersign/database';
import type { StoredRequest } from '@countersign/database';
import { LARGE_ANSWER, answer, isId, readSized } from '@countersign/platform';
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
    const found = await readSized(call, async (whole) =>
      openSized(deps.directory, call.caller, await deps.store.export(call.caller, id, whole)),
    );
    if (found === null) return LARGE_ANSWER;
    const { principal, stored, loaded } = found;
    requireIntegrity(stored, tenant);
    const material = materialText(stored, loaded);
    const [records, entries] = await Promise.all([
      deps.store.recordsOf(tenant, id),
      deps.store.entriesOf(tenant, id),
    ]);
    await deps.journal.note(
      readEvent('export.read', call.caller, principal, stored, {
        material: material !== 'null',
      }),
    );
    return answer(
      200,
      `{"request":${stored.canonical},"request_digest":"${stored.digest}"` +
        `,"records":[${records.join(',')}],"audit":${JSON.stringify(entries.map(auditEntry))}` +
        `,"anchor":${loaded.anchor},"material":${material}` +
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
