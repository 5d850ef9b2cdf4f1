import { createPool } from '@countersign/database';
import { SecurityReadingStore } from '@countersign/ledger';
import { INSTALLATION } from '@countersign/protocol';
import type { SecurityEntry, SecurityPages } from '@countersign/protocol';
import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { plainly } from '../database.js';
import { PlainError } from '../plain-error.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

interface SecurityLogOptions extends DatabaseOptions {
  readonly tenant?: string;
  readonly after: number;
}

const BATCH = 1000;
/** The limit of one document for the verifier. */
const MOST = 100_000;

/** `countersign security-log`: the chain that belongs to no tenant has no other reader. */
export function addSecurityLogCommand(program: Command): void {
  program
    .command('security-log')
    .description(
      'print a security log with its checkpoints, as `countersign verify` reads it (docs/security-log.md)',
    )
    .option('--tenant <name>', 'name of the tenant; default: the log of the installation itself')
    .option('--after <sequence>', `from behind this entry on, ${MOST} at most`, sequence, 0)
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(async ({ tenant, after, ...options }: SecurityLogOptions) => {
      const { url } = databaseOf(options);
      const pool = createPool({ url, application: 'countersign security-log', max: 1 });
      try {
        const store = new SecurityReadingStore(pool);
        const pages = await plainly(url, () => pagesOf(store, tenant ?? INSTALLATION, after));
        if (pages === null) throw new PlainError(`There is no security log of ${tenant}.`);
        console.log(JSON.stringify(pages));
      } finally {
        await pool.end();
      }
    });
}

async function pagesOf(
  store: SecurityReadingStore,
  tenant: string,
  after: number,
): Promise<SecurityPages | null> {
  const log = await store.end(tenant);
  if (log === undefined) return null;
  const entries: SecurityEntry[] = [];
  let end = after;
  let isLast = false;
  while (!isLast && entries.length < MOST) {
    const batch = await store.chain(tenant, end, BATCH);
    entries.push(...batch);
    end = batch.at(-1)?.sequence ?? end;
    isLast = batch.length < BATCH;
  }
  const checkpoints = await store.checkpoints(tenant, after, end);
  return {
    security_log: { tenant, ledger_id: log.ledger_id },
    entries,
    checkpoints: checkpoints.map((text) => JSON.parse(text)),
    next: isLast ? null : String(end),
  };
}

function sequence(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give the number of an entry.');
  return Number(text);
}
