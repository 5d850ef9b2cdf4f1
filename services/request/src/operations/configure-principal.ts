import { Refusal, canonicalText, textDigest } from '@countersign/protocol';
import type { PrincipalInput } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import type { Principal } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { Handler } from '@countersign/platform';
import { principalEffects, requirePrincipal } from '../directory-effects.js';
import { invalidateAffected } from '../invalidation.js';
import type { RequestDeps } from '../module.js';
import type { DirectoryView } from '../store/directory.js';

/** #25: directory, producer, publisher and credentials, with what a change takes away (contract §7 #25, R8, R10). */
export function configurePrincipal(deps: RequestDeps): Handler {
  return async (call) => {
    const { caller } = call;
    const input = JSON.parse(call.text) as PrincipalInput;
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      requireOperator(await requireEnabled(change, caller));
      if (call.params.id !== input.id) throw new Refusal('identity_mismatch');
      const before = await change.principal(input.id);
      await requirePrincipal(change, before, input, deps.webhooks);
      // Everybody reads the directory, so the secret does not lie there.
      const { webhook_secret: secret, ...config } = input.config;
      await change.savePrincipal(input.id, input.kind, config);
      await change.saveWebhookSecret(input.id, secret ?? null);
      if (input.token !== undefined) {
        const digest = textDigest(input.token);
        if (!(await change.saveCredential(input.id, digest)))
          throw new Refusal('identity_conflict');
      }
      const effects = await principalEffects(change, before, input);
      for (const reviewer of effects.removed) await change.dropReviewer(reviewer, effects.route);
      const { records, requests } = await invalidateAffected(change, deps.notary, effects);
      const configured = await deps.notary.issue(
        'PrincipalConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        { id: input.id, kind: input.kind, enabled: input.config.enabled },
      );
      await change.saveRecords([...records, configured], [...requests, null]);
      return canonicalText({ id: input.id, kind: input.kind });
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

/** The caller as it is inside the change: an operator disabled a moment ago configures nothing. */
export async function requireEnabled(
  view: DirectoryView,
  caller: { id: string; kind: string; credential: string | null },
): Promise<Principal> {
  const principal = await view.principal(caller.id);
  if (
    principal === null ||
    !principal.enabled ||
    principal.kind !== caller.kind ||
    (caller.credential !== null && caller.credential !== principal.credential)
  ) {
    throw new Refusal('unauthenticated');
  }
  return principal;
}
