import { Refusal, isBoundBundle, materialReadable, storedAppText } from '@countersign/protocol';
import { openSized, readEvent, requireIntegrity } from '@countersign/database';
import { LARGE_ANSWER, answer, isId, readSized } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';

/**
 * #8: the bundle that the request binds, with the snapshots that a View of it gets to see and the envelope that binds
 * them, for people only (contract §7 #8, §12.2).
 */
export function app(deps: RequestDeps): Handler {
  return async (call) => {
    const id = call.params.id;
    if (call.caller.kind !== 'human') throw new Refusal('human_required');
    if (!isId(id)) throw new Refusal('not_found');
    const found = await readSized(call, async (whole) =>
      openSized(deps.directory, call.caller, await deps.requests.app(call.caller, id, whole)),
    );
    if (found === null) return LARGE_ANSWER;
    const { principal, stored, loaded } = found;
    const { payload, bundle_manifest } = loaded;
    const html = loaded.bundle_html?.toString() ?? null;
    const { request, lifecycle } = stored;
    requireIntegrity(stored, call.caller.tenant);
    if (payload === null || !materialReadable(lifecycle, stored.row.now)) {
      throw new Refusal('material_deleted');
    }
    if (request.review.bundle === undefined) throw new Refusal('not_found');
    if (bundle_manifest === null || html === null) throw new Refusal('bundle_deleted');
    if (!isBoundBundle(request, bundle_manifest, html)) {
      throw new Refusal('bundle_integrity_mismatch');
    }
    if (Buffer.byteLength(payload) > request.limits.inline_result_bytes) {
      throw new Refusal('app_snapshot_too_large');
    }
    await deps.journal.note(readEvent('app.read', call.caller, principal, stored));
    return answer(
      200,
      storedAppText({
        request,
        requestDigest: stored.digest,
        payload,
        html,
        sandboxPattern: deps.sandboxOrigin,
      }),
    );
  };
}
