import { Refusal, canonicalText, textDigest } from '@countersign/protocol';
import { requireCurrent, requireOperator } from '@countersign/database';
import type { CallerIdentity, Principal } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { principalEffects, requirePrincipal } from '../directory-effects.js';
import { changedMembers, configDigest } from '../directory-difference.js';
import { principalConfiguredBy } from '../duties.js';
import { applyEffects } from '../apply-effects.js';
import type { RequestDeps } from '../deps.js';
import type { DirectoryView } from '../store/directory.js';

/**
 * `request.configure-principal`: directory, producer, publisher and credentials, with the effects of a change (protocol §7
 * request.configure-principal, R8, R10).
 */
export function configurePrincipal(
  deps: RequestDeps,
): OperationHandler<'request.configure-principal'> {
  return async ({ caller, id, input }) => {
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      const operator = await requireEnabled(change, caller);
      requireOperator(operator);
      if (id !== input.id) throw new Refusal('identity_mismatch');
      const before = await change.principal(input.id);
      await requirePrincipal(change, before, input, deps);
      // Every service reads the directory, so the secret is not stored there.
      const { webhook_secret: secret, ...config } = input.config;
      const configuredBy = await principalConfiguredBy(change, before, input, operator);
      await change.savePrincipal(input.id, input.kind, config, configuredBy);
      const hadSecret = await change.saveWebhookSecret(input.id, secret ?? null);
      const credential = input.token === undefined ? null : textDigest(input.token);
      if (credential !== null && !(await change.saveCredential(input.id, credential))) {
        throw new Refusal('identity_conflict');
      }
      if (input.kind === 'human' && !config.enabled) await change.keys.forgetWaiting(input.id);
      const effects = await principalEffects(change, before, input, deps.trust);
      for (const reviewer of effects.removed) await change.dropReviewer(reviewer, effects.route);
      const touched = await applyEffects(change, deps.notary, caller, effects);
      const configured = await deps.notary.issue(
        'PrincipalConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        { id: input.id, kind: input.kind, enabled: input.config.enabled },
      );
      await change.saveRecord(configured);
      await change.saveSecurityEvent({
        kind: 'principal.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: input.id,
        detail: {
          kind: input.kind,
          created: before === null,
          // A secret that was given may be the one that was there: this service cannot read that.
          changed: [
            ...changedMembers(before?.config ?? null, config),
            ...(hadSecret || secret !== undefined ? ['webhook_secret'] : []),
          ],
          before: configDigest(before?.config ?? null),
          after: configDigest(config),
          token_changed: credential !== null && credential !== (before?.tokenDigest ?? null),
          requests_affected: touched,
        },
      });
      return canonicalText({ id: input.id, kind: input.kind });
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

/** The caller as it is inside the change: an operator disabled a moment ago configures nothing. */
export async function requireEnabled(
  view: DirectoryView,
  caller: CallerIdentity,
): Promise<Principal> {
  return requireCurrent(await view.principal(caller.id), caller);
}
