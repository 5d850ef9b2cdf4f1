import { readFileSync } from 'node:fs';
import { bootstrapTenant, finishUpgrade } from '@countersign/database';
import type { Command } from 'commander';
import { newToken } from '../bearer-token.js';
import { asOwner, bringUpToDate } from '../database.js';
import { addKeygenCommand } from './keygen.js';
import { addRecoverCommand } from './recover.js';
import { addTreeCommand } from './tree.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

/** Commands for the operator of an installation. They use the database as its owner, never HTTP. */
export function addOperatorCommands(program: Command): void {
  addKeygenCommand(program);
  addRecoverCommand(program);
  addTreeCommand(program);
  program
    .command('migrate')
    .description('bring the database that DATABASE_URL names to the schema of this release')
    .option(
      '--finish',
      'also remove rights that only the previous version needs, once none of its processes runs any more (docs/upgrades.md)',
      false,
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(async ({ finish, ...options }: DatabaseOptions & { finish: boolean }) => {
      const { url } = databaseOf(options);
      const applied = await bringUpToDate(url);
      console.log(applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`);
      if (!finish) return;
      await asOwner(url, 'migrate', finishUpgrade);
      console.log('finished: rights of the previous version are removed');
    });

  program
    .command('bootstrap')
    .description('create a tenant and its first operator, and print its token, once')
    .requiredOption('--tenant <name>', 'name of the new tenant')
    .option('--operator <id>', 'principal id of its operator', 'operator-1')
    .option('--token-file <file>', 'read the token from a file, and do not print it')
    .option(
      '--active',
      'ready at once, for development; otherwise fenced until the next start',
      false,
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(bootstrap);
}

interface BootstrapOptions extends DatabaseOptions {
  tenant: string;
  operator: string;
  tokenFile?: string;
  active: boolean;
}

async function bootstrap(options: BootstrapOptions): Promise<void> {
  const { tenant, operator, tokenFile } = options;
  const token = tokenFile === undefined ? newToken() : readFileSync(tokenFile, 'utf8').trim();
  const { url, development } = databaseOf(options);
  // A tenant of a development instance is ready at once (R21).
  const active = options.active || development;
  const made = await asOwner(url, 'bootstrap', (pool) =>
    bootstrapTenant(pool, { tenant, operator, token, active }),
  );
  console.log(
    JSON.stringify({
      tenant,
      ledger_id: made.ledgerId,
      generation: made.generation,
      operator: tokenFile === undefined ? { id: operator, token } : { id: operator },
    }),
  );
}
