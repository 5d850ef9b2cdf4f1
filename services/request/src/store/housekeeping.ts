import { inTransaction, openIncident } from '@countersign/database';
import type { Pool, ScopedPool } from '@countersign/database';

/** The tenant of rows that belong to none: logins, bodies in transit. */
export const NO_TENANT = '';

/** How old things may get, in milliseconds. */
export interface Ages {
  /** Texts of the ledger, jobs and stored answers. */
  readonly kept: number;
  /** HTML that no retained material needs. */
  readonly unusedBundle: number;
  /** Bodies that no receiver took. */
  readonly parcel: number;
  /** Which trace a record belongs to. */
  readonly trace: number;
}

/** One kind of leftovers: removes at most `most` of them after passing over `skip`, and says how many. */
export interface HousekeepingSet {
  readonly name: string;
  readonly clear: (tenant: string, most: number, skip: number) => Promise<number>;
}

/** A failure that the rows cause, and not the state of the server or the way to it. */
export function isOfRow(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(08|40|53|55|57|58)/.test(code)
  );
}

// Housekeeping waits for no lock and blocks no caller: locked rows are left to the next pass.
const PAGE = 'LIMIT $2 OFFSET $3 FOR UPDATE SKIP LOCKED';
// The sum of times is inside: outside, row security would keep it from an index (decisions/0023).
const older = (column: string, parameter: string) =>
  `${column} < (SELECT clock_timestamp() - ${parameter} * interval '1 millisecond')`;

const CLAIM = `UPDATE housekeeping h SET due = clock_timestamp() + $1 * interval '1 millisecond'
  WHERE h.tenant = (SELECT x.tenant FROM housekeeping x WHERE x.due <= (SELECT clock_timestamp())
    ORDER BY x.due LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING h.tenant, h.stalled`;

const END = `WITH h AS (
    UPDATE housekeeping SET due = clock_timestamp() + $2 * interval '1 millisecond', stalled = $3 WHERE tenant = $1
  ) ${openIncident({ code: "'retention_stalled'", from: '(SELECT 1) x WHERE $4::boolean' })}`;

// A scalar, so that it is looked up for each bundle by itself even without statistics.
const UNUSED = `(SELECT true FROM request r CROSS JOIN LATERAL (
    SELECT FROM material m WHERE m.tenant = r.tenant AND m.request_id = r.id LIMIT 1
  ) m WHERE r.tenant = b.tenant AND r.bundle_id = b.id LIMIT 1) IS NULL`;

const UNUSED_BUNDLES = `SELECT b.id FROM bundle b WHERE b.tenant = $1 AND b.html IS NOT NULL
  AND ${older('b.created_at', '$4')} AND ${UNUSED} ORDER BY b.id LIMIT $2 OFFSET $3 FOR UPDATE SKIP LOCKED`;

// Asked again of rows that are held by now: a request that was stored meanwhile is seen, one that comes later waits for us.
const DROP_HTML = `WITH d AS (
    UPDATE bundle b SET html = NULL WHERE b.tenant = $1 AND b.id = ANY ($2::uuid[]) AND ${UNUSED}
    RETURNING b.publisher, b.bytes
  ), w AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'publisher', d.publisher, -sum(d.bytes) FROM d GROUP BY d.publisher
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ) SELECT count(*)::integer AS dropped FROM d`;

export class HousekeepingStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants that are new are due at once. */
  async enlist(): Promise<void> {
    await this.pool.acrossTenants.query({
      name: 'housekeeping.enlist',
      text: `INSERT INTO housekeeping (tenant, due)
        SELECT x.tenant, clock_timestamp() FROM (SELECT tenant FROM tenant UNION ALL SELECT $1) x
        ON CONFLICT (tenant) DO NOTHING`,
      values: [NO_TENANT],
    });
  }

  /** A tenant whose pass is due and now the caller's for so long, or undefined. `stalled` as its last pass ended. */
  async claim(leaseMs: number): Promise<{ tenant: string; stalled: boolean } | undefined> {
    const { rows } = await this.pool.acrossTenants.query<{ tenant: string; stalled: boolean }>({
      name: 'housekeeping.claim',
      text: CLAIM,
      values: [leaseMs],
    });
    return rows[0];
  }

  /** The pass is over; the next one is due after `pauseMs`. `tells`: an incident says that rows are left behind. */
  async end(tenant: string, pauseMs: number, stalled: boolean, tells: boolean) {
    await this.pool.of(tenant).query({
      name: 'housekeeping.end',
      text: END,
      values: [tenant, pauseMs, stalled, tells],
    });
  }

  /** Notes that a run of retention ended now, well or not. */
  async noteRun(tenant: string, well: boolean): Promise<void> {
    await this.pool.of(tenant).query({
      name: 'housekeeping.note-run',
      text: `INSERT INTO operation_run AS o (tenant, name, succeeded_at, failed_at)
        SELECT $1, 'retention', CASE WHEN $2 THEN n.at END, CASE WHEN NOT $2 THEN n.at END
        FROM (SELECT clock_timestamp() AS at) n
        ON CONFLICT (tenant, name) DO UPDATE SET succeeded_at = coalesce(EXCLUDED.succeeded_at, o.succeeded_at),
          failed_at = coalesce(EXCLUDED.failed_at, o.failed_at)`,
      values: [tenant, well],
    });
  }

  /** The sets to clear of a tenant, and those of none. */
  sets(ages: Ages): { ofTenant: HousekeepingSet[]; ofNone: HousekeepingSet[] } {
    const setIn =
      (scoped: (tenant: string) => ScopedPool) =>
      (name: string, text: string, ...values: unknown[]): HousekeepingSet => ({
        name,
        clear: async (tenant, most, skip) => {
          const { rowCount } = await scoped(tenant).query({
            name: `housekeeping.${name}`,
            text,
            values: [tenant, most, skip, ...values],
          });
          return rowCount ?? 0;
        },
      });
    const set = setIn((tenant) => this.pool.of(tenant));
    const setOfNone = setIn(() => this.pool.ofNoTenant);
    // Traces are in the order of their times, across tenants.
    const setOfAll = setIn(() => this.pool.acrossTenants);
    return {
      ofTenant: [
        set(
          'texts',
          `UPDATE record SET record = NULL WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM record x
            WHERE x.tenant = $1 AND x.request_id IS NULL AND x.record IS NOT NULL AND ${older('x.issued_at', '$4')}
            ORDER BY x.issued_at ${PAGE}))`,
          ages.kept,
        ),
        set(
          'answers',
          `UPDATE idempotency SET result = NULL WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM idempotency x
            WHERE x.tenant = $1 AND x.request_id IS NULL AND x.result IS NOT NULL AND ${older('x.created_at', '$4')}
            ORDER BY x.created_at ${PAGE}))`,
          ages.kept,
        ),
        ...['smtp', 'webhook'].flatMap((kind) =>
          ['pending', 'accepted', 'failed', 'expired'].map((state) =>
            set(
              `${kind}-${state}`,
              `DELETE FROM delivery WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM delivery x
                WHERE x.tenant = $1 AND x.kind = $5 AND x.kind <> '' AND x.state = $6 AND ${older('x.created_at', '$4')}
                ORDER BY x.created_at ${PAGE}))`,
              ages.kept,
              kind,
              state,
            ),
          ),
        ),
        set(
          'counters',
          `DELETE FROM quota_day WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM quota_day x
            WHERE x.tenant = $1 AND x.day < (clock_timestamp() AT TIME ZONE 'UTC')::date LIMIT $2 OFFSET $3))`,
        ),
        set(
          'mail-windows',
          `DELETE FROM mail_window WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM mail_window x
            WHERE x.tenant = $1 AND ${older('x.hour', '$4')} LIMIT $2 OFFSET $3))`,
          DAY_MS,
        ),
        { name: 'bundles', clear: (...page) => this.#dropBundles(ages.unusedBundle, ...page) },
      ],
      ofNone: [
        setOfNone(
          'login_attempt',
          `DELETE FROM login_attempt WHERE digest = ANY (ARRAY(SELECT x.digest FROM login_attempt x
            WHERE $1::text IS NOT NULL AND x.expires_at <= (SELECT clock_timestamp())
            ORDER BY x.expires_at LIMIT $2 OFFSET $3))`,
        ),
        setOfNone(
          'parcels',
          `DELETE FROM parcel WHERE id = ANY (ARRAY(SELECT x.id FROM parcel x
            WHERE $1::text IS NOT NULL AND ${older('x.created_at', '$4')} LIMIT $2 OFFSET $3))`,
          ages.parcel,
        ),
        setOfAll(
          'traces',
          `DELETE FROM trace WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM trace x
            WHERE $1::text IS NOT NULL AND ${older('x.created_at', '$4')} ORDER BY x.created_at LIMIT $2 OFFSET $3))`,
          ages.trace,
        ),
      ],
    };
  }

  async #dropBundles(ageMs: number, tenant: string, most: number, skip: number): Promise<number> {
    return inTransaction(this.pool.of(tenant), async (client) => {
      const { rows } = await client.query<{ id: string }>({
        name: 'housekeeping.unused-bundles',
        text: UNUSED_BUNDLES,
        values: [tenant, most, skip, ageMs],
      });
      if (rows.length === 0) return 0;
      await client.query({
        name: 'housekeeping.drop-html',
        text: DROP_HTML,
        values: [tenant, rows.map(({ id }) => id)],
      });
      return rows.length;
    });
  }
}

const DAY_MS = 86_400_000;
