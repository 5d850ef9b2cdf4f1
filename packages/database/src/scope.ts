import type pg from 'pg';
import { isUndone } from './undone.js';

/**
 * Whose rows a connection reads and writes: those of one tenant, of all tenants, or of none. Row policies compare it with
 * each row (decisions/0023).
 */
export type Scope = string;

export const ALL_TENANTS: Scope = '*';
/** Of a connection that has not been used yet. */
export const NO_TENANT_AT_ALL: Scope = '!';

/** As an option at the start of a connection. */
export const CLOSED_AT_START = `-c countersign.tenant=${NO_TENANT_AT_ALL}`;

/** No tenant's id has these characters (`countersign bootstrap`). */
const RESERVED: readonly Scope[] = [ALL_TENANTS, NO_TENANT_AT_ALL];

/** Throws for a value that would be another scope. */
export function scopeOfTenant(tenant: string): Scope {
  if (RESERVED.includes(tenant)) throw new TypeError(`${tenant} is no tenant`);
  return tenant;
}

export const ENTER = 'scope.enter';

/** Moves a connection to a scope, until it is moved again. Its transaction, if it fails, undoes this too. */
export function enterStatement(scope: Scope) {
  return {
    name: ENTER,
    text: `SELECT set_config('countersign.tenant', $1, false)`,
    values: [scope],
  };
}

/** The connections of a pool, with the scope that each of them is in. */
export class ScopedConnections {
  readonly #scopes = new WeakMap<pg.PoolClient, Scope>();

  constructor(readonly pool: pg.Pool) {}

  async connect(scope: Scope): Promise<pg.PoolClient> {
    const client = await this.pool.connect();
    try {
      await this.enter(client, scope);
      return client;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  async query<Row extends object>(
    scope: Scope,
    query: pg.QueryConfig,
  ): Promise<pg.QueryResult<Row>> {
    const client = await this.connect(scope);
    let broken: Error | undefined;
    try {
      return await client.query<Row>(query);
    } catch (error) {
      // A read in pieces that fails leaves a connection that never answers again.
      if ('rows' in query || !isUndone(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async enter(client: pg.PoolClient, scope: Scope): Promise<void> {
    if (this.isIn(client, scope)) return;
    // Unknown until it is answered.
    this.moved(client, undefined);
    await client.query(enterStatement(scope));
    this.moved(client, scope);
  }

  isIn(client: pg.PoolClient, scope: Scope): boolean {
    return this.#scopes.get(client) === scope;
  }

  /** Notes the scope that the connection is in now; undefined: unknown. */
  moved(client: pg.PoolClient, scope: Scope | undefined): void {
    if (scope === undefined) this.#scopes.delete(client);
    else this.#scopes.set(client, scope);
  }
}

/**
 * Asks about all tenants within a transaction of one of them, whose scope it is again afterwards. Where that fails the
 * transaction has to end, and the scope of its beginning comes back with that.
 */
export async function acrossTenantsWithin<T>(
  client: pg.PoolClient,
  tenant: string,
  ask: () => Promise<T>,
): Promise<T> {
  const enter = (scope: Scope) =>
    client.query(`SELECT set_config('countersign.tenant', $1, true)`, [scope]);
  await enter(ALL_TENANTS);
  const answer = await ask();
  await enter(scopeOfTenant(tenant));
  return answer;
}
