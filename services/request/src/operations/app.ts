import { Refusal, isBoundBundle, materialReadable, storedAppAround } from '@countersign/protocol';
import type { StoredApp } from '@countersign/protocol';
import {
  oneLargeAtATime,
  openSized,
  readEvent,
  requireIntegrity,
  wholeText,
} from '@countersign/database';
import type { Pieces } from '@countersign/database';
import { LARGE_ANSWER, answerOf, readSized } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { noteReading } from '../noted-reading.js';

/**
 * `request.app`: the bundle that the request binds, with the snapshots that a View of it gets to see and the envelope that
 * binds them, for people only (protocol §7 request.app, §12.2).
 */
export function app(deps: RequestDeps): OperationHandler<'request.app'> {
  return oneLargeAtATime(async (call) => {
    const { caller, id } = call;
    if (caller.kind !== 'human') throw new Refusal('human_required');
    const found = await readSized(call, async (whole) =>
      openSized(deps.directory, caller, await deps.requests.app(caller, id, whole)),
    );
    if (found === null) return LARGE_ANSWER;
    const { principal, stored, loaded } = found;
    const { payload, bundle_manifest, bundle_html, bundle_digest } = loaded;
    const { request, lifecycle } = stored;
    requireIntegrity(stored, caller.tenant, deps.profiles);
    if (payload === null || !materialReadable(lifecycle, stored.row.now)) {
      throw new Refusal('material_deleted');
    }
    if (request.review.bundle === undefined) throw new Refusal('not_found');
    if (bundle_manifest === null || bundle_html === null) throw new Refusal('bundle_deleted');
    if (!isBoundBundle(request, bundle_manifest, `sha256:${bundle_digest}`)) {
      throw new Refusal('bundle_integrity_mismatch');
    }
    if (bytesOf(payload) > request.limits.inline_result_bytes) {
      throw new Refusal('app_snapshot_too_large');
    }
    await deps.journal.note(readEvent('app.read', caller, principal, stored));
    await noteReading(deps, caller, stored);
    const { before, after } = storedAppAround({
      request,
      requestDigest: stored.digest,
      payload: wholeText(payload),
      sandboxPattern: deps.sandboxOrigin,
    });
    return answerOf<StoredApp>(200, [before, { quoted: bundle_html }, after]);
  });
}

function bytesOf(text: string | Pieces): number {
  return typeof text === 'string'
    ? Buffer.byteLength(text)
    : text.reduce((sum, { length }) => sum + length, 0);
}
