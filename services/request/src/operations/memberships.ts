import { asJsonText } from '@countersign/protocol';
import type { AdminPage, AdminReadRowOf, MembershipResult } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { membershipOf } from '../persons.js';
import { membershipResult } from './configure-membership.js';
import { requireEnabled } from './configure-principal.js';

/**
 * `request.desk-memberships`: the membership of one person as `request.configure-membership` answers it, with a change that waits for
 * a second operator (decisions/0016). No item where no person has the id.
 */
export function memberships(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<AdminReadRowOf<'request.desk-memberships'>>) => {
    const text = await deps.configuration.view(caller.tenant, async (view) => {
      requireOperator(await requireEnabled(view, caller));
      const principal = await view.principal(params.id ?? '');
      if (principal?.kind !== 'human') return '';
      const standing = await membershipOf(view, principal.id, deps.trust);
      return membershipResult(view, principal, standing, deps.trust);
    });
    return answer(200, asJsonText<AdminPage<MembershipResult>>(`{"items":[${text}],"next":null}`));
  };
}
