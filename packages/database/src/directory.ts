import type { CallerKind, ConfiguredBy, Person, RouteConfig } from '@countersign/protocol';
import { askOne } from './pool.js';
import type { Pool } from './pool.js';
import { RevisionCache } from './revision-cache.js';
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

/** Principals and routes of a tenant at one directory revision ({@link RevisionCache}). */
export class Directory {
  readonly #principals = new RevisionCache<Principal | null>(MOST_ENTRIES);
  readonly #routes = new RevisionCache<Route | null>(MOST_ENTRIES);

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
    return this.#principals.of([tenant, id], revision, async () => {
      const row = await askOne<PrincipalRow>(this.pool, DIRECTORY_STATEMENTS.principal, {
        tenant,
        id,
      });
      return row && { revision: row.directory_revision, value: principalOf(row) };
    });
  }

  async route(tenant: string, id: string, revision: number): Promise<Route | null> {
    // A body's route is looked up before the body is checked, and Postgres keeps no such name.
    if (id.includes('\0')) return null;
    return this.#routes.of([tenant, id], revision, async () => {
      const row = await askOne<RouteRow>(this.pool, DIRECTORY_STATEMENTS.route, { tenant, id });
      return row && { revision: row.directory_revision, value: routeOf(row) };
    });
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

function principalOf(row: PrincipalRow): Principal | null {
  if (row.id === null) return null;
  return {
    id: row.id,
    kind: row.kind,
    enabled: row.enabled,
    config: row.config,
    issuer: row.oidc_issuer,
    subject: row.oidc_subject,
    credentials: [row.credential_id, row.former_id].filter((id) => id !== null),
    configuredBy: row.configured_by,
  };
}

function routeOf({ id, revision, config, configured_by }: RouteRow): Route | null {
  return id === null ? null : { id, revision, config, configuredBy: configured_by };
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
