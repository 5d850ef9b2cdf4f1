import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bootstrapTenant, createPool } from '@countersign/database';
import type { TrustManifest } from '@countersign/protocol';
import type { Command } from 'commander';
import { DEFAULT_DATA, dataDirectory } from '../launcher/data-directory.js';
import { bringUpToDate, plainly } from '../launcher/database.js';
import { newToken } from '../launcher/demo-tenants.js';
import { ensureKeys, trustManifest } from '../launcher/keys.js';
import { PlainError } from '../plain-error.js';
import { STORES_FILE } from '../launcher/stores.js';
import type { StoresFile } from '../launcher/stores.js';

interface DatabaseOptions {
  data?: string;
}

/** Commands for whoever runs an installation. They speak to the database as its owner, never over HTTP. */
export function addOperatorCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the database that DATABASE_URL names to the schema of this release')
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(async (options: DatabaseOptions) => {
      const applied = await bringUpToDate(databaseOf(options).url);
      console.log(applied.length === 0 ? 'up to date' : `applied ${applied.join(', ')}`);
    });

  program
    .command('bootstrap')
    .description(
      'make a tenant and its first operator, and print its token: the only time it is shown',
    )
    .requiredOption('--tenant <name>', 'name of the new tenant')
    .option('--operator <id>', 'principal id of its operator', 'operator-1')
    .option('--token-file <file>', 'take the token from a file, and do not print it')
    .option(
      '--active',
      'ready at once, for development; otherwise fenced until the next start',
      false,
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(bootstrap);

  program
    .command('keygen')
    .description(
      'make the signing keys that are missing, the key of caller tokens and the trust manifest',
    )
    .requiredOption('--dir <dir>', 'folder of the private keys')
    .requiredOption(
      '--issuer <origin>',
      'exact origin of the service, for example https://review.example',
    )
    .action(({ dir, issuer }: { dir: string; issuer: string }) => {
      ensureKeys(dir);
      const files = dataDirectory(dir);
      const known = files.read<TrustManifest>('trust.json');
      files.write('trust.json', trustManifest(dir, issuer, known, Date.now()));
      console.log(`keys in ${dir}, trust manifest in ${join(dir, 'trust.json')}`);
    });
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
  const pool = createPool({ url, application: 'countersign bootstrap', max: 1 });
  try {
    const made = await plainly(url, () =>
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
  } finally {
    await pool.end();
  }
}

/** The database that DATABASE_URL names, else that of the instance which `npm start` runs on this machine. */
function databaseOf({ data }: DatabaseOptions): { url: string; development: boolean } {
  const named = data === undefined ? process.env['DATABASE_URL'] : undefined;
  if (named) return { url: named, development: false };
  const directory = data ?? DEFAULT_DATA;
  const url = dataDirectory(directory).read<StoresFile>(STORES_FILE)?.urls.DATABASE_URL;
  if (url !== undefined) return { url, development: true };
  throw new PlainError(
    `DATABASE_URL is not set, and no instance runs on ${directory}. Set it to postgres://user@host:port/database, ` +
      'or start an instance with `npm start` and name its data directory with --data DIR.',
  );
}
