import type pg from 'pg';
import {
  CLOCK,
  NOW,
  acrossTenants,
  acrossTenantsWithin,
  asked,
  batchStatement,
  commitBatch,
  databaseNow,
  endedOfRequestsValues,
  inTransaction,
  isShown,
  jsonOf,
  keyed,
  lifecycleOf,
  placed,
  saveRecords,
  saveSecurityEvents,
  statement,
  statements,
} from '@countersign/database';
import type {
  MovedRequest,
  NewRecord,
  NewSecurityEvent,
  Pool,
  Principal,
  RequestRow,
  Statement,
  Values,
} from '@countersign/database';
import type {
  ConfiguredBy,
  Lifecycle,
  MembershipConfigured,
  MembershipTerms,
  PrincipalConfig,
  Proposal,
  RouteConfig,
  RoutePolicy,
  RoutePolicyConfigured,
} from '@countersign/protocol';
import { Holds } from './holds.js';
import { Keys } from './keys.js';
import { CHANGE_VOTES, DIRECTORY_VOTES, RECENT } from './directory-votes.js';
import type { AffectedVotesRow, ChangedVotes, VoterRow } from './directory-votes.js';

/** Changes that may need a second operator (protocol §18.2). */
export type ProposedKind = 'policy' | 'membership';

export interface KnownPrincipal extends Principal {
  /** Of its newest bearer token. */
  readonly tokenDigest: string | null;
}

export interface KnownRoute {
  readonly revision: number;
  readonly config: RouteConfig;
  readonly configuredBy: ConfiguredBy;
  /** Null where the route never had one. */
  readonly policy: KnownPolicy | null;
}

export interface KnownPolicy {
  /** Of the route, when it was set. */
  readonly revision: number;
  /** Null once it was removed. */
  readonly policy: RoutePolicy | null;
  /** The operators who set it. */
  readonly by: readonly string[];
}

type RouteRow = Omit<KnownRoute, 'policy'> & {
  policy: RoutePolicy | null;
  policyRevision: number | null;
  policyBy: string[] | null;
};

/** A request that a change of the directory may take authority from. */
export interface Affected {
  readonly id: string;
  readonly owner: string;
  readonly route: string;
  readonly requester: string;
  readonly summary: string;
  /** Who confirmed it, or null. */
  readonly receiptReviewer: string | null;
  readonly profiles: Record<string, string>;
  readonly version: number;
  readonly lifecycle: Lifecycle;
  /** Whether several people decide it. */
  readonly isVotedOn: boolean;
}

type AffectedRow = RequestRow & {
  approvals_needed: number | null;
  requester: string;
  summary: string;
  receipt_reviewer: string | null;
  profiles: Record<string, string>;
};

/** How many candidates and assignments reviewers have on open requests. */
interface Opened {
  readonly candidates: number;
  readonly assignments: number;
}

const WITH_AUTHORITY = `${isShown('l')} AND l.invalidated IS NULL AND l.decision IN ('pending', 'confirmed')
  AND (l.decision = 'pending' OR l.grant_state IN ('pending_anchor', 'available') OR l.execution IN ('claimed', 'admitted'))`;

/** The ids of the requests that `of` names, a condition on `x`, as far as they may have authority. */
const idsOf = (
  of: string,
  decisions = ['pending', 'confirmed'],
) => `SELECT k.id FROM unnest(ARRAY[${decisions.map((each) => `'${each}'`).join(', ')}]) AS d (decision)
  CROSS JOIN LATERAL (
    SELECT x.request_id AS id FROM lifecycle x WHERE x.tenant = $1 AND ${of} AND x.decision = d.decision AND x.decision <> ''
      AND x.accepted_at ${RECENT}
    ORDER BY x.accepted_at DESC, x.request_id OFFSET 0
  ) k`;

/**
 * Those of the requests `ids` that have authority and that `whom`, a condition on all that is read of one, is about. They are
 * found by their keys: a row that another step moves while it is waited for lies elsewhere afterwards, and is the same request.
 * They are locked in the order of their ids, as all steps do that move several.
 */
function affectedSql(ids: string, whom = 'true'): string {
  return `SELECT l.*, l.request_id, r.purpose, r.summary, ${jsonOf('r.canonical')} -> 'requester' ->> 'subject' AS requester,
    ${jsonOf('r.canonical')} -> 'profiles' AS profiles,
    ${jsonOf('p.record')} -> 'payload' ->> 'reviewer' AS receipt_reviewer
  FROM (SELECT i.id FROM (${ids}) i ORDER BY i.id OFFSET 0) k
  CROSS JOIN LATERAL (SELECT x.* FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = k.id OFFSET 0) l
  ${keyed('request', 'r', 'x.id = l.request_id')} ${keyed('record', 'p', 'x.id = l.receipt_id')}
  WHERE ${WITH_AUTHORITY} AND ${whom} ORDER BY l.request_id`;
}

/** A read that only looks, and one that holds the requests that it finds. */
const affected = (name: string, text: string) => ({
  looked: statement(`request.${name}`, text),
  held: statement(`request.${name}-held`, `${text} FOR UPDATE OF l`),
});

// Pending requests of the routes that a person reviews with others, whose seats the person could fill.
const IN_GROUPS_OF = `SELECT b.id FROM route_reviewer v
  JOIN route_policy p ON p.tenant = v.tenant AND p.route = v.route AND p.policy IS NOT NULL
  CROSS JOIN LATERAL (${idsOf('x.route = v.route', ['pending'])}) b WHERE v.tenant = $1 AND v.reviewer = :of`;

/**
 * What a change of the directory may take authority from: by owner, by route, and by the person who confirmed it, voted for it
 * or may yet vote.
 */
export const AFFECTED = {
  // A person may be bound to thousands of producers, and the tenant waits meanwhile: all of them in one statement.
  byOwners: affected(
    'affected-by-owners',
    affectedSql(
      `SELECT b.id FROM unnest(:of::text[]) AS o (owner) CROSS JOIN LATERAL (${idsOf('x.owner = o.owner')}) b`,
    ),
  ),
  byRoute: affected('affected-by-route', affectedSql(idsOf('x.route = :of'))),
  byCredential: affected(
    'affected-by-credential',
    affectedSql(
      `SELECT DISTINCT a.id FROM (
      SELECT x.request_id AS id FROM approval x WHERE x.tenant = $1 AND x.credential = :of AND x.credential IS NOT NULL
        AND x.approved_at ${RECENT}
      ORDER BY x.approved_at OFFSET 0
    ) a`,
    ),
  ),
  byReviewer: affected(
    'affected-by-reviewer',
    affectedSql(
      `SELECT DISTINCT c.id FROM (
      SELECT x.request_id AS id FROM candidate x WHERE x.tenant = $1 AND x.reviewer = :of AND x.reviewer <> ''
        AND x.created_at ${RECENT}
      ORDER BY x.created_at OFFSET 0
    ) c
    UNION SELECT a.request_id FROM approval a WHERE a.tenant = $1 AND a.reviewer = :of AND a.reviewer <> ''
      AND a.approved_at ${RECENT}
    UNION ${IN_GROUPS_OF}`,
      `(l.approvals_needed IS NOT NULL OR ${jsonOf('p.record')} -> 'payload' ->> 'reviewer' = :of)`,
    ),
  ),
} as const;

export const INVALIDATE = batchStatement('request.invalidate', {
  moves: ['decision', 'grant_state', 'revision', 'invalidated'],
  whole: true,
});

const OPEN_ON_ROUTE = `l.tenant = $1 AND l.decision = 'pending' AND (:route::text IS NULL OR l.route = :route)`;

const openIn = (table: string, live: string) => `(SELECT count(*) FROM lifecycle l
  CROSS JOIN LATERAL (SELECT 1 FROM ${table} x WHERE x.tenant = $1 AND x.request_id = l.request_id
    AND x.reviewer = ANY (:reviewers::text[]) AND ${live} LIMIT 1) k
  WHERE ${OPEN_ON_ROUTE})`;

const THEIRS = 'x.request_id = l.request_id AND x.reviewer = :reviewer';

export const DIRECTORY = statements('request', {
  // Who asked is the person that the owner is bound to, or the owner itself (R1). The current binding is that of every
  // request with authority: a change of it ends the rest.
  boundTo: `SELECT :id AS id UNION
  SELECT p.id FROM principal p WHERE p.tenant = $1 AND p.kind = 'producer' AND p.config ->> 'owner' = :id`,
  principal: `SELECT p.id, p.kind, p.enabled, p.config, p.oidc_issuer AS issuer, p.oidc_subject AS subject,
    array_remove(ARRAY[c.id::text, c.former_id::text], NULL) AS credentials, c.digest AS "tokenDigest",
    p.configured_by AS "configuredBy"
  FROM principal p LEFT JOIN credential c ON c.tenant = p.tenant AND c.principal = p.id
  WHERE p.tenant = $1 AND p.id = :id`,
  route: `SELECT r.revision, r.config, r.configured_by AS "configuredBy", p.policy, p.revision AS "policyRevision",
    p.configured_by AS "policyBy"
  FROM route r LEFT JOIN route_policy p ON p.tenant = r.tenant AND p.route = r.id WHERE r.tenant = $1 AND r.id = :id`,
  membership: 'SELECT record FROM membership WHERE tenant = $1 AND principal = :principal',
  isNamedAsPerson:
    'SELECT tenant FROM membership WHERE tenant = $1 AND same_person_as = :principal LIMIT 1',
  guardedGroups: `SELECT DISTINCT seat ->> 'group' AS name FROM route_policy p
  CROSS JOIN LATERAL jsonb_array_elements(p.policy -> 'quorum' -> 'stages') AS stage
  CROSS JOIN LATERAL jsonb_array_elements(stage -> 'seats') AS seat
  WHERE p.tenant = $1 AND p.policy -> 'quorum' -> 'guard' = 'true'::jsonb`,
  groupSizes: `SELECT name, count(*)::integer AS members FROM membership m CROSS JOIN LATERAL unnest(m.groups) AS name
  WHERE m.tenant = $1 AND m.principal <> :principal GROUP BY name`,
  proposal: `SELECT digest, by_principal AS by, by_person AS person, floor(extract(epoch FROM at) * 1000)::float8 AS at
  FROM proposed_change WHERE tenant = $1 AND kind = :kind AND id = :id`,
  hasWebhookSecret:
    'SELECT tenant FROM webhook_secret WHERE tenant = $1 AND principal = :principal',
  idsOfPerson: `SELECT id FROM principal WHERE tenant = $1 AND kind = 'human'
    AND (id = :id OR (oidc_issuer = :issuer AND oidc_subject = :subject))`,
  separatedRoutes: `SELECT DISTINCT r.id FROM route_reviewer v JOIN route r ON r.tenant = v.tenant AND r.id = v.route
  WHERE v.tenant = $1 AND v.reviewer = ANY (:reviewers::text[]) AND r.config -> 'separation_of_duties' = 'true'::jsonb
    AND r.config -> 'allowed_producers' ? :owner ORDER BY r.id`,
  opened: `SELECT ${openIn('candidate', 'x.live')} AS candidates,
    ${openIn('assignment', `x.expires_at > ${CLOCK}`)} AS assignments`,
  savePrincipal: `INSERT INTO principal (tenant, id, kind, enabled, config, oidc_issuer, oidc_subject, configured_by, updated_at)
  VALUES ($1, :id, :kind, :enabled, :config, :issuer, :subject, :configured_by, clock_timestamp())
  ON CONFLICT (tenant, id) DO UPDATE SET enabled = EXCLUDED.enabled, config = EXCLUDED.config,
    configured_by = EXCLUDED.configured_by, oidc_issuer = EXCLUDED.oidc_issuer, oidc_subject = EXCLUDED.oidc_subject, updated_at = EXCLUDED.updated_at`,
  dropWebhookSecret: 'DELETE FROM webhook_secret WHERE tenant = $1 AND principal = :principal',
  saveWebhookSecret:
    'INSERT INTO webhook_secret (tenant, principal, secret) VALUES ($1, :principal, :secret)',
  holderOfToken: acrossTenants(`SELECT tenant, principal FROM credential WHERE digest = :digest
  UNION ALL SELECT tenant, principal FROM credential WHERE former_digest = :digest`),
  saveCredential: `INSERT INTO credential (digest, tenant, principal, created_at) VALUES (:digest, $1, :principal, clock_timestamp())
  ON CONFLICT (tenant, principal) DO UPDATE SET digest = EXCLUDED.digest, id = EXCLUDED.id,
    created_at = EXCLUDED.created_at`,
  endSessions: `UPDATE principal SET sessions_valid_from = clock_timestamp() WHERE tenant = $1 AND id = :id AND kind = 'human'`,
  saveRoute: `INSERT INTO route (tenant, id, revision, config, configured_by, updated_at)
  VALUES ($1, :id, :revision, :config, :configured_by, clock_timestamp())
  ON CONFLICT (tenant, id) DO UPDATE SET revision = EXCLUDED.revision, config = EXCLUDED.config,
    configured_by = EXCLUDED.configured_by, updated_at = EXCLUDED.updated_at`,
  moveRoute: `UPDATE route SET revision = :revision, configured_by = :configured_by, updated_at = clock_timestamp()
  WHERE tenant = $1 AND id = :id`,
  savePolicy: `INSERT INTO route_policy (tenant, route, revision, policy, digest, configured_by, updated_at)
  VALUES ($1, :id, :revision, :policy, :digest, :by, clock_timestamp())
  ON CONFLICT (tenant, route) DO UPDATE SET revision = EXCLUDED.revision, policy = EXCLUDED.policy, digest = EXCLUDED.digest,
    configured_by = EXCLUDED.configured_by, updated_at = EXCLUDED.updated_at`,
  saveMembership: `INSERT INTO membership (tenant, principal, person, groups, team, same_person_as, revision, record_id, record)
  VALUES ($1, :principal, :person, :groups, :team, :same_person_as, :revision, :record_id::uuid, :record)
  ON CONFLICT (tenant, principal) DO UPDATE SET person = EXCLUDED.person, groups = EXCLUDED.groups, team = EXCLUDED.team,
    same_person_as = EXCLUDED.same_person_as, revision = EXCLUDED.revision, record_id = EXCLUDED.record_id, record = EXCLUDED.record`,
  saveProposal: `INSERT INTO proposed_change (tenant, kind, id, digest, body, by_principal, by_person, at)
  VALUES ($1, :kind, :id, :digest, :body, :by, :person, :at)
  ON CONFLICT (tenant, kind, id) DO UPDATE SET digest = EXCLUDED.digest, body = EXCLUDED.body,
    by_principal = EXCLUDED.by_principal, by_person = EXCLUDED.by_person, at = EXCLUDED.at`,
  dropProposal: 'DELETE FROM proposed_change WHERE tenant = $1 AND kind = :kind AND id = :id',
  dropReviewers: 'DELETE FROM route_reviewer WHERE tenant = $1 AND route = :id',
  saveReviewers: `INSERT INTO route_reviewer (tenant, reviewer, route) SELECT DISTINCT $1, reviewer, :id FROM unnest(:reviewers::text[]) AS reviewer`,
  dropAssignments: `DELETE FROM assignment USING lifecycle l ${placed('assignment', 'k', THEIRS)}
  WHERE ${OPEN_ON_ROUTE} AND assignment.ctid = k.at`,
  dropCandidates: `UPDATE candidate SET live = false FROM lifecycle l ${placed('candidate', 'k', THEIRS)}
  WHERE ${OPEN_ON_ROUTE} AND candidate.ctid = k.at AND candidate.live`,
  // A change of the directory waits for it, and it for a change.
  holdDirectory: 'SELECT tenant FROM tenant WHERE tenant = $1 FOR KEY SHARE',
  holdPrincipal: 'SELECT id FROM principal WHERE tenant = $1 AND id = :id FOR NO KEY UPDATE',
  // Named columns: row locks ask for the privilege on them alone.
  holdTenant: 'SELECT tenant FROM tenant WHERE tenant = $1 FOR UPDATE',
  moveDirectory: `UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1 RETURNING ${NOW} AS now`,
});

/** The directory, and the effects of its changes, as one transaction sees them. */
export class DirectoryView {
  constructor(
    protected readonly client: pg.PoolClient,
    readonly tenant: string,
    readonly now: number,
    /** A change locks the rows that it reads; a preview blocks no call. */
    private readonly how: 'looked' | 'held' = 'looked',
  ) {}

  /** Keys of people. */
  get keys(): Keys {
    return new Keys(this.client, this.tenant);
  }

  get holds(): Holds {
    return new Holds(this.client, this.tenant);
  }

  protected ask<Row extends object>(statement: Statement, values: Values) {
    return this.client.query<Row>(asked(statement, { tenant: this.tenant, ...values }));
  }

  async principal(id: string): Promise<KnownPrincipal | null> {
    const { rows } = await this.ask<KnownPrincipal>(DIRECTORY.principal, { id });
    return rows[0] ?? null;
  }

  async route(id: string): Promise<KnownRoute | null> {
    const { rows } = await this.ask<RouteRow>(DIRECTORY.route, { id });
    if (rows[0] === undefined) return null;
    const { policy, policyRevision: revision, policyBy, ...route } = rows[0];
    return {
      ...route,
      policy: revision === null ? null : { revision, policy, by: policyBy ?? [] },
    };
  }

  /** The signed text of the membership in force, or null. */
  async membership(principal: string): Promise<string | null> {
    const { rows } = await this.ask<{ record: string }>(DIRECTORY.membership, { principal });
    return rows[0]?.record ?? null;
  }

  /** Whether a membership says of another principal that it is the same person as this one. */
  async isNamedAsPerson(principal: string): Promise<boolean> {
    const { rows } = await this.ask(DIRECTORY.isNamedAsPerson, { principal });
    return rows.length > 0;
  }

  /** The groups that guarded policies have seats for. */
  async guardedGroups(): Promise<Set<string>> {
    const { rows } = await this.ask<{ name: string }>(DIRECTORY.guardedGroups, {});
    return new Set(rows.map(({ name }) => name));
  }

  /** How many members each group has beside this principal. */
  async groupSizes(principal: string): Promise<Map<string, number>> {
    const { rows } = await this.ask<{ name: string; members: number }>(DIRECTORY.groupSizes, {
      principal,
    });
    return new Map(rows.map(({ name, members }) => [name, members]));
  }

  async proposal(kind: ProposedKind, id: string): Promise<Proposal | null> {
    const { rows } = await this.ask<Proposal>(DIRECTORY.proposal, { kind, id });
    return rows[0] ?? null;
  }

  /** Whether a webhook secret of this principal is kept; which one, only the notifier can read. */
  async hasWebhookSecret(principal: string): Promise<boolean> {
    const { rows } = await this.ask(DIRECTORY.hasWebhookSecret, { principal });
    return rows.length > 0;
  }

  /** Ids of this human in the tenant: one, or several of one issuer and subject. */
  async idsOfPerson({ id, issuer, subject }: Principal): Promise<string[]> {
    const { rows } = await this.ask<{ id: string }>(DIRECTORY.idsOfPerson, { id, issuer, subject });
    return rows.map((row) => row.id);
  }

  /** Routes with separated duties that one of these reviewers is named by and this owner may use. */
  async separatedRoutes(reviewers: readonly string[], owner: string): Promise<string[]> {
    const { rows } = await this.ask<{ id: string }>(DIRECTORY.separatedRoutes, {
      reviewers,
      owner,
    });
    return rows.map((row) => row.id);
  }

  affectedByOwner(owner: string): Promise<Affected[]> {
    return this.#affected('byOwners', [owner]);
  }

  affectedByRoute(route: string): Promise<Affected[]> {
    return this.#affected('byRoute', route);
  }

  /** Requests that somebody voted on with this key of a person. */
  affectedByCredential(id: string): Promise<Affected[]> {
    return this.#affected('byCredential', id);
  }

  /** Requests that this human confirmed, and those of several people that the human voted for or may vote for. */
  affectedByReviewer(id: string): Promise<Affected[]> {
    return this.#affected('byReviewer', id);
  }

  /** The same, and requests that this human asked for. */
  async affectedByPerson(id: string): Promise<Affected[]> {
    const { rows: owners } = await this.ask<{ id: string }>(DIRECTORY.boundTo, { id });
    const affected = [
      ...(await this.affectedByReviewer(id)),
      ...(await this.#affected(
        'byOwners',
        owners.map((owner) => owner.id),
      )),
    ];
    const byId = new Map(affected.map((request) => [request.id, request]));
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #affected(by: keyof typeof AFFECTED, of: string | readonly string[]): Promise<Affected[]> {
    const { rows } = await this.ask<AffectedRow>(AFFECTED[by][this.how], { of });
    return rows.map((row) => ({
      id: row.request_id as string,
      owner: row.owner,
      route: row.route,
      requester: row.requester,
      summary: row.summary,
      receiptReviewer: row.receipt_reviewer,
      profiles: row.profiles,
      version: row.version,
      lifecycle: lifecycleOf(row),
      isVotedOn: row.approvals_needed !== null,
    }));
  }

  /** The votes of these requests. Candidates of the `removed` go with this change. */
  async votesOf(ids: readonly string[], removed: readonly string[]): Promise<AffectedVotesRow[]> {
    const { rows } = await this.ask<AffectedVotesRow>(DIRECTORY_VOTES.affectedVotes, {
      ids,
      removed,
    });
    return rows;
  }

  /** Record digests of the votes with this key that have not ended. */
  async votesByCredential(credential: string): Promise<Set<string>> {
    const { rows } = await this.ask<{ digest: string }>(DIRECTORY_VOTES.votesByCredential, {
      credential,
    });
    return new Set(rows.map(({ digest }) => digest));
  }

  /** The reviewers of these routes, and the people with these ids. */
  async voters(routes: readonly string[], givers: readonly string[]): Promise<VoterRow[]> {
    const { rows } = await this.ask<VoterRow>(DIRECTORY_VOTES.voters, { routes, givers });
    return rows;
  }

  /** On how many pending requests of a route (null = of every one) these reviewers have something open. */
  async opened(reviewers: readonly string[], route: string | null): Promise<Opened> {
    const { rows } = await this.ask<Opened>(DIRECTORY.opened, { reviewers, route });
    return rows[0] ?? { candidates: 0, assignments: 0 };
  }
}

/** One change of the directory: everything inside holds the tenant, so no transition commits beside it. */
export class DirectoryChange extends DirectoryView {
  /** The reason of each vote that it ended. */
  readonly endings: string[] = [];

  constructor(client: pg.PoolClient, tenant: string, now: number) {
    super(client, tenant, now, 'held');
  }

  async savePrincipal(
    id: string,
    kind: string,
    config: PrincipalConfig,
    configuredBy: ConfiguredBy,
  ): Promise<void> {
    await this.ask(DIRECTORY.savePrincipal, {
      ...{ id, kind, enabled: config.enabled, config: JSON.stringify(config) },
      issuer: config.oidc_issuer ?? null,
      subject: config.oidc_subject ?? null,
      configured_by: JSON.stringify(configuredBy),
    });
  }

  /**
   * The secret that signs this principal's webhooks from now on, or null; only the notifier can read it. Answers whether
   * there was a secret before.
   */
  async saveWebhookSecret(principal: string, secret: string | null): Promise<boolean> {
    const { rowCount } = await this.ask(DIRECTORY.dropWebhookSecret, { principal });
    if (secret !== null) await this.ask(DIRECTORY.saveWebhookSecret, { principal, secret });
    return rowCount !== 0;
  }

  /** False when the token already belongs to another principal of any tenant. */
  async saveCredential(principal: string, digest: string): Promise<boolean> {
    const { rows } = await acrossTenantsWithin(this.client, this.tenant, () =>
      this.client.query<{ tenant: string; principal: string }>(
        asked(DIRECTORY.holderOfToken, { digest }),
      ),
    );
    const holder = rows[0];
    if (holder !== undefined)
      return holder.tenant === this.tenant && holder.principal === principal;
    await this.ask(DIRECTORY.saveCredential, { principal, digest });
    return true;
  }

  /** False when there is no such principal. A session counts by when it began. */
  async endSessions(person: string): Promise<boolean> {
    const { rowCount } = await this.ask(DIRECTORY.endSessions, { id: person });
    return rowCount === 1;
  }

  async saveRoute(
    id: string,
    revision: number,
    config: RouteConfig,
    configuredBy: ConfiguredBy,
  ): Promise<void> {
    const texts = { config: JSON.stringify(config), configured_by: JSON.stringify(configuredBy) };
    await this.ask(DIRECTORY.saveRoute, { id, revision, ...texts });
    await this.ask(DIRECTORY.dropReviewers, { id });
    await this.ask(DIRECTORY.saveReviewers, { id, reviewers: config.reviewers });
  }

  /** The policy of a route that exists, whose revision it moves. */
  async savePolicy(
    id: string,
    { revision, policy, policy_digest, configured_by }: RoutePolicyConfigured,
    configuredBy: ConfiguredBy,
  ): Promise<void> {
    await this.ask(DIRECTORY.moveRoute, {
      ...{ id, revision, configured_by: JSON.stringify(configuredBy) },
    });
    await this.ask(DIRECTORY.savePolicy, {
      ...{ id, revision, digest: policy_digest, by: configured_by },
      policy: policy === null ? null : JSON.stringify(policy),
    });
  }

  /** With the record of the membership, whose text decides. */
  async saveMembership(membership: MembershipConfigured, record: NewRecord): Promise<void> {
    const { principal, person, groups, team, same_person_as, revision } = membership;
    await this.ask(DIRECTORY.saveMembership, {
      ...{ principal, person, groups, team, same_person_as, revision },
      ...{ record_id: record.id, record: record.text },
    });
  }

  /** In the place of an earlier one. */
  async saveProposal(
    kind: ProposedKind,
    id: string,
    { digest, by, person, at }: Proposal,
    body: RoutePolicy | MembershipTerms | null,
  ): Promise<void> {
    await this.ask(DIRECTORY.saveProposal, {
      ...{ kind, id, digest, by, person, at: new Date(at), body: JSON.stringify(body) },
    });
  }

  async dropProposal(kind: ProposedKind, id: string): Promise<void> {
    await this.ask(DIRECTORY.dropProposal, { kind, id });
  }

  /** Each from the version that was read, which this change holds. */
  async saveInvalidated(moved: readonly MovedRequest[]): Promise<void> {
    await commitBatch(this.client, INVALIDATE, this.tenant, moved);
  }

  /** As {@link saveInvalidated}, of requests whose votes it changes. */
  async saveVotes(changed: readonly ChangedVotes[]): Promise<void> {
    this.endings.push(...changed.flatMap(({ ended }) => ended.map(({ reason }) => reason)));
    await commitBatch(this.client, CHANGE_VOTES, this.tenant, changed, {
      ...endedOfRequestsValues(changed, this.now),
      unreachable: changed.filter((each) => each.becomesUnreachable).map(({ id }) => id),
    });
  }

  /** Drops a removed reviewer's leases and unconfirmed candidates; `route` null = on every route. */
  async dropReviewer(reviewer: string, route: string | null): Promise<void> {
    await this.ask(DIRECTORY.dropAssignments, { reviewer, route });
    await this.ask(DIRECTORY.dropCandidates, { reviewer, route });
  }

  /** For the security log: committed with the change or not at all. */
  async saveSecurityEvent(event: Omit<NewSecurityEvent, 'tenant'>): Promise<void> {
    await saveSecurityEvents(this.client, [{ ...event, tenant: this.tenant }]);
  }

  /** The record of the change itself, behind those of the requests that it touched (protocol §4.1). */
  async saveRecord(record: NewRecord): Promise<void> {
    await saveRecords(this.client, this.tenant, [{ requestId: null, record }]);
  }
}

export class DirectoryStore {
  constructor(
    private readonly pool: Pool,
    private readonly votes: { ended(reason: string): void },
  ) {}

  /**
   * Runs one change under the tenant's lock and moves the directory revision: every decision made on the old directory
   * is then too late to commit.
   */
  async change<T>(tenant: string, work: (change: DirectoryChange) => Promise<T>): Promise<T> {
    const { result, endings } = await inTransaction(this.pool.of(tenant), async (client) => {
      await client.query(asked(DIRECTORY.holdTenant, { tenant }));
      const { rows } = await client.query<{ now: number }>(
        asked(DIRECTORY.moveDirectory, { tenant }),
      );
      const row = rows[0];
      if (row === undefined) throw new Error('the tenant is gone');
      const change = new DirectoryChange(client, tenant, row.now);
      return { result: await work(change), endings: change.endings };
    });
    for (const reason of endings) this.votes.ended(reason);
    return result;
  }

  /**
   * Runs work on what is the principal's own, which moves nothing of the directory: no change of the directory commits beside
   * it, nor other such work of the principal.
   */
  async beside<T>(
    { tenant, id }: { readonly tenant: string; readonly id: string },
    work: (own: DirectoryChange) => Promise<T>,
  ): Promise<T> {
    return inTransaction(this.pool.of(tenant), async (client) => {
      await client.query(asked(DIRECTORY.holdDirectory, { tenant }));
      await client.query(asked(DIRECTORY.holdPrincipal, { tenant, id }));
      return work(new DirectoryChange(client, tenant, await databaseNow(client)));
    });
  }

  /** Looks at the directory as it is at one moment. Postgres itself refuses any write. */
  async view<T>(tenant: string, work: (view: DirectoryView) => Promise<T>): Promise<T> {
    const client = await this.pool.of(tenant).connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await work(new DirectoryView(client, tenant, await databaseNow(client)));
    } finally {
      await client.query('ROLLBACK').catch((lost: Error) => {
        broken = lost;
      });
      client.release(broken);
    }
  }
}
