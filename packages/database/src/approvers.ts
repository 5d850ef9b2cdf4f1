import { Refusal, fitsPolicy } from '@countersign/protocol';
import type {
  Candidature,
  CredentialBound,
  Digest,
  RoutePolicy,
  Trust,
} from '@countersign/protocol';
import { IDENTITY_COLUMNS, IDENTITY_JOINS, knownPerson } from './known-person.js';
import type { IdentityRow } from './known-person.js';
import { ask, askOne } from './pool.js';
import type { Pool } from './pool.js';
import { RevisionCache } from './revision-cache.js';
import { statements } from './statement.js';

export const APPROVERS = statements('approvers', {
  policy: `SELECT t.directory_revision, p.policy FROM tenant t
  LEFT JOIN route_policy p ON p.tenant = t.tenant AND p.route = :route WHERE t.tenant = $1`,
  // The tenant's own row comes also where there is no person.
  people: `SELECT t.directory_revision, ${IDENTITY_COLUMNS}, p.enabled, p.config,
    p.id = ANY (:reviewers::text[]) AS "isReviewer",
    p.id = ANY (:parties::text[]) OR coalesce(p.config ->> 'publisher' = :publisher, false)
      OR (:operators::boolean AND coalesce(p.config -> 'operator' = 'true'::jsonb, false)) AS "isExcluded"
  FROM tenant t
  LEFT JOIN principal p ON p.tenant = t.tenant AND p.kind = 'human' AND (p.id = ANY (:reviewers::text[])
    OR p.id = ANY (:parties::text[]) OR p.config ->> 'publisher' = :publisher
    OR (:operators::boolean AND p.config -> 'operator' = 'true'::jsonb))
  ${IDENTITY_JOINS}
  WHERE t.tenant = $1 ORDER BY p.id`,
  keys: `SELECT k.principal, k.person, k.bound FROM unnest(:reviewers::text[]) AS r (id)
  CROSS JOIN LATERAL (
    SELECT x.principal, x.person, x.bound FROM credential_bound x
    WHERE x.tenant = $1 AND x.principal = r.id AND x.principal <> '' AND x.state = 'active' OFFSET 0
  ) k`,
});

/** A key that counts, as a row of `APPROVERS.keys`. */
interface KeyRow {
  principal: string;
  person: string;
  bound: string;
}

/** A row of `APPROVERS.people`; without a person where none is found. */
export interface ApproverRow extends IdentityRow {
  directory_revision: number;
  enabled: boolean;
  config: { identity_certain?: boolean };
  isReviewer: boolean;
  isExcluded: boolean;
}

/** A person who may vote, by the principal that may. */
export interface Approver extends Candidature {
  readonly reviewer: string;
  readonly person: Digest;
}

/** Of a request: the people who may vote on it by route and membership, and the persons who may not for who they are. */
export interface Approving {
  readonly people: readonly Approver[];
  readonly excluded: readonly Digest[];
}

/** The request whose approvers are asked for. */
export interface ApprovedRequest {
  /** Ids of the route's reviewers. */
  readonly reviewers: readonly string[];
  /** Ids of the principals that requested and own it. */
  readonly parties: readonly string[];
  /** The publisher whose people are excluded, or null. */
  readonly publisher: string | null;
  /** Whether operators are excluded. */
  readonly operators: boolean;
}

/** The key of a signed CredentialBound that was not verified: it only says who may be asked. */
const told = (bound: string) => (JSON.parse(bound) as { payload: CredentialBound }).payload;

/** Policies of routes and the people of their groups, at one directory revision. */
export class Approvers {
  readonly #policies = new RevisionCache<RoutePolicy | null>(10_000);
  readonly #approving = new RevisionCache<Approving>(1_000);

  constructor(
    private readonly pool: Pool,
    private readonly trust: Trust,
  ) {}

  /** The policy of a route, or null. */
  policy(tenant: string, route: string, revision: number): Promise<RoutePolicy | null> {
    return this.#policies.of([tenant, route], revision, async () => {
      const row = await askOne<{ directory_revision: number; policy: RoutePolicy | null }>(
        this.pool,
        APPROVERS.policy,
        { tenant, route },
      );
      return row && { revision: row.directory_revision, value: row.policy };
    });
  }

  /**
   * A membership whose signed text does not verify gives its reviewer no vote. Throws `identity_uncertain` for a person who is to
   * be excluded and is not certain to be known.
   */
  async approving(tenant: string, of: ApprovedRequest, revision: number): Promise<Approving> {
    const { reviewers, parties, publisher, operators } = of;
    const asked = JSON.stringify([reviewers, parties, publisher, operators]);
    const found = await this.#approving.of([tenant, asked], revision, async () => {
      const { rows } = await ask<ApproverRow>(this.pool, APPROVERS.people, { tenant, ...of });
      const row = rows[0];
      if (row === undefined) return undefined;
      return { revision: row.directory_revision, value: approvingOf(rows, tenant, this.trust) };
    });
    return found ?? { people: [], excluded: [] };
  }

  /** Those of the people who can sign a vote, where the policy asks for keys (protocol §19.7); all of them otherwise. */
  async signing(
    tenant: string,
    { human_key: policy }: Pick<RoutePolicy, 'human_key'>,
    people: readonly Approver[],
  ): Promise<readonly Approver[]> {
    if (policy === undefined) return people;
    const reviewers = people.map(({ reviewer }) => reviewer);
    const { rows } = await ask<KeyRow>(this.pool, APPROVERS.keys, { tenant, reviewers });
    const keys = rows.filter(({ bound }) => fitsPolicy(told(bound), policy));
    return people.filter(({ reviewer, person }) =>
      keys.some((key) => key.principal === reviewer && key.person === person),
    );
  }
}

export function approvingOf(rows: readonly ApproverRow[], tenant: string, trust: Trust): Approving {
  const people: Approver[] = [];
  const excluded: Digest[] = [];
  for (const row of rows) {
    if (row.id === null) continue;
    const known = knownPerson(row, tenant, trust);
    if (row.isExcluded) {
      if (known === null) throw new Refusal('identity_uncertain');
      excluded.push(known.person);
    }
    const mayVote = row.isReviewer && row.enabled && row.config.identity_certain !== false;
    if (!mayVote || known === null || known.membership === null) continue;
    const { groups, team } = known.membership;
    people.push({ reviewer: row.id, person: known.person, forPerson: null, team, groups });
  }
  return { people, excluded };
}
