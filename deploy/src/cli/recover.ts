import { planRecovery, recoverTenant } from '@countersign/database';
import type { RecoveryPlan } from '@countersign/database';
import type { Command } from 'commander';
import { asOwner } from '../database.js';
import { PlainError } from '../plain-error.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

interface RecoverOptions extends DatabaseOptions {
  tenant: string;
  apply: boolean;
  force: boolean;
}

/** `countersign recover`: the end of a fence (R18). Shows its changes, and makes them only with `--apply`. */
export function addRecoverCommand(program: Command): void {
  program
    .command('recover')
    .description(
      'end the fence of a tenant whose ledger and anchor store disagree, such as after a restored backup: retires its ' +
        'namespace, revokes unused authority, keeps records and ledger (docs/recovery.md)',
    )
    .requiredOption('--tenant <name>', 'name of the tenant')
    .option('--apply', 'apply the recovery; without it the effects are only listed', false)
    .option('--force', 'also when the tenant is not fenced', false)
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(recover);
}

async function recover({ tenant, apply, force, ...options }: RecoverOptions): Promise<void> {
  await asOwner(databaseOf(options).url, 'recover', async (pool) => {
    const client = await pool.connect();
    const plan = await planRecovery(client, tenant).finally(() => client.release());
    if (plan === null) throw new PlainError(`There is no tenant ${tenant}.`);
    if (!plan.fenced && !force) {
      throw new PlainError(
        `The tenant ${tenant} is not fenced, so there is nothing to recover. To retire its namespace all the same, add --force.`,
      );
    }
    for (const line of effects(plan, apply)) console.log(line);
    if (!apply) {
      console.log('Nothing was changed. To apply it, run the same command with --apply.');
      return;
    }
    const done = await recoverTenant(pool, tenant);
    if (done === null) throw new PlainError(`There is no tenant ${tenant}.`);
    console.log(
      `done: the new namespace is ${done.newGeneration}; the incident namespace_retired is open`,
    );
  });
}

function effects(plan: RecoveryPlan, apply: boolean): string[] {
  const will = apply ? 'is' : 'would be';
  const are = apply ? 'are' : 'would be';
  return [
    `tenant ${plan.tenant}: ${plan.fenced ? `fenced (${plan.reason})` : 'not fenced'}, ledger of ${plan.entries} entries, anchored up to ${plan.anchored}`,
    `  the namespace ${plan.generation} ${will} retired for good`,
    `  ${plan.requests} requests ${are} without authority from now on; their records stay`,
    `  ${plan.cancelled} pending reviews ${are} cancelled, ${plan.candidates} candidates and ${plan.leases} leases dropped`,
    `  ${plan.grantsRevoked} unused grants ${are} revoked`,
    `  ${plan.executionsUncertain} executions ${are} uncertain: reconcile those that were under way`,
    '  consumed authority stays consumed; the ledger continues under a new namespace',
  ];
}
