import type pg from 'pg';
import { QUEUES_ROLE, ROLES } from './pool.js';

/** A login that acts for services. */
export interface ServiceLogin {
  readonly login: string;
  /** May do more than any service: superuser, or may make roles or databases, or passes over row security. */
  readonly powerful: boolean;
  /** Service roles that it may act as. */
  readonly roles: readonly string[];
}

/** Facts about the rights in a database, for a check by its owner. Names only. */
export interface DatabaseExposure {
  readonly logins: readonly ServiceLogin[];
  /** Tables on which PUBLIC has some privilege. */
  readonly openTables: readonly string[];
  /** Group roles that can log in or are superusers. */
  readonly enteringRoles: readonly string[];
  /** Tables of tenants whose row security is off, or that lack the policy which keeps tenants apart. */
  readonly unsecuredTables: readonly string[];
  readonly fencedTenants: readonly string[];
  /** Issuers of enabled people. */
  readonly issuers: readonly string[];
  readonly encrypted: boolean;
}

const SERVICE_ROLES = [...new Set<string>(Object.values(ROLES))];

export async function databaseExposure(pool: Pick<pg.Pool, 'query'>): Promise<DatabaseExposure> {
  const names = async (text: string, values: unknown[] = []): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(text, values);
    return rows.map(({ name }) => name);
  };
  const { rows: logins } = await pool.query<ServiceLogin & { roles: string[] }>(
    `SELECT m.rolname AS login, m.rolsuper OR m.rolcreaterole OR m.rolcreatedb OR m.rolbypassrls AS powerful,
       array_agg(r.rolname::text) AS roles
     FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
     WHERE r.rolname = ANY ($1) AND m.rolcanlogin
     GROUP BY m.rolname, m.rolsuper, m.rolcreaterole, m.rolcreatedb, m.rolbypassrls ORDER BY m.rolname`,
    [SERVICE_ROLES],
  );
  const { rows: connection } = await pool.query<{ ssl: boolean }>(
    'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
  );
  return {
    logins,
    openTables: await names(
      `SELECT DISTINCT table_name::text AS name FROM information_schema.table_privileges
       WHERE table_schema = 'public' AND grantee = 'PUBLIC' ORDER BY 1`,
    ),
    enteringRoles: await names(
      'SELECT rolname::text AS name FROM pg_roles WHERE rolname = ANY ($1) AND (rolcanlogin OR rolsuper) ORDER BY 1',
      [[...SERVICE_ROLES, QUEUES_ROLE]],
    ),
    unsecuredTables: await names(
      `SELECT c.relname::text AS name FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT (c.relrowsecurity AND EXISTS (
         SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant_scope' AND NOT p.polpermissive))
       ORDER BY 1`,
    ),
    fencedTenants: await names('SELECT tenant AS name FROM tenant WHERE fenced ORDER BY 1'),
    issuers: await names(
      `SELECT DISTINCT oidc_issuer AS name FROM principal
       WHERE enabled AND oidc_issuer IS NOT NULL ORDER BY 1`,
    ),
    encrypted: connection[0]?.ssl === true,
  };
}
