import type pg from 'pg';
import { lifecycleOf, recordValues } from '@countersign/database';
import type { NewRecord, Principal, RequestRow } from '@countersign/database';
import type { Lifecycle, PrincipalConfig, RouteConfig } from '@countersign/protocol';

/** A request that a change of the directory may take authority from. */
export interface Affected {
  readonly id: string;
  readonly owner: string;
  readonly route: string;
  readonly requester: string;
  /** Who confirmed it, or null. */
  readonly receiptReviewer: string | null;
  readonly profiles: Record<string, string>;
  readonly lifecycle: Lifecycle;
}

type AffectedRow = RequestRow & {
  requester: string;
  receipt_reviewer: string | null;
  profiles: Record<string, string>;
};

// Authority ends with the longest private retention that a route may set (9 days and an hour, contract §9.1), so older
// requests have none left to lose and the scan stays short.
const WITH_AUTHORITY = `l.accepted_at > clock_timestamp() - interval '10 days' AND l.invalidated IS NULL
  AND l.decision IN ('pending', 'confirmed')
  AND (l.decision = 'pending' OR l.grant_state IN ('pending_anchor', 'available') OR l.execution IN ('claimed', 'admitted'))`;

const AFFECTED = `SELECT l.*, l.request_id, r.purpose, r.canonical::jsonb -> 'requester' ->> 'subject' AS requester,
    r.canonical::jsonb -> 'profiles' AS profiles,
    p.record::jsonb -> 'payload' ->> 'reviewer' AS receipt_reviewer
  FROM lifecycle l
  JOIN request r ON r.tenant = l.tenant AND r.id = l.request_id
  LEFT JOIN record p ON p.tenant = l.tenant AND p.id = l.receipt_id
  WHERE l.tenant = $1 AND ${WITH_AUTHORITY}`;

/** One change of the directory: everything inside holds the tenant, so no transition commits beside it. */
export class DirectoryChange {
  constructor(
    private readonly client: pg.PoolClient,
    readonly tenant: string,
    readonly now: number,
    readonly revision: number,
  ) {}

  async principal(id: string): Promise<Principal | null> {
    const { rows } = await this.client.query(
      `SELECT p.id, p.kind, p.enabled, p.config, p.oidc_issuer AS issuer, p.oidc_subject AS subject, c.digest AS credential
       FROM principal p LEFT JOIN credential c ON c.tenant = p.tenant AND c.principal = p.id
       WHERE p.tenant = $1 AND p.id = $2`,
      [this.tenant, id],
    );
    return (rows[0] as Principal | undefined) ?? null;
  }

  async route(id: string): Promise<{ revision: number; config: RouteConfig } | null> {
    const { rows } = await this.client.query(
      'SELECT revision, config FROM route WHERE tenant = $1 AND id = $2',
      [this.tenant, id],
    );
    return (rows[0] as { revision: number; config: RouteConfig } | undefined) ?? null;
  }

  async savePrincipal(id: string, kind: string, config: PrincipalConfig): Promise<void> {
    await this.client.query(
      `INSERT INTO principal (tenant, id, kind, enabled, config, oidc_issuer, oidc_subject, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())
       ON CONFLICT (tenant, id) DO UPDATE SET enabled = EXCLUDED.enabled, config = EXCLUDED.config,
         oidc_issuer = EXCLUDED.oidc_issuer, oidc_subject = EXCLUDED.oidc_subject, updated_at = EXCLUDED.updated_at`,
      [
        this.tenant,
        id,
        kind,
        config.enabled,
        JSON.stringify(config),
        config.oidc_issuer ?? null,
        config.oidc_subject ?? null,
      ],
    );
  }

  /** False when the token already belongs to another principal of any tenant. */
  async saveCredential(principal: string, digest: string): Promise<boolean> {
    const { rows } = await this.client.query<{ tenant: string; principal: string }>(
      'SELECT tenant, principal FROM credential WHERE digest = $1',
      [digest],
    );
    const holder = rows[0];
    if (holder !== undefined)
      return holder.tenant === this.tenant && holder.principal === principal;
    await this.client.query(
      `INSERT INTO credential (digest, tenant, principal, created_at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT (tenant, principal) DO UPDATE SET digest = EXCLUDED.digest, created_at = EXCLUDED.created_at`,
      [digest, this.tenant, principal],
    );
    return true;
  }

  async saveRoute(id: string, revision: number, config: RouteConfig): Promise<void> {
    await this.client.query(
      `INSERT INTO route (tenant, id, revision, config, updated_at) VALUES ($1, $2, $3, $4, clock_timestamp())
       ON CONFLICT (tenant, id) DO UPDATE SET revision = EXCLUDED.revision, config = EXCLUDED.config,
         updated_at = EXCLUDED.updated_at`,
      [this.tenant, id, revision, JSON.stringify(config)],
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

  affectedByOwner(owner: string): Promise<Affected[]> {
    return this.#affected('AND l.owner = $2', [owner]);
  }

  affectedByRoute(route: string): Promise<Affected[]> {
    return this.#affected('AND l.route = $2', [route]);
  }

  /** Requests that this human asked for or confirmed. */
  affectedByPerson(id: string): Promise<Affected[]> {
    return this.#affected(
      `AND (r.canonical::jsonb -> 'requester' ->> 'subject' = $2 OR p.record::jsonb -> 'payload' ->> 'reviewer' = $2)`,
      [id],
    );
  }

  async #affected(condition: string, values: unknown[]): Promise<Affected[]> {
    const { rows } = await this.client.query<AffectedRow>(
      `${AFFECTED} ${condition} ORDER BY l.request_id FOR UPDATE OF l`,
      [this.tenant, ...values],
    );
    return rows.map((row) => ({
      id: row.request_id as string,
      owner: row.owner,
      route: row.route,
      requester: row.requester,
      receiptReviewer: row.receipt_reviewer,
      profiles: row.profiles,
      lifecycle: lifecycleOf(row),
    }));
  }

  async saveInvalidated(changes: readonly { id: string; next: Lifecycle }[]): Promise<void> {
    await this.client.query(
      `UPDATE lifecycle l SET version = l.version + 1, decision = x.decision, grant_state = x.grant_state,
         revision = x.revision, invalidated = x.invalidated
       FROM unnest($2::uuid[], $3::text[], $4::text[], $5::integer[], $6::text[])
         AS x (id, decision, grant_state, revision, invalidated)
       WHERE l.tenant = $1 AND l.request_id = x.id`,
      [
        this.tenant,
        changes.map((change) => change.id),
        changes.map((change) => change.next.decision),
        changes.map((change) => change.next.grant),
        changes.map((change) => change.next.revision),
        changes.map((change) => change.next.invalidated),
      ],
    );
  }

  /** Drops a removed reviewer's leases and unconfirmed candidates; `route` null = on every route. */
  async dropReviewer(reviewer: string, route: string | null): Promise<void> {
    const open = `(SELECT l.request_id FROM lifecycle l WHERE l.tenant = $1 AND l.decision = 'pending'
      AND ($3::text IS NULL OR l.route = $3))`;
    await this.client.query(
      `DELETE FROM assignment WHERE tenant = $1 AND reviewer = $2 AND request_id IN ${open}`,
      [this.tenant, reviewer, route],
    );
    await this.client.query(
      `UPDATE candidate SET live = false WHERE tenant = $1 AND reviewer = $2 AND live AND request_id IN ${open}`,
      [this.tenant, reviewer, route],
    );
  }

  /** Signed records in the order given, each with the request that it is about or null. */
  async saveRecords(
    records: readonly NewRecord[],
    requests: readonly (string | null)[],
  ): Promise<void> {
    const values = [this.tenant, requests, ...recordValues(records)];
    await this.client.query(
      `INSERT INTO record (tenant, id, request_id, type, digest, issued_at, record)
       SELECT $1, x.id, x.request_id, x.type, x.digest, x.issued_at, x.record
       FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
         AS x (request_id, id, type, digest, issued_at, record, audience)`,
      values,
    );
    await this.client.query(
      `INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
       SELECT $1, x.id, x.request_id, x.type, x.digest, x.audience
       FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::text[])
         WITH ORDINALITY AS x (request_id, id, type, digest, issued_at, record, audience, place) ORDER BY x.place`,
      values,
    );
  }
}

export class DirectoryStore {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * Runs one change under the tenant's lock and moves the directory revision: every decision made on the old directory
   * is then too late to commit.
   */
  async change<T>(tenant: string, work: (change: DirectoryChange) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      // Named columns: row locks ask for the privilege on them alone.
      await client.query('SELECT tenant FROM tenant WHERE tenant = $1 FOR UPDATE', [tenant]);
      const { rows } = await client.query<{ revision: number; now: number }>(
        `UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1
         RETURNING directory_revision AS revision, floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
        [tenant],
      );
      const row = rows[0];
      if (row === undefined) throw new Error('the tenant is gone');
      const result = await work(new DirectoryChange(client, tenant, row.now, row.revision));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((lost: Error) => {
        broken = lost;
      });
      throw error;
    } finally {
      client.release(broken);
    }
  }
}
