import type pg from 'pg';

/** Changes that no call can make, to the rows of a tenant by a connection of the schema's owner. */
export class Tampering {
  constructor(
    private readonly database: pg.Client,
    private readonly tenant: string,
  ) {}

  /** Changes one member of a stored request. Its digest does not change: the request is damaged. */
  async damageRequest(id: string, path: readonly string[], value: unknown): Promise<void> {
    await this.#one(
      `UPDATE request SET canonical = jsonb_set(canonical::jsonb, $3, $4::jsonb)::text WHERE tenant = $1 AND id = $2`,
      [id, path, JSON.stringify(value)],
    );
  }

  /** As if the request had been stored like that: digests of request and response schema are right. */
  async rewriteRequest(
    id: string,
    change: { readonly path: readonly string[]; readonly value: unknown } | { schema: string },
  ): Promise<void> {
    if ('schema' in change) {
      await this.#one(
        `UPDATE material SET response_schema = $3 WHERE tenant = $1 AND request_id = $2`,
        [id, change.schema],
      );
      await this.#one(
        `UPDATE request SET canonical = jsonb_set(canonical::jsonb, '{review,response_schema_digest}',
           to_jsonb('sha256:' || encode(sha256(convert_to($3, 'UTF8')), 'hex')))::text WHERE tenant = $1 AND id = $2`,
        [id, change.schema],
      );
    } else {
      await this.damageRequest(id, change.path, change.value);
    }
    await this.#one(
      `UPDATE request SET digest = 'sha256:' || encode(sha256(convert_to(canonical, 'UTF8')), 'hex')
       WHERE tenant = $1 AND id = $2`,
      [id],
    );
  }

  /** Sets columns of a row that belongs to a request. */
  async set(
    table: 'request' | 'lifecycle' | 'material',
    id: string,
    columns: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const names = Object.keys(columns);
    const changes = names.map((name, place) => `${name} = $${place + 3}`);
    const key = table === 'request' ? 'id' : 'request_id';
    await this.#one(`UPDATE ${table} SET ${changes.join(', ')} WHERE tenant = $1 AND ${key} = $2`, [
      id,
      ...Object.values(columns),
    ]);
  }

  /**
   * Changes configuration members and columns of a principal, as a directory change without an author. Without the trigger
   * that ends sessions: tests go on with them.
   */
  async principal(
    id: string,
    { columns = {}, config = {} }: { columns?: Record<string, unknown>; config?: object },
  ): Promise<void> {
    const changes = Object.keys(columns).map((name, place) => `, ${name} = $${place + 4}`);
    await this.#one(
      `UPDATE principal SET config = config || $3::jsonb${changes.join('')}
       FROM (SELECT set_config('session_replication_role', 'replica', true)) AS without_triggers
       WHERE tenant = $1 AND id = $2`,
      [id, JSON.stringify(config), ...Object.values(columns)],
    );
    await this.#movedDirectory();
  }

  /** Enables a person as if there had never been a change. */
  revive(id: string, config: object = {}): Promise<void> {
    return this.principal(id, { columns: { enabled: true }, config });
  }

  async routeRevision(id: string): Promise<void> {
    await this.#one('UPDATE route SET revision = revision + 1 WHERE tenant = $1 AND id = $2', [id]);
    await this.#movedDirectory();
  }

  async fence(reason: string | null): Promise<void> {
    await this.database.query(
      'UPDATE tenant SET fenced = $2, fence_reason = $3 WHERE tenant = $1',
      [this.tenant, reason !== null, reason],
    );
    await this.#movedDirectory();
  }

  /** Amounts of protocol §9.2 that differ for this tenant, by the names of services/request/src/quotas.ts. */
  async quotas(amounts: Readonly<Record<string, number>>): Promise<void> {
    await this.database.query('UPDATE tenant SET quotas = $2::jsonb WHERE tenant = $1', [
      this.tenant,
      JSON.stringify(amounts),
    ]);
  }

  /** Any statement, whose $1 is the tenant. */
  async run(sql: string, ...values: readonly unknown[]): Promise<pg.QueryResult> {
    return this.database.query(sql, [this.tenant, ...values]);
  }

  async #movedDirectory(): Promise<void> {
    await this.database.query(
      'UPDATE tenant SET directory_revision = directory_revision + 1 WHERE tenant = $1',
      [this.tenant],
    );
  }

  async #one(sql: string, values: readonly unknown[]): Promise<void> {
    const { rowCount } = await this.database.query(sql, [this.tenant, ...values]);
    if (rowCount !== 1) throw new Error(`${rowCount} rows were changed by ${sql}`);
  }
}
