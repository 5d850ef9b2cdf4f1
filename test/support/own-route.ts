import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { Limits } from '@countersign/protocol';
import { Client } from './client.js';
import type { Demo } from './instance.js';
import { newToken } from './people.js';

/** A route with a producer and an owner of its own, so that they can be changed and broken. */
export interface OwnRoute {
  /** The instance as `reviewInput` and `executionInput` know it, with this route for both purposes. */
  readonly demo: Demo;
  readonly route: string;
  readonly producer: Client;
  readonly producerId: string;
  readonly producerToken: string;
  /** Bound human of the producer, and so the requester; known to no identity provider. */
  readonly ownerId: string;
  putRoute(changes?: Record<string, unknown>): Promise<void>;
  putProducer(changes?: Record<string, unknown>): Promise<void>;
}

/** `reviewers` are ids; `limits` replace some of the defaults. */
export async function newRoute(
  demo: Demo,
  operator: Client,
  reviewers: readonly string[],
  limits: Partial<Limits> = {},
): Promise<OwnRoute> {
  const mark = randomUUID().slice(0, 8);
  const [route, producerId, ownerId] = [`route-${mark}`, `bot-${mark}`, `owner-${mark}`];
  const token = newToken();
  const put = async (what: string, id: string, body: object) => {
    const answer = await operator.put(`/v2/admin/${what}/${id}`, body);
    if (answer.status !== 200) throw new Error(`${id} was not configured: ${answer.text}`);
  };
  const putRoute = (changes: Record<string, unknown> = {}) =>
    put('routes', route, {
      reviewers,
      separation_of_duties: true,
      limits: { ...DEFAULT_LIMITS, ...limits },
      required_profiles: {},
      allowed_producers: [producerId],
      modes: ['durable'],
      ...changes,
    });
  const putProducer = (changes: Record<string, unknown> = {}) =>
    put('principals', producerId, {
      id: producerId,
      kind: 'producer',
      token,
      config: {
        enabled: true,
        publisher: demo.publisher.id,
        owner: ownerId,
        routes: [route],
        ...changes,
      },
    });
  await put('principals', ownerId, {
    id: ownerId,
    kind: 'human',
    config: { enabled: true, oidc_issuer: demo.issuer, oidc_subject: ownerId },
  });
  await putRoute();
  await putProducer();
  return {
    demo: { ...demo, routes: { review: route, execution: route } },
    route,
    producer: new Client(demo.origin, { token }),
    producerId,
    producerToken: token,
    ownerId,
    putRoute,
    putProducer,
  };
}
