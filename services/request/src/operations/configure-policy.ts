import { isIP } from 'node:net';
import { Refusal, canonicalText, policyFault, valueDigest, weakens } from '@countersign/protocol';
import type { RoutePolicy, RoutePolicyConfigured } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import { policyEffects } from '../directory-effects.js';
import { configDigest } from '../directory-difference.js';
import { policyConfiguredBy } from '../duties.js';
import { applyEffects } from '../apply-effects.js';
import type { RequestDeps } from '../deps.js';
import { relyingParty } from '../keys.js';
import { operatorsOf } from '../second-operator.js';
import type { KnownRoute } from '../store/directory.js';
import { requireEnabled } from './configure-principal.js';
import { policyOf } from './policy.js';

/**
 * `request.configure-policy`: the people who approve requests of a route (protocol §18.11). It is a change of the rules: every
 * request of the route with something to lose loses it.
 */
export function configurePolicy(deps: RequestDeps): OperationHandler<'request.configure-policy'> {
  return async ({ caller, id, input: { policy } }) => {
    const body = await deps.configuration.change(caller.tenant, async (change) => {
      const operator = await requireEnabled(change, caller);
      requireOperator(operator);
      const before = await change.route(id);
      if (before === null) throw new Refusal('not_found');
      if (policy !== null) requirePolicy(policy, before, deps);
      const standing = before.policy?.policy ?? null;
      if (canonicalText(standing) === canonicalText(policy)) {
        // Also takes back a proposal.
        await change.dropProposal('policy', id);
        return canonicalText(await policyOf(change, id, deps.trust));
      }
      const needsTwo = standing?.quorum.guard === true && weakens(standing, policy);
      const asked = { kind: 'policy', id, to: policy, needsTwo } as const;
      const by = await operatorsOf(change, operator, asked, deps.trust);
      if (by === null) return canonicalText(await policyOf(change, id, deps.trust));

      const configured: RoutePolicyConfigured = {
        route: id,
        revision: before.revision + 1,
        policy,
        policy_digest: policy === null ? null : valueDigest(policy),
        configured_by: [...by],
      };
      const proposedBy = by.length === 2 ? by[0] : null;
      await change.savePolicy(id, configured, policyConfiguredBy(before, operator, proposedBy));
      const effects = await policyEffects(change, id);
      const touched = await applyEffects(change, deps.notary, caller, effects);
      const record = await deps.notary.issue(
        'RoutePolicyConfigured',
        { tenant: caller.tenant, audience: caller.id, purpose: 'service', profiles: {} },
        change.now,
        configured,
      );
      await change.saveRecord(record);
      await change.saveSecurityEvent({
        kind: 'policy.changed',
        actor: { id: caller.id, kind: caller.kind },
        subject: id,
        detail: {
          before: configDigest(standing),
          after: configDigest(policy),
          revision: configured.revision,
          configured_by: [...by],
          requests_affected: touched,
        },
      });
      return canonicalText(await policyOf(change, id, deps.trust));
    });
    deps.chained(caller.tenant);
    return answer(200, body);
  };
}

/** Throws `invalid_policy`, `separation_of_duties_required`. */
function requirePolicy(policy: RoutePolicy, { config }: KnownRoute, deps: RequestDeps): void {
  const fault = policyFault(policy, deps.mode === 'production') ?? unenforced(policy, deps);
  if (fault !== null) throw new Refusal('invalid_policy', { detail: fault });
  if (!config.separation_of_duties) throw new Refusal('separation_of_duties_required');
}

/** A policy whose parts nothing enforces would promise a protection that is not there (decisions/0033). */
function unenforced(
  { human_key }: RoutePolicy,
  { offered, notary }: Pick<RequestDeps, 'offered' | 'notary'>,
): string | null {
  if (human_key === undefined) return null;
  if (!Object.hasOwn(offered, 'proto.human-key'))
    return 'This deployment offers no keys of people.';
  if (human_key.attestation !== 'none') return 'This release verifies no attestation.';
  if (human_key.enrolment !== 'countersigned') return 'This release countersigns every key.';
  return isIP(relyingParty(notary.origin).replace(/^\[|\]$/g, '')) === 0
    ? null
    : 'The origin is an address: browsers make keys for names only.';
}
