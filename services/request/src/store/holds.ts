import type pg from 'pg';
import { asked, statements } from '@countersign/database';
import type { Statement, Values } from '@countersign/database';
import type { Digest, LegalHoldLifted, LegalHoldSet } from '@countersign/protocol';

/** A hold as it is kept: its signed texts decide. */
export interface KeptHold {
  /** Signed text of the LegalHoldSet in force. */
  readonly record: string;
  /** Digest of the person who set it. */
  readonly setter: string;
  /** Signed text of its LegalHoldLifted, or null. */
  readonly lifted: string | null;
}

export const HOLDS = statements('request', {
  holdNamed: `SELECT record, set_by_person AS setter, lifted FROM hold WHERE tenant = $1 AND id = :id::uuid`,
  digestsOfRequests: `SELECT r.id, r.digest FROM unnest(:ids::uuid[]) AS i (id)
  CROSS JOIN LATERAL (SELECT x.id, x.digest FROM request x WHERE x.tenant = $1 AND x.id = i.id LIMIT 1) r`,
  saveHold: `INSERT INTO hold (tenant, id, revision, reference, until, set_by, set_by_person, set_at, record)
  VALUES ($1, :id::uuid, :revision, :reference, :until::timestamptz, :set_by, :person, :set_at::timestamptz, :record)
  ON CONFLICT (tenant, id) DO UPDATE SET revision = EXCLUDED.revision, reference = EXCLUDED.reference, until = EXCLUDED.until,
    set_by = EXCLUDED.set_by, set_by_person = EXCLUDED.set_by_person, set_at = EXCLUDED.set_at, record = EXCLUDED.record`,
  // In the order of their ids, in which all steps lock several requests.
  saveItems: `INSERT INTO hold_item (tenant, request_id, hold_id, until)
  SELECT $1, i.id, :id::uuid, :until::timestamptz FROM (SELECT unnest(:requests::uuid[]) AS id ORDER BY 1 OFFSET 0) i
  ON CONFLICT (tenant, request_id, hold_id) DO UPDATE SET until = EXCLUDED.until`,
  liftHold: `UPDATE hold SET lifted_by = :lifted_by, lifted_at = :lifted_at::timestamptz, lifted = :record
  WHERE tenant = $1 AND id = :id::uuid`,
  // A deletion of held bytes that is under way is refused before the lift is stored, or comes behind it in the chain.
  lockRequests: `SELECT l.request_id FROM (SELECT unnest(:requests::uuid[]) AS id ORDER BY 1 OFFSET 0) i
  CROSS JOIN LATERAL (SELECT x.request_id FROM lifecycle x WHERE x.tenant = $1 AND x.request_id = i.id OFFSET 0) l
  FOR UPDATE OF l`,
  liftItems: `UPDATE hold_item SET lifted_at = :lifted_at::timestamptz
  WHERE tenant = $1 AND request_id = ANY (:requests::uuid[]) AND hold_id = :id::uuid`,
});

/** Whether a deletion of a request came before its hold (protocol §20.6). */
export function isRequestGone(fault: unknown): boolean {
  return (fault as { code?: unknown } | null)?.code === 'CSQ05';
}

/** Legal holds, as one transaction of the directory sees and moves them. */
export class Holds {
  constructor(
    private readonly client: pg.PoolClient,
    private readonly tenant: string,
  ) {}

  #ask<Row extends object>(statement: Statement, values: Values) {
    return this.client.query<Row>(asked(statement, { tenant: this.tenant, ...values }));
  }

  async get(id: string): Promise<KeptHold | null> {
    return (await this.#ask<KeptHold>(HOLDS.holdNamed, { id })).rows[0] ?? null;
  }

  /** Value digests of those requests that are there, by id. */
  async digestsOf(ids: readonly string[]): Promise<Map<string, Digest>> {
    const { rows } = await this.#ask<{ id: string; digest: Digest }>(HOLDS.digestsOfRequests, {
      ids,
    });
    return new Map(rows.map(({ id, digest }) => [id, digest]));
  }

  /** With the signed text of its record. SQLSTATE 'CSQ05' when a deletion of one of its requests came first. */
  async save(
    { requests, set_by, set_at, until, id, revision, reference }: LegalHoldSet,
    person: string,
    record: string,
  ): Promise<void> {
    const hold = { id, revision, reference, until, set_by, person, set_at, record };
    await this.#ask(HOLDS.saveHold, hold);
    await this.#ask(HOLDS.saveItems, { id, until, requests: requests.map((held) => held.id) });
  }

  /** With the signed text of its record. */
  async lift(
    { id, lifted_by, lifted_at }: LegalHoldLifted,
    { requests }: LegalHoldSet,
    record: string,
  ): Promise<void> {
    const ids = requests.map((held) => held.id);
    await this.#ask(HOLDS.lockRequests, { requests: ids });
    await this.#ask(HOLDS.liftHold, { id, lifted_by, lifted_at, record });
    await this.#ask(HOLDS.liftItems, { id, lifted_at, requests: ids });
  }
}
