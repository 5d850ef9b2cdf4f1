import { Refusal, canonicalText, valueDigest } from '@countersign/protocol';
import type { RoutePolicyResult, Trust } from '@countersign/protocol';
import { requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { OperationHandler } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { proposer, standingProposal } from '../second-operator.js';
import type { DirectoryView } from '../store/directory.js';
import { requireEnabled } from './configure-principal.js';

const REMOVAL = valueDigest(null);

/** `request.policy`: the policy of a route in force, and the change that waits for a second operator (protocol §18.11). */
export function policy(deps: RequestDeps): OperationHandler<'request.policy'> {
  return async ({ caller, id }) => {
    const body = await deps.configuration.view(caller.tenant, async (view) => {
      requireOperator(await requireEnabled(view, caller));
      return canonicalText(await policyOf(view, id, deps.trust));
    });
    return answer(200, body);
  };
}

/** Throws `not_found`. */
export async function policyOf(
  view: DirectoryView,
  id: string,
  trust: Trust,
): Promise<RoutePolicyResult> {
  const route = await view.route(id);
  if (route === null) throw new Refusal('not_found');
  const {
    revision,
    policy: set,
    by,
  } = route.policy ?? {
    ...{ revision: route.revision, policy: null, by: [] },
  };
  const proposal = await standingProposal(view, { kind: 'policy', id }, trust);
  return {
    route: id,
    revision,
    policy: set,
    policy_digest: set === null ? null : valueDigest(set),
    configured_by: [...by],
    proposed: proposal && {
      policy_digest: proposal.digest === REMOVAL ? null : proposal.digest,
      ...proposer(proposal),
    },
  };
}
