import { confirmProposal, listProposals } from '@countersign/database';
import type { Command } from 'commander';
import { asOwner } from '../database.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

/** `countersign policy`: confirms what needs a second operator in a tenant that has one (protocol §18.2). */
export function addPolicyCommand(program: Command): void {
  program
    .command('policy')
    .description(
      'list the changes of policies and memberships that wait for a second operator, or confirm one where a tenant has one operator',
    )
    .requiredOption('--tenant <name>', 'name of the tenant')
    .option(
      '--confirm <digest>',
      'confirm the change of that digest; its operator then makes the same call again, which carries it out',
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(({ tenant, confirm, ...options }: PolicyOptions) =>
      asOwner(databaseOf(options).url, 'policy', async (pool) => {
        const changes =
          confirm === undefined
            ? await listProposals(pool, tenant)
            : await confirmProposal(pool, tenant, confirm);
        for (const { until, ...change } of changes) {
          console.log(JSON.stringify({ ...change, until: new Date(until).toISOString() }));
        }
      }),
    );
}

interface PolicyOptions extends DatabaseOptions {
  tenant: string;
  confirm?: string;
}
