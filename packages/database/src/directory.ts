import type { CallerKind, ConfiguredBy, Person, RouteConfig } from '@countersign/protocol';
import { StaleRead } from './fresh-state.js';
import { askOne } from './pool.js';
import type { Pool } from './pool.js';
import { statements } from './statement.js';

export interface Principal {
  readonly id: string;
  readonly kind: CallerKind;
  readonly enabled: boolean;
  readonly config: PrincipalConfig;
  readonly issuer: string | null;
  readonly subject: string | null;
  /** Ids of the bearer tokens that are valid now: one, or two while one takes the place of the other. */
  readonly credentials: readonly string[];
  readonly configuredBy: ConfiguredBy;
}

export interface PrincipalConfig {
  readonly enabled: boolean;
  readonly identity_certain?: boolean;
  readonly publisher?: string;
  readonly owner?: string;
  readonly routes?: readonly string[];
  readonly operator?: boolean;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly webhook?: string;
}

export interface Route {
  readonly id: string;
  readonly revision: number;
  readonly config: RouteConfig;
  readonly configuredBy: ConfiguredBy;
}

interface Entry<T> {
  revision: number;
  value: T | null;
}

const MOST_ENTRIES = 50_000;

export const DIRECTORY_STATEMENTS = statements('directory', {
  principal: `SELECT t.directory_revision, p.id, p.kind, p.enabled, p.config, p.oidc_issuer, p.oidc_subject, p.configured_by,
      c.id AS credential_id, c.former_id
    FROM tenant t LEFT JOIN principal p ON p.tenant = t.tenant AND p.id = :id
    LEFT JOIN credential c ON c.tenant = p.tenant AND c.principal = p.id WHERE t.tenant = $1`,
  route: `SELECT t.directory_revision, r.id, r.revision, r.config, r.configured_by
    FROM tenant t LEFT JOIN route r ON r.tenant = t.tenant AND r.id = :id WHERE t.tenant = $1`,
  revision: 'SELECT directory_revision FROM tenant WHERE tenant = $1',
});

/**
 * Principals and routes of a tenant at one directory revision. Remembered between calls: a transition that was decided on
 * an older revision cannot commit, so a stale entry costs one more read and never a wrong answer.
 */
export class Directory {
  readonly #principals = new Map<string, Entry<Principal>>();
  readonly #routes = new Map<string, Entry<Route>>();

  constructor(private readonly pool: Pool) {}

  /** That of the tenant's directory now; undefined when there is no such tenant. */
  async revision(tenant: string): Promise<number | undefined> {
    const found = await askOne<Pick<PrincipalRow, 'directory_revision'>>(
      this.pool,
      DIRECTORY_STATEMENTS.revision,
      { tenant },
    );
    return found?.directory_revision;
  }

  async principal(tenant: string, id: string, revision: number): Promise<Principal | null> {
    if (id.includes('\0')) return null;
    const known = this.#principals.get(key(tenant, id));
    if (known?.revision === revision) return known.value;
    const row = await askOne<PrincipalRow>(this.pool, DIRECTORY_STATEMENTS.principal, {
      tenant,
      id,
    });
    const value = row === undefined || row.id === null ? null : principalOf(row);
    return remember(this.#principals, key(tenant, id), revision, row?.directory_revision, value);
  }

  async route(tenant: string, id: string, revision: number): Promise<Route | null> {
    // A body's route is looked up before the body is checked, and Postgres keeps no such name.
    if (id.includes('\0')) return null;
    const known = this.#routes.get(key(tenant, id));
    if (known?.revision === revision) return known.value;
    const row = await askOne<RouteRow>(this.pool, DIRECTORY_STATEMENTS.route, { tenant, id });
    const value =
      row === undefined || row.id === null
        ? null
        : {
            id: row.id,
            revision: row.revision,
            config: row.config,
            configuredBy: row.configured_by,
          };
    return remember(this.#routes, key(tenant, id), revision, row?.directory_revision, value);
  }
}

interface PrincipalRow {
  directory_revision: number;
  id: string | null;
  kind: Principal['kind'];
  enabled: boolean;
  config: PrincipalConfig;
  oidc_issuer: string | null;
  oidc_subject: string | null;
  configured_by: ConfiguredBy;
  credential_id: string | null;
  former_id: string | null;
}

interface RouteRow {
  directory_revision: number;
  id: string | null;
  revision: number;
  config: RouteConfig;
  configured_by: ConfiguredBy;
}

function principalOf(row: PrincipalRow): Principal {
  return {
    id: row.id as string,
    kind: row.kind,
    enabled: row.enabled,
    config: row.config,
    issuer: row.oidc_issuer,
    subject: row.oidc_subject,
    credentials: [row.credential_id, row.former_id].filter((id) => id !== null),
    configuredBy: row.configured_by,
  };
}

function remember<T>(
  entries: Map<string, Entry<T>>,
  at: string,
  asked: number,
  found: number | undefined,
  value: T | null,
): T | null {
  if (found === undefined) return null;
  if (entries.size >= MOST_ENTRIES) entries.clear();
  entries.set(at, { revision: found, value });
  // The directory moved between the caller's read and this one: its other facts are older than this.
  if (found !== asked) throw new StaleRead('directory');
  return value;
}

/** Two parts that cannot be confused: ["a:b","c"] and ["a","b:c"] differ. */
function key(tenant: string, id: string): string {
  return `${tenant}\u0000${id}`;
}

/** The person of a human principal, for eligibility and separation of duties. */
export function personOf(principal: Principal | null): Person | null {
  if (principal === null || principal.kind !== 'human') return null;
  return {
    id: principal.id,
    enabled: principal.enabled,
    certain: principal.config.identity_certain !== false,
    issuer: principal.issuer,
    subject: principal.subject,
  };
}
