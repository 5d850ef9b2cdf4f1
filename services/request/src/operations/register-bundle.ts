import {
  DEFAULT_LIMITS,
  Refusal,
  assertRecord,
  canonicalText,
  textDigest,
} from '@countersign/protocol';
import type { BundleRegistration, ReviewBundle } from '@countersign/protocol';
import { requireCaller, storedAnswer } from '@countersign/database';
import { answer, newId } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import type { RequestDeps } from '../module.js';

/** #3: an immutable app of a publisher; the same bytes twice give two bundles (contract §7 #3). */
export function registerBundle(deps: RequestDeps): Handler {
  const operation = 'request.register-bundle';
  return async (call) => {
    const { caller } = call;
    const input = JSON.parse(call.text) as BundleRegistration;
    const row = await deps.bundles.refusal(caller, operation, call.key);
    const principal = await requireCaller(deps.directory, caller, row?.directory_revision);
    const publisher = principal.kind === 'publisher' ? principal.id : principal.config.publisher;
    if (publisher === undefined || principal.kind === 'producer') {
      throw new Refusal('publisher_required');
    }
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, call.text);
    if (replay !== null) return answer(replay.status, replay.body);
    if (loaded.quota_refusal !== null) throw new Refusal(loaded.quota_refusal as 'bundle_rate');
    const html = (input as { html?: unknown } | null)?.html;
    if (typeof html === 'string' && Buffer.byteLength(html) > DEFAULT_LIMITS.bundle_bytes) {
      throw new Refusal('bundle_too_large');
    }
    assertRecord('BundleRegistration', input);
    const bundle: ReviewBundle = {
      id: newId(loaded.now),
      tenant: caller.tenant,
      publisher,
      digest: textDigest(input.html),
      compatibility: input.compatibility,
      author: input.author,
      licence: input.licence,
      created_at: new Date(loaded.now).toISOString(),
    };
    const manifest = canonicalText(bundle);
    await deps.bundles.register(
      caller.tenant,
      loaded.directory_revision,
      {
        id: bundle.id,
        publisher,
        digest: bundle.digest,
        manifest,
        html: input.html,
        createdAt: loaded.now,
      },
      await deps.notary.issue(
        'BundleRegistered',
        { tenant: caller.tenant, audience: publisher, purpose: 'service', profiles: {} },
        loaded.now,
        bundle,
      ),
      {
        principal: caller.id,
        operation,
        key: call.key ?? '',
        body: call.text,
        status: 201,
        result: manifest,
        recordId: null,
      },
    );
    deps.chained(caller.tenant);
    return answer(201, manifest);
  };
}
