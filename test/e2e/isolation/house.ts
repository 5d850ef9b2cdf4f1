import { DEFAULT_LIMITS } from '@countersign/protocol';
import { Client } from '../../support/client.js';
import type { Neighbours } from '../../support/neighbours.js';
import { newToken } from '../../support/people.js';
import { BUNDLE } from '../matrix/scenarios.js';

/** Resources of another tenant or principal with ids, beside requests. */
export interface House {
  /** Bundles of another publisher of the tenant, and of the other tenant's. */
  readonly foreignBundles: readonly string[];
  /** A route that only the other tenant has, though it names producer and reviewer by the ids that are here too. */
  readonly foreignRoute: string;
}

export async function gatherHouse(who: Neighbours): Promise<House> {
  const { demo, operator, elsewhere, reviewerIds } = who;
  const token = newToken();
  const id = 'publisher-other';
  const made = await operator.put(`/v2/admin/principals/${id}`, {
    id,
    kind: 'publisher',
    token,
    config: { enabled: true },
  });
  if (made.status !== 200) throw new Error(`no publisher: ${made.text}`);
  const publishers = [new Client(demo.origin, { token }), elsewhere.publisher];
  const foreignRoute = 'only-elsewhere';
  const route = await elsewhere.operator.put(`/v2/admin/routes/${foreignRoute}`, {
    reviewers: [reviewerIds[0]],
    separation_of_duties: true,
    limits: DEFAULT_LIMITS,
    required_profiles: {},
    allowed_producers: [demo.producer.id, who.requesterId],
    modes: ['durable'],
  });
  if (route.status !== 200) throw new Error(`no route: ${route.text}`);
  return {
    foreignBundles: await Promise.all(
      publishers.map(async (publisher) => {
        const answer = await publisher.post('/v2/bundles', BUNDLE);
        if (answer.status !== 201) throw new Error(`no bundle: ${answer.text}`);
        return answer.body.id as string;
      }),
    ),
    foreignRoute,
  };
}
