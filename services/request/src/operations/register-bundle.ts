import { Refusal, asJsonText, canonicalObject } from '@countersign/protocol';
import type { ReviewBundle } from '@countersign/protocol';
import { requireCaller, storedAnswer } from '@countersign/database';
import { answer, newId, storedReply } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import type { BundleInput } from '../bundle-input.js';
import type { RequestDeps } from '../deps.js';
import { requireQuota } from '../quotas.js';

/**
 * `request.register-bundle`: an immutable app of a publisher; the same bytes twice give two bundles
 * (protocol §7 request.register-bundle).
 */
export function registerBundle(deps: RequestDeps) {
  return async (
    call: OperationCall<'request.register-bundle', BundleInput>,
  ): Promise<OperationAnswer<'request.register-bundle'>> => {
    const { caller, key, scope, input } = call;
    const row = await deps.bundles.refusal(caller, scope, key);
    const principal = await requireCaller(deps.directory, caller, row?.directory_revision);
    const publisher = principal.kind === 'publisher' ? principal.id : principal.config.publisher;
    if (publisher === undefined || principal.kind === 'producer') {
      throw new Refusal('publisher_required');
    }
    const loaded = row as NonNullable<typeof row>;
    const replay = storedAnswer(loaded, input);
    if (replay !== null) return storedReply(replay);
    requireQuota(loaded.quota_refusal);
    const { html, fault } = input;
    if (input.tooLarge) throw new Refusal('bundle_too_large');
    if (fault !== null) throw new Refusal('invalid_BundleRegistration', fault);
    const bundle: Omit<ReviewBundle, 'compatibility'> = {
      id: newId(loaded.now),
      tenant: caller.tenant,
      publisher,
      digest: html.digest,
      author: input.author,
      licence: input.licence,
      created_at: new Date(loaded.now).toISOString(),
    };
    const manifest = canonicalObject({ ...bundle }, { compatibility: input.compatibility });
    await deps.bundles.register(
      caller.tenant,
      loaded.directory_revision,
      {
        id: bundle.id,
        publisher,
        digest: bundle.digest,
        manifest,
        html: html.text,
        bytes: html.bytes,
        createdAt: loaded.now,
      },
      await deps.notary.issueCanonical(
        'BundleRegistered',
        { tenant: caller.tenant, audience: publisher, purpose: 'service', profiles: {} },
        loaded.now,
        manifest,
      ),
      { call, status: 201, result: manifest },
    );
    deps.chained(caller.tenant);
    return answer(201, asJsonText<ReviewBundle>(manifest));
  };
}
