import { QUEUES_ROLE, ROLES } from '@countersign/database';
import type { RoleName } from '@countersign/database';

export interface RolesOptions {
  /** Queues are in Postgres: one process runs all targets and there is no Redis. */
  readonly queues: boolean;
}

/** By role, the name that a target of it logs in by: `countersign_execution` logs in as `execution`. */
export const LOGINS = Object.fromEntries(
  Object.entries(ROLES).map(([role, group]) => [role, group.replace('countersign_', '')]),
) as Readonly<Record<RoleName, string>>;

/**
 * SQL that a database needs before the first migration: the groups that rights are granted to, and for each a login that is a member
 * of it and of no other. It may run again, and changes no login that is there. Passwords are not part of it: `\password` of psql
 * sends only their hash.
 */
export function databaseRolesSql({ queues }: RolesOptions): string {
  const groups = [...Object.values(ROLES), QUEUES_ROLE];
  const logins = Object.entries(ROLES).map(([role, group]) => ({
    group,
    login: LOGINS[role as RoleName],
  }));
  const lines = [
    '-- The groups that the migration grants rights to. They own nothing and cannot log in.',
    ...groups.map((group) => unlessThere(`CREATE ROLE ${group} NOLOGIN NOINHERIT`)),
    '-- A login for each of them.',
    ...logins.flatMap(({ group, login }) => [
      unlessThere(`CREATE ROLE ${login} LOGIN NOINHERIT`),
      `GRANT ${group} TO ${login};`,
    ]),
    ...(queues
      ? [
          '-- Queues are in Postgres, and the gateway’s login works on them.',
          `GRANT ${QUEUES_ROLE} TO ${LOGINS.gateway};`,
        ]
      : []),
    '-- Then, in psql, a password for each:',
    ...logins.map(({ login }) => `--   \\password ${login}`),
  ];
  return `${lines.join('\n')}\n`;
}

function unlessThere(create: string): string {
  return `DO $$ BEGIN ${create}; EXCEPTION WHEN duplicate_object THEN NULL; END $$;`;
}
