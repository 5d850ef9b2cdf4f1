import type pg from 'pg';
import { ROLES } from './pool.js';
import type { RoleName } from './pool.js';

/** Services that know a bearer token by `credential.id` and never by its digest. */
const WITHOUT_DIGESTS: readonly RoleName[] = [
  'review',
  'execution-authority',
  'ledger',
  'notifier',
  'deletion',
];

/**
 * Removes rights that only processes of the previous release need, when none of them runs and none will run again
 * (docs/upgrades.md). As the database's owner; a second time changes nothing.
 */
export async function finishUpgrade(pool: pg.Pool): Promise<void> {
  const roles = WITHOUT_DIGESTS.map((name) => ROLES[name]).join(', ');
  await pool.query(
    `REVOKE SELECT ON credential FROM ${roles};
     GRANT SELECT (id, former_id, tenant, principal) ON credential TO ${roles};
     REVOKE ALL ON session FROM ${ROLES.deletion};
     REVOKE ALL (digest, expires_at) ON session FROM ${ROLES.deletion};
     CREATE OR REPLACE FUNCTION in_scope(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
       RETURN current_setting('countersign.tenant', true) = tenant OR current_setting('countersign.tenant', true) = '*'`,
  );
}
