import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AttentionPolicy } from './attention.js';
import { Identifier, choice, closed, named } from './primitives.js';

const count = (least: number, most: number) => Type.Integer({ minimum: least, maximum: most });

/** Who has to approve, and what else counts (protocol §18.2). */
const QuorumPolicy = closed({
  stages: Type.Array(
    closed({
      name: Identifier,
      seats: Type.Array(closed({ group: Identifier, count: count(1, 10) }), {
        minItems: 1,
        maxItems: 8,
      }),
    }),
    { minItems: 1, maxItems: 5 },
  ),
  distinct_by: choice(['person', 'team']),
  rejection: closed({ count: count(1, 5) }),
  author_may_approve: Type.Boolean(),
  exclude: closed({ publisher_people: Type.Boolean(), operators: Type.Boolean() }),
  withdraw_after_completion: Type.Boolean(),
  guard: Type.Boolean(),
});
export type QuorumPolicy = Static<typeof QuorumPolicy>;

const HumanKeyPolicy = closed({
  attestation: choice(['none', 'listed']),
  aaguids: Type.Array(Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }), {
    maxItems: 50,
    uniqueItems: true,
  }),
  device: choice(['any', 'device_bound']),
  enrolment: choice(['countersigned', 'self']),
});

/** The shape alone; `policyFault` has the rules over several members (protocol §18.2). */
export const RoutePolicy = named('RoutePolicy', {
  quorum: QuorumPolicy,
  human_key: Type.Optional(HumanKeyPolicy),
  attention: Type.Optional(AttentionPolicy),
});
export type RoutePolicy = Static<typeof RoutePolicy>;
