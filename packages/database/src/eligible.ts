import { Refusal, configurers, requireEligible } from '@countersign/protocol';
import type { Person } from '@countersign/protocol';
import { personOf } from './directory.js';
import type { Directory } from './directory.js';
import { requireIntegrity } from './request-row.js';
import type { StoredRequest } from './request-row.js';

/** ELIG of protocol §6.4: INT, then {@link requireMayDecide}. `supported`: the profiles that the caller handles. */
export async function requireEligibleReviewer(
  directory: Directory,
  tenant: string,
  reviewerId: string,
  stored: StoredRequest,
  step: 'decide' | 'use',
  supported?: Readonly<Record<string, string>>,
  isVoter?: () => Promise<boolean>,
): Promise<Person> {
  requireIntegrity(stored, tenant, supported);
  return requireMayDecide(directory, tenant, reviewerId, stored, step, isVoter);
}

/**
 * May this human decide, by the directory as of the request's revision? Where duties are
 * separated, requester, owner and the owner's bound human never review their own request (R22), and no person decides under
 * their own configuration (R38): `step` names the changes that count. `isVoter` is asked of a request that several people
 * decide: whether the reviewer may vote at all.
 */
export async function requireMayDecide(
  directory: Directory,
  tenant: string,
  reviewerId: string,
  stored: StoredRequest,
  step: 'decide' | 'use',
  isVoter: () => Promise<boolean> = async () => true,
): Promise<Person> {
  const revision = stored.row.directory_revision;
  const find = async (id: string) => directory.principal(tenant, id, revision);
  const reviewer = personOf(await find(reviewerId));
  if (reviewer === null) throw new Refusal('human_required');
  const route = await directory.route(tenant, stored.route, revision);
  const owner = await find(stored.owner);
  const bound = owner?.config.owner === undefined ? null : await find(owner.config.owner);
  const configuredBy = configurers(step, route?.configuredBy ?? {}, owner?.configuredBy ?? {});
  const persons = await Promise.all(configuredBy.map(find));
  requireEligible(
    reviewer,
    { authorisationRevision: stored.request.authorisation_revision },
    route === null
      ? null
      : {
          revision: route.revision,
          reviewers: (await isVoter()) ? route.config.reviewers : [],
          separationOfDuties: route.config.separation_of_duties,
        },
    personOf(await find(stored.request.requester.subject)),
    [owner, bound, ...persons].map(personOf),
  );
  return reviewer;
}
