import {
  acrossTenants,
  ask,
  askOne,
  asked,
  inTransaction,
  ofNoTenant,
  openIncident,
  statements,
} from '@countersign/database';
import type { Pool, Statement, Values } from '@countersign/database';
import { SECONDS } from '@countersign/protocol';

/** The tenant of rows that belong to none: logins, bodies in transit. */
export const NO_TENANT = '';

/** How old things may get, in milliseconds (protocol §11.3). */
const AGES = {
  /** Texts of the ledger, jobs and stored answers. */
  kept: SECONDS.idempotency * 1000,
  /** HTML that no retained material needs, and no hold. */
  unusedBundle: 15 * 60_000,
  /** Bodies that no receiver took: they live for one hop, which takes seconds. */
  parcel: 10 * 60_000,
  /** Traces of records, most of whose later steps happen within seconds. */
  trace: 24 * 3_600_000,
  /** Hours of mails. */
  mail: 24 * 3_600_000,
} as const;

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
const PAGE = 'LIMIT :most OFFSET :skip FOR UPDATE SKIP LOCKED';
// The sum of times is inside: outside, row security would keep it from an index (decisions/0023).
const older = (column: string) =>
  `${column} < (SELECT clock_timestamp() - :age * interval '1 millisecond')`;

// A scalar, so that it is looked up for each bundle by itself even without statistics.
const UNUSED = `(SELECT true FROM request r CROSS JOIN LATERAL (
    SELECT 1 FROM material m WHERE m.tenant = r.tenant AND m.request_id = r.id
    UNION ALL SELECT 1 FROM hold_item h WHERE h.tenant = r.tenant AND h.request_id = r.id
      AND h.lifted_at IS NULL AND h.until > clock_timestamp() LIMIT 1
  ) m WHERE r.tenant = b.tenant AND r.bundle_id = b.id LIMIT 1) IS NULL`;

export const HOUSEKEEPING = statements('housekeeping', {
  enlist: acrossTenants(`INSERT INTO housekeeping (tenant, due)
    SELECT x.tenant, clock_timestamp() FROM (SELECT tenant FROM tenant UNION ALL SELECT '${NO_TENANT}') x
    ON CONFLICT (tenant) DO NOTHING`),
  claim:
    acrossTenants(`UPDATE housekeeping h SET due = clock_timestamp() + :lease * interval '1 millisecond'
    WHERE h.tenant = (SELECT x.tenant FROM housekeeping x WHERE x.due <= (SELECT clock_timestamp())
      ORDER BY x.due LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING h.tenant, h.stalled`),
  end: `WITH h AS (
    UPDATE housekeeping SET due = clock_timestamp() + :pause * interval '1 millisecond', stalled = :stalled WHERE tenant = $1
  ) ${openIncident({ code: "'retention_stalled'", from: '(SELECT 1) x WHERE :tells::boolean' })}`,
  unusedBundles: `SELECT b.id FROM bundle b WHERE b.tenant = $1 AND b.html IS NOT NULL
    AND ${older('b.created_at')} AND ${UNUSED} ORDER BY b.id ${PAGE}`,
  // Asked again of rows that are held by now: a request that was stored meanwhile is seen, one that comes later waits for us.
  dropHtml: `WITH d AS (
    UPDATE bundle b SET html = NULL WHERE b.tenant = $1 AND b.id = ANY (:ids::uuid[]) AND ${UNUSED}
    RETURNING b.publisher, b.bytes
  ), w AS (
    INSERT INTO retained AS x (tenant, scope, subject, bytes)
    SELECT $1, 'publisher', d.publisher, -sum(d.bytes) FROM d GROUP BY d.publisher
    ON CONFLICT (tenant, scope, subject, slot) DO UPDATE SET bytes = x.bytes + EXCLUDED.bytes
  ) SELECT count(*)::integer AS dropped FROM d`,
});

/** What is cleared by one statement each, one row of its answer for one row of the table. */
export const CLEARED = statements('housekeeping', {
  texts: `UPDATE record SET record = NULL WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM record x
      WHERE x.tenant = $1 AND x.request_id IS NULL AND x.record IS NOT NULL AND ${older('x.issued_at')}
      ORDER BY x.issued_at ${PAGE})) RETURNING 1`,
  answers: `UPDATE idempotency SET result = NULL WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM idempotency x
      WHERE x.tenant = $1 AND x.request_id IS NULL AND x.result IS NOT NULL AND ${older('x.created_at')}
      ORDER BY x.created_at ${PAGE})) RETURNING 1`,
  deliveries: `DELETE FROM delivery WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM delivery x
      WHERE x.tenant = $1 AND x.kind = :kind AND x.kind <> '' AND x.state = :state AND ${older('x.created_at')}
      ORDER BY x.created_at ${PAGE})) RETURNING 1`,
  counters: `DELETE FROM quota_day WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM quota_day x
      WHERE x.tenant = $1 AND x.day < (clock_timestamp() AT TIME ZONE 'UTC')::date LIMIT :most OFFSET :skip)) RETURNING 1`,
  mailWindows: `DELETE FROM mail_window WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM mail_window x
      WHERE x.tenant = $1 AND ${older('x.hour')} LIMIT :most OFFSET :skip)) RETURNING 1`,
  logins:
    ofNoTenant(`DELETE FROM login_attempt WHERE digest = ANY (ARRAY(SELECT x.digest FROM login_attempt x
      WHERE x.expires_at <= (SELECT clock_timestamp()) ORDER BY x.expires_at LIMIT :most OFFSET :skip)) RETURNING 1`),
  parcels: ofNoTenant(`DELETE FROM parcel WHERE id = ANY (ARRAY(SELECT x.id FROM parcel x
      WHERE ${older('x.created_at')} LIMIT :most OFFSET :skip)) RETURNING 1`),
  // Traces are in the order of their times, across tenants.
  traces: acrossTenants(`DELETE FROM trace WHERE ctid = ANY (ARRAY(SELECT x.ctid FROM trace x
      WHERE ${older('x.created_at')} ORDER BY x.created_at LIMIT :most OFFSET :skip)) RETURNING 1`),
});

export class HousekeepingStore {
  constructor(private readonly pool: Pool) {}

  /** Tenants that are new are due at once. */
  async enlist(): Promise<void> {
    await ask(this.pool, HOUSEKEEPING.enlist, {});
  }

  /** A tenant whose pass is due and now the caller's for so long, or undefined. `stalled` as its last pass ended. */
  claim(leaseMs: number): Promise<{ tenant: string; stalled: boolean } | undefined> {
    return askOne(this.pool, HOUSEKEEPING.claim, { lease: leaseMs });
  }

  /** The pass is over; the next one is due after `pauseMs`. `tells`: an incident says that rows are left behind. */
  async end(tenant: string, pauseMs: number, stalled: boolean, tells: boolean): Promise<void> {
    await ask(this.pool, HOUSEKEEPING.end, { tenant, pause: pauseMs, stalled, tells });
  }

  /** The sets to clear of a tenant, and those of none. */
  sets(): { ofTenant: HousekeepingSet[]; ofNone: HousekeepingSet[] } {
    const set = (name: string, statement: Statement, own: Values): HousekeepingSet => ({
      name,
      clear: async (tenant, most, skip) => {
        const of = statement.about === 'tenant' ? { tenant } : {};
        return (await ask(this.pool, statement, { ...of, most, skip, ...own })).rows.length;
      },
    });
    const kept = { age: AGES.kept };
    return {
      ofTenant: [
        set('texts', CLEARED.texts, kept),
        set('answers', CLEARED.answers, kept),
        ...['smtp', 'webhook'].flatMap((kind) =>
          ['pending', 'accepted', 'failed', 'expired'].map((state) =>
            set(`${kind}-${state}`, CLEARED.deliveries, { ...kept, kind, state }),
          ),
        ),
        set('counters', CLEARED.counters, {}),
        set('mail-windows', CLEARED.mailWindows, { age: AGES.mail }),
        { name: 'bundles', clear: (...page) => this.#dropBundles(...page) },
      ],
      ofNone: [
        set('login_attempt', CLEARED.logins, {}),
        set('parcels', CLEARED.parcels, { age: AGES.parcel }),
        set('traces', CLEARED.traces, { age: AGES.trace }),
      ],
    };
  }

  async #dropBundles(tenant: string, most: number, skip: number): Promise<number> {
    return inTransaction(this.pool.of(tenant), async (client) => {
      const page = { tenant, most, skip, age: AGES.unusedBundle };
      const { rows } = await client.query<{ id: string }>(asked(HOUSEKEEPING.unusedBundles, page));
      if (rows.length === 0) return 0;
      await client.query(asked(HOUSEKEEPING.dropHtml, { tenant, ids: rows.map(({ id }) => id) }));
      return rows.length;
    });
  }
}
