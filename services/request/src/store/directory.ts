import type pg from 'pg';
import {
  NOW,
  acrossTenantsWithin,
  batchStatement,
  commitBatch,
  inTransaction,
  jsonOf,
  keyed,
  lifecycleOf,
  placed,
  saveRecords,
  saveSecurityEvents,
} from '@countersign/database';
import type {
  MovedRequest,
  NewRecord,
  NewSecurityEvent,
  Pool,
  Principal,
  RequestRow,
} from '@countersign/database';
import type { ConfiguredBy, Lifecycle, PrincipalConfig, RouteConfig } from '@countersign/protocol';

export interface KnownPrincipal extends Principal {
  /** Of its newest bearer token. */
  readonly tokenDigest: string | null;
}

export interface KnownRoute {
  readonly revision: number;
  readonly config: RouteConfig;
  readonly configuredBy: ConfiguredBy;
}

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
}

type AffectedRow = RequestRow & {
  requester: string;
  summary: string;
  receipt_reviewer: string | null;
  profiles: Record<string, string>;
};

// Authority ends with the longest private retention that a route may set (9 days and an hour, protocol §9.1), so older
// requests have none left to lose and the scan stays short.
const RECENT = `> (SELECT clock_timestamp() - interval '10 days')`;
const WITH_AUTHORITY = `l.invalidated IS NULL AND l.decision IN ('pending', 'confirmed')
  AND (l.decision = 'pending' OR l.grant_state IN ('pending_anchor', 'available') OR l.execution IN ('claimed', 'admitted'))`;

/** Where the rows lie that `of` names, a condition on `x`, as far as they may have authority. */
const placesOf = (
  of: string,
) => `SELECT k.at FROM unnest(ARRAY['pending', 'confirmed']) AS d (decision)
  CROSS JOIN LATERAL (
    SELECT x.ctid AS at FROM lifecycle x WHERE x.tenant = $1 AND ${of} AND x.decision = d.decision AND x.decision <> ''
      AND x.accepted_at ${RECENT}
    ORDER BY x.accepted_at DESC, x.request_id OFFSET 0
  ) k`;

/** Those of the rows at `places` that have authority and that `whom`, a condition on all that is read of one, is about. */
function affectedSql(places: string, whom = 'true'): string {
  return `SELECT l.*, l.request_id, r.purpose, r.summary, ${jsonOf('r.canonical')} -> 'requester' ->> 'subject' AS requester,
    ${jsonOf('r.canonical')} -> 'profiles' AS profiles,
    ${jsonOf('p.record')} -> 'payload' ->> 'reviewer' AS receipt_reviewer
  FROM (${places}) k JOIN lifecycle l ON l.ctid = k.at
  ${keyed('request', 'r', 'x.id = l.request_id')} ${keyed('record', 'p', 'x.id = l.receipt_id')}
  WHERE ${WITH_AUTHORITY} AND ${whom} ORDER BY l.request_id`;
}

// Who asked is the person that the owner is bound to, or the owner itself (R1). The current binding is that of every
// request with authority: a change of it ends the rest.
const BOUND_TO = `SELECT $2 AS id UNION
  SELECT p.id FROM principal p WHERE p.tenant = $1 AND p.kind = 'producer' AND p.config ->> 'owner' = $2`;

const AFFECTED = {
  // A person may be bound to thousands of producers, and the tenant waits meanwhile: all of them in one statement.
  byOwners: affectedSql(
    `SELECT b.at FROM unnest($2::text[]) AS o (owner) CROSS JOIN LATERAL (${placesOf('x.owner = o.owner')}) b`,
  ),
  byRoute: affectedSql(placesOf('x.route = $2')),
  byReviewer: affectedSql(
    `SELECT DISTINCT l.at FROM (
      SELECT x.request_id FROM candidate x WHERE x.tenant = $1 AND x.reviewer = $2 AND x.reviewer <> ''
        AND x.created_at ${RECENT}
      ORDER BY x.created_at OFFSET 0
    ) c ${placed('lifecycle', 'l', 'x.request_id = c.request_id')}`,
    `${jsonOf('p.record')} -> 'payload' ->> 'reviewer' = $2`,
  ),
};

const INVALIDATE = batchStatement('request.invalidate', {
  moves: ['decision', 'grant_state', 'revision', 'invalidated'],
  whole: true,
});

/** The directory, and the effects of its changes, as one transaction sees them. */
export class DirectoryView {
  constructor(
    protected readonly client: pg.PoolClient,
    readonly tenant: string,
    readonly now: number,
    /** A change locks the rows that it reads; a preview blocks no call. */
    private readonly lock: '' | ' FOR UPDATE OF l' = '',
  ) {}

  async principal(id: string): Promise<KnownPrincipal | null> {
    const { rows } = await this.client.query(
      `SELECT p.id, p.kind, p.enabled, p.config, p.oidc_issuer AS issuer, p.oidc_subject AS subject,
         array_remove(ARRAY[c.id::text, c.former_id::text], NULL) AS credentials, c.digest AS "tokenDigest",
         p.configured_by AS "configuredBy"
       FROM principal p LEFT JOIN credential c ON c.tenant = p.tenant AND c.principal = p.id
       WHERE p.tenant = $1 AND p.id = $2`,
      [this.tenant, id],
    );
    return (rows[0] as KnownPrincipal | undefined) ?? null;
  }

  async route(id: string): Promise<KnownRoute | null> {
    const { rows } = await this.client.query(
      'SELECT revision, config, configured_by AS "configuredBy" FROM route WHERE tenant = $1 AND id = $2',
      [this.tenant, id],
    );
    return (rows[0] as KnownRoute | undefined) ?? null;
  }

  /** Whether a webhook secret of this principal is kept; which one, only the notifier can read. */
  async hasWebhookSecret(principal: string): Promise<boolean> {
    const { rowCount } = await this.client.query(
      'SELECT tenant FROM webhook_secret WHERE tenant = $1 AND principal = $2',
      [this.tenant, principal],
    );
    return rowCount !== 0;
  }

  /** Ids of this human in the tenant: one, or several of one issuer and subject. */
  async idsOfPerson({ id, issuer, subject }: Principal): Promise<string[]> {
    const { rows } = await this.client.query<{ id: string }>(
      `SELECT id FROM principal WHERE tenant = $1 AND kind = 'human' AND (id = $2 OR (oidc_issuer = $3 AND oidc_subject = $4))`,
      [this.tenant, id, issuer, subject],
    );
    return rows.map((row) => row.id);
  }

  /** Routes with separated duties that one of these reviewers is named by and this owner may use. */
  async separatedRoutes(reviewers: readonly string[], owner: string): Promise<string[]> {
    const { rows } = await this.client.query<{ id: string }>(
      `SELECT DISTINCT r.id FROM route_reviewer v JOIN route r ON r.tenant = v.tenant AND r.id = v.route
       WHERE v.tenant = $1 AND v.reviewer = ANY ($2::text[]) AND r.config -> 'separation_of_duties' = 'true'::jsonb
         AND r.config -> 'allowed_producers' ? $3 ORDER BY r.id`,
      [this.tenant, reviewers, owner],
    );
    return rows.map((row) => row.id);
  }

  affectedByOwner(owner: string): Promise<Affected[]> {
    return this.#affected(AFFECTED.byOwners, [owner]);
  }

  affectedByRoute(route: string): Promise<Affected[]> {
    return this.#affected(AFFECTED.byRoute, route);
  }

  /** Requests that this human asked for or confirmed. */
  async affectedByPerson(id: string): Promise<Affected[]> {
    const { rows: owners } = await this.client.query<{ id: string }>(BOUND_TO, [this.tenant, id]);
    const affected = [
      ...(await this.#affected(AFFECTED.byReviewer, id)),
      ...(await this.#affected(
        AFFECTED.byOwners,
        owners.map((owner) => owner.id),
      )),
    ];
    const byId = new Map(affected.map((request) => [request.id, request]));
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async #affected(text: string, of: string | readonly string[]): Promise<Affected[]> {
    const { rows } = await this.client.query<AffectedRow>(text + this.lock, [this.tenant, of]);
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
    }));
  }

  /** On how many pending requests of a route (null = of every one) these reviewers have something open. */
  async opened(
    reviewers: readonly string[],
    route: string | null,
  ): Promise<{ candidates: number; assignments: number }> {
    const open = (table: string, live: string) => `(SELECT count(*) FROM lifecycle l
      CROSS JOIN LATERAL (SELECT 1 FROM ${table} x WHERE x.tenant = $1 AND x.request_id = l.request_id
        AND x.reviewer = ANY ($2::text[]) AND ${live} LIMIT 1) k
      WHERE l.tenant = $1 AND l.decision = 'pending' AND ($3::text IS NULL OR l.route = $3))`;
    const { rows } = await this.client.query<{ candidates: number; assignments: number }>({
      name: 'request.opened',
      text: `SELECT ${open('candidate', 'x.live')} AS candidates,
        ${open('assignment', 'x.expires_at > (SELECT clock_timestamp())')} AS assignments`,
      values: [this.tenant, reviewers, route],
    });
    return rows[0] ?? { candidates: 0, assignments: 0 };
  }
}

/** One change of the directory: everything inside holds the tenant, so no transition commits beside it. */
export class DirectoryChange extends DirectoryView {
  constructor(client: pg.PoolClient, tenant: string, now: number) {
    super(client, tenant, now, ' FOR UPDATE OF l');
  }

  async savePrincipal(
    id: string,
    kind: string,
    config: PrincipalConfig,
    configuredBy: ConfiguredBy,
  ): Promise<void> {
    await this.client.query(
      `INSERT INTO principal (tenant, id, kind, enabled, config, oidc_issuer, oidc_subject, configured_by, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp())
       ON CONFLICT (tenant, id) DO UPDATE SET enabled = EXCLUDED.enabled, config = EXCLUDED.config,
         configured_by = EXCLUDED.configured_by, oidc_issuer = EXCLUDED.oidc_issuer, oidc_subject = EXCLUDED.oidc_subject, updated_at = EXCLUDED.updated_at`,
      [
        this.tenant,
        id,
        kind,
        config.enabled,
        JSON.stringify(config),
        config.oidc_issuer ?? null,
        config.oidc_subject ?? null,
        JSON.stringify(configuredBy),
      ],
    );
  }

  /**
   * The secret that signs this principal's webhooks from now on, or null; only the notifier can read it. Answers whether
   * there was a secret before.
   */
  async saveWebhookSecret(principal: string, secret: string | null): Promise<boolean> {
    const of = [this.tenant, principal];
    const { rowCount } = await this.client.query(
      'DELETE FROM webhook_secret WHERE tenant = $1 AND principal = $2',
      of,
    );
    const existed = rowCount !== 0;
    if (secret === null) return existed;
    await this.client.query(
      'INSERT INTO webhook_secret (tenant, principal, secret) VALUES ($1, $2, $3)',
      [...of, secret],
    );
    return existed;
  }

  /** False when the token already belongs to another principal of any tenant. */
  async saveCredential(principal: string, digest: string): Promise<boolean> {
    const { rows } = await acrossTenantsWithin(this.client, this.tenant, () =>
      this.client.query<{ tenant: string; principal: string }>(
        `SELECT tenant, principal FROM credential WHERE digest = $1
         UNION ALL SELECT tenant, principal FROM credential WHERE former_digest = $1`,
        [digest],
      ),
    );
    const holder = rows[0];
    if (holder !== undefined)
      return holder.tenant === this.tenant && holder.principal === principal;
    await this.client.query(
      `INSERT INTO credential (digest, tenant, principal, created_at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT (tenant, principal) DO UPDATE SET digest = EXCLUDED.digest, id = EXCLUDED.id,
         created_at = EXCLUDED.created_at`,
      [digest, this.tenant, principal],
    );
    return true;
  }

  /** False when there is no such principal. A session counts by when it began. */
  async endSessions(person: string): Promise<boolean> {
    const { rowCount } = await this.client.query(
      `UPDATE principal SET sessions_valid_from = clock_timestamp() WHERE tenant = $1 AND id = $2 AND kind = 'human'`,
      [this.tenant, person],
    );
    return rowCount === 1;
  }

  async saveRoute(
    id: string,
    revision: number,
    config: RouteConfig,
    configuredBy: ConfiguredBy,
  ): Promise<void> {
    await this.client.query(
      `INSERT INTO route (tenant, id, revision, config, configured_by, updated_at)
       VALUES ($1, $2, $3, $4, $5, clock_timestamp())
       ON CONFLICT (tenant, id) DO UPDATE SET revision = EXCLUDED.revision, config = EXCLUDED.config,
         configured_by = EXCLUDED.configured_by, updated_at = EXCLUDED.updated_at`,
      [this.tenant, id, revision, JSON.stringify(config), JSON.stringify(configuredBy)],
    );
    await this.client.query('DELETE FROM route_reviewer WHERE tenant = $1 AND route = $2', [
      this.tenant,
      id,
    ]);
    await this.client.query(
      `INSERT INTO route_reviewer (tenant, reviewer, route) SELECT DISTINCT $1, reviewer, $2 FROM unnest($3::text[]) AS reviewer`,
      [this.tenant, id, config.reviewers],
    );
  }

  /** Each from the version that was read, which this change holds. */
  async saveInvalidated(moved: readonly MovedRequest[]): Promise<void> {
    await commitBatch(this.client, INVALIDATE, this.tenant, moved);
  }

  /** Drops a removed reviewer's leases and unconfirmed candidates; `route` null = on every route. */
  async dropReviewer(reviewer: string, route: string | null): Promise<void> {
    const open = `l.tenant = $1 AND l.decision = 'pending' AND ($3::text IS NULL OR l.route = $3)`;
    const theirs = 'x.request_id = l.request_id AND x.reviewer = $2';
    await this.client.query(
      `DELETE FROM assignment USING lifecycle l ${placed('assignment', 'k', theirs)}
       WHERE ${open} AND assignment.ctid = k.at`,
      [this.tenant, reviewer, route],
    );
    await this.client.query(
      `UPDATE candidate SET live = false FROM lifecycle l ${placed('candidate', 'k', theirs)}
       WHERE ${open} AND candidate.ctid = k.at AND candidate.live`,
      [this.tenant, reviewer, route],
    );
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
  constructor(private readonly pool: Pool) {}

  /**
   * Runs one change under the tenant's lock and moves the directory revision: every decision made on the old directory
   * is then too late to commit.
   */
  change<T>(tenant: string, work: (change: DirectoryChange) => Promise<T>): Promise<T> {
    return inTransaction(this.pool.of(tenant), async (client) => {
      // Named columns: row locks ask for the privilege on them alone.
      await client.query('SELECT tenant FROM tenant WHERE tenant = $1 FOR UPDATE', [tenant]);
      const { rows } = await client.query<{ now: number }>(
        `UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1 RETURNING ${NOW} AS now`,
        [tenant],
      );
      const row = rows[0];
      if (row === undefined) throw new Error('the tenant is gone');
      return work(new DirectoryChange(client, tenant, row.now));
    });
  }

  /** Looks at the directory as it is at one moment. Postgres itself refuses any write. */
  async view<T>(tenant: string, work: (view: DirectoryView) => Promise<T>): Promise<T> {
    const client = await this.pool.of(tenant).connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { rows } = await client.query<{ now: number }>(`SELECT ${NOW} AS now`);
      return await work(new DirectoryView(client, tenant, rows[0]?.now ?? 0));
    } finally {
      await client.query('ROLLBACK').catch((lost: Error) => {
        broken = lost;
      });
      client.release(broken);
    }
  }
}
