import type { Command } from 'commander';
import { databaseRolesSql } from '../database-roles.js';
import type { RolesOptions } from '../database-roles.js';

export function addDatabaseRolesCommand(program: Command): void {
  program
    .command('database-roles')
    .description('prints the SQL that makes the roles and logins of a new database')
    .option('--queues', 'queues are in Postgres: allInOne without Redis', false)
    .action((flags: RolesOptions) => {
      process.stdout.write(databaseRolesSql(flags));
    })
    .addHelpText(
      'after',
      '\nRun it as a superuser, or as a role that may make roles, before the first migration: pods can then log in as soon as it\n' +
        'is done. It may run again.',
    );
}
