import { confirmProposal, listProposals } from '@countersign/database';
import { Option } from 'commander';
import type { Command } from 'commander';
import { asOwner } from '../database.js';
import { PlainError } from '../plain-error.js';
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
    .addOption(
      new Option('--route <id>', 'with --confirm: the route whose policy changes').conflicts(
        'principal',
      ),
    )
    .option('--principal <id>', 'with --confirm: the person whose membership changes')
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(({ tenant, confirm, route, principal, ...options }: PolicyOptions) => {
      const id = route ?? principal;
      if ((confirm === undefined) !== (id === undefined))
        throw new PlainError('Give --confirm together with --route or --principal.');
      const kind = route === undefined ? 'membership' : 'policy';
      return asOwner(databaseOf(options).url, 'policy', async (pool) => {
        const changes =
          confirm === undefined || id === undefined
            ? await listProposals(pool, tenant)
            : [await confirmProposal(pool, tenant, { kind, id, digest: confirm })];
        for (const { until, ...change } of changes) {
          console.log(JSON.stringify({ ...change, until: new Date(until).toISOString() }));
        }
      });
    });
}

interface PolicyOptions extends DatabaseOptions {
  tenant: string;
  confirm?: string;
  route?: string;
  principal?: string;
}
