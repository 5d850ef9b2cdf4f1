import {
  EXTENSION_PROFILES,
  KEY_PROFILE,
  Refusal,
  SUPPORTED_PROFILES,
  isBoundBundle,
  isExtended,
  materialReadable,
} from '@countersign/protocol';
import type { AuditExport } from '@countersign/protocol';
import { oneLargeAtATime, openSized, readEvent, requireIntegrity } from '@countersign/database';
import type { StoredRequest } from '@countersign/database';
import { LARGE_ANSWER, answerOf, readSized } from '@countersign/platform';
import type { AnswerPart, Caller, LargeStep, OperationHandler } from '@countersign/platform';
import type { LedgerDeps } from '../deps.js';
import type { EntryRow, ExportRow } from '../store/index.js';

const VERIFICATION =
  'Verify offline: configure the trust manifest out of band, check each record and the anchor proof against it, ' +
  'then fetch the checkpoint from the anchor store yourself and compare its bytes.';

/** An export stays readable while a capability is switched off (protocol §18.9). */
export const READABLE_PROFILES = { ...SUPPORTED_PROFILES, ...EXTENSION_PROFILES, ...KEY_PROFILE };

/**
 * `ledger.export`: the original signed records with the request's ledger entries, its proof and its retained material;
 * never writes.
 */
export function exportRequest(deps: LedgerDeps): OperationHandler<'ledger.export'> {
  return oneLargeAtATime(async (call) => {
    const found = await loadExport(deps, call);
    return found === null ? LARGE_ANSWER : answerOf<AuditExport>(200, found.parts);
  });
}

export interface LoadedExport {
  /** JSON text of an AuditExport, or of an ExtendedAuditExport where the profiles select that form (protocol §18.9). */
  readonly parts: readonly AnswerPart[];
  /** Canonical texts of its records, and its entries of the ledger. */
  readonly records: readonly string[];
  readonly entries: readonly EntryRow[];
  /** Canonical text of its AnchorProof; null before there is one. */
  readonly anchor: string | null;
}

/** An export, noted in the security log; null for {@link LARGE_ANSWER}. */
export async function loadExport(
  deps: LedgerDeps,
  call: { readonly caller: Caller; readonly id: string; readonly large: LargeStep | null },
): Promise<LoadedExport | null> {
  const { caller, id } = call;
  const { tenant } = caller;
  const found = await readSized(call, async (whole) =>
    openSized(deps.directory, caller, await deps.store.export(caller, id, whole)),
  );
  if (found === null) return null;
  const { principal, stored, loaded } = found;
  requireIntegrity(stored, tenant, READABLE_PROFILES);
  const isReadable = materialReadable(stored.lifecycle, loaded.now);
  const whole = await assemble(deps, stored, loaded, isReadable);
  await deps.journal.note(
    readEvent('export.read', caller, principal, stored, { material: isReadable }),
  );
  return whole;
}

/** The export of a request that was read, with its material or without. */
export async function assemble(
  deps: Pick<LedgerDeps, 'store'>,
  stored: StoredRequest,
  loaded: ExportRow,
  withMaterial: boolean,
): Promise<LoadedExport> {
  const { tenant, id } = stored;
  const material = withMaterial ? materialParts(stored, loaded) : null;
  const [records, entries, evidence] = await Promise.all([
    deps.store.recordsOf(tenant, id),
    deps.store.entriesOf(tenant, id),
    isExtended(stored.request.profiles) ? deps.store.evidenceOf(tenant, id) : null,
  ]);
  const parts = [
    `{"request":${stored.canonical},"request_digest":"${stored.digest}"` +
      `,"records":[${records.join(',')}],"audit":${JSON.stringify(entries.map(auditEntry))}` +
      `,"anchor":${loaded.anchor},"material":`,
    ...(material ?? ['null']),
    ...(evidence === null ? [] : [`,"evidence":{"records":[${evidence.join(',')}]}`]),
    `,"verification":${JSON.stringify(VERIFICATION)}}`,
  ];
  return { parts, records, entries, anchor: loaded.anchor };
}

/** An entry as AuditExport has it. */
export function auditEntry(entry: EntryRow) {
  const { previous_head, head, record_digest, record } = entry;
  return { sequence: String(entry.sequence), previous_head, head, record_digest, record };
}

/** While material is retained, the bundle must be intact, too. */
function materialParts(stored: StoredRequest, row: ExportRow): AnswerPart[] {
  return [
    '{"payload":',
    row.payload ?? 'null',
    ',"response_schema":',
    row.response_schema ?? 'null',
    ',"review_document":',
    { quoted: row.review_document },
    `,"candidate":${row.candidate}`,
    ...bundleParts(stored, row),
    '}',
  ];
}

function bundleParts(stored: StoredRequest, row: ExportRow): AnswerPart[] {
  if (stored.request.review.bundle === undefined) return [];
  const { bundle_manifest: manifest, bundle_html: html, bundle_digest: digest } = row;
  if (html === null || manifest === null) throw new Refusal('bundle_deleted');
  if (!isBoundBundle(stored.request, manifest, `sha256:${digest}`)) {
    throw new Refusal('bundle_integrity_mismatch');
  }
  return [`,"bundle":{"manifest":${manifest},"html":`, { quoted: html }, '}'];
}
