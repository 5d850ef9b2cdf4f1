import type { DatabaseExposure } from '@countersign/database';
import { check } from './finding.js';
import type { Finding } from './finding.js';

/** Checks the rights of the services in the database. */
export function checkDatabase(found: DatabaseExposure): Finding[] {
  const shared = found.logins.filter(({ roles }) => roles.length > 1);
  const powerful = found.logins.filter((login) => login.powerful);
  const names = (of: DatabaseExposure['logins']) => of.map(({ login }) => login).join(', ');
  const list = (of: readonly string[]) => of.join(', ');
  return [
    check(
      'each service has a database login of its own',
      found.logins.length > 0 && shared.length === 0,
      'fail',
      shared.length === 0
        ? 'No login is a member of a service’s role: services act as the owner. Make a login for each (docs/operations.md, Database).'
        : `Split ${names(shared)}: a login that acts for several services undoes their separation.`,
    ),
    check(
      'no service’s login is a superuser or may make roles',
      powerful.length === 0,
      'fail',
      `Take SUPERUSER, CREATEROLE, CREATEDB and BYPASSRLS from ${names(powerful)}.`,
    ),
    check(
      'group roles cannot log in',
      found.enteringRoles.length === 0,
      'fail',
      `ALTER ROLE … NOLOGIN NOSUPERUSER for ${list(found.enteringRoles)}.`,
    ),
    check(
      'the role PUBLIC has no right on any table',
      found.openTables.length === 0,
      'fail',
      `REVOKE ALL ON ${list(found.openTables)} FROM PUBLIC.`,
    ),
    check(
      'row security keeps tenants apart',
      found.unsecuredTables.length === 0,
      'fail',
      `ALTER TABLE … ENABLE ROW LEVEL SECURITY for ${list(found.unsecuredTables)}, with the policy tenant_scope, and find out why it was removed.`,
    ),
    check(
      'no tenant is fenced',
      found.fencedTenants.length === 0,
      'fail',
      `Find out why ${list(found.fencedTenants)} cannot claim or admit (docs/recovery.md).`,
    ),
    check(
      'people come from one identity provider',
      found.issuers.length <= 1,
      'warn',
      `Enabled people have several issuers: ${list(found.issuers)}. Only those of OIDC_ISSUER can log in; disable the others.`,
    ),
    check(
      'this connection has TLS',
      found.encrypted,
      'warn',
      'Use sslmode=verify-full in the URLs of the services, and refuse plain connections in pg_hba.conf.',
    ),
  ];
}
