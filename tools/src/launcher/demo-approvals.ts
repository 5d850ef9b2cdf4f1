import type { RoutePolicy } from '@countersign/protocol';
import { DEFAULT_LIMITS } from '@countersign/protocol/constants';
import type { Api } from '@countersign/deploy/client/api';
import type { DemoTenant } from './demo-tenants.js';

/** The route on which several people decide. */
export const APPROVALS_ROUTE = 'large-payments';

/** One person of finance and two of platform, no two of one team; any of them may stop it. */
const POLICY: RoutePolicy = {
  quorum: {
    stages: [
      {
        name: 'all',
        seats: [
          { group: 'finance', count: 1 },
          { group: 'platform', count: 2 },
        ],
      },
    ],
    distinct_by: 'team',
    rejection: { count: 1 },
    author_may_approve: true,
    exclude: { publisher_people: true, operators: false },
    withdraw_after_completion: true,
    // The visitor is the only operator, and is to try changes.
    guard: false,
  },
};

/**
 * Voters with their groups and teams, and the route that they decide on, as the tenant's operator would configure them
 * (protocol §18.2). The voters' principals are there.
 */
export async function configureApprovals(
  api: Api,
  { producer, people, voters = [] }: DemoTenant,
): Promise<void> {
  for (const { id, group, team } of voters) {
    await api.put(`/v2/admin/principals/${id}/membership`, {
      groups: [group],
      team,
      same_person_as: null,
    });
  }
  await api.put(`/v2/admin/routes/${APPROVALS_ROUTE}`, {
    reviewers: voters.map(({ id }) => id),
    separation_of_duties: true,
    limits: DEFAULT_LIMITS,
    required_profiles: {},
    allowed_producers: [producer.id, ...people.slice(0, 1).map(({ id }) => id)],
    modes: ['live_window', 'durable', 'fixed_mock'],
  });
  await api.put(`/v2/admin/routes/${APPROVALS_ROUTE}/policy`, { policy: POLICY });
}
