import { treeStatus } from '@countersign/database';
import type { TreeAccess } from '@countersign/database';
import {
  logKeys,
  noteKeyId,
  readNote,
  readTreeHead,
  treeOrigin,
  treePrefix,
  verifierKeyText,
} from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { asOwner } from '../database.js';
import { PlainError } from '../plain-error.js';
import { loadTrustFile } from '../trust-file.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

interface TreeOptions extends DatabaseOptions {
  tenant: string;
  trust: string;
  access?: TreeAccess;
}

/** `countersign tree`: the settings of witnesses and monitors, and the access. */
export function addTreeCommand(program: Command): void {
  program
    .command('tree')
    .description(
      'print origin, prefix, verifier key and access of a tenant’s Merkle tree (docs/merkle.md)',
    )
    .requiredOption('--tenant <name>', 'name of the tenant')
    .requiredOption('--trust <file>', 'the trust manifest of the service')
    .addOption(
      new Option(
        '--access <who>',
        'new access: operators only, operators with checkpoints sent to witnesses, or the public',
      ).choices(['operators', 'witnesses', 'public']),
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(async ({ tenant, trust: file, access, ...options }: TreeOptions) => {
      const { url } = databaseOf(options);
      const trust = loadTrustFile(file);
      const setting = await asOwner(url, 'tree', (pool) => treeStatus(pool, tenant, access));
      if (setting === null) throw new PlainError(`There is no tenant ${tenant}.`);
      const { ledgerId, generation, note } = setting;
      const origin = treeOrigin(trust.issuer, ledgerId, generation);
      console.log(
        JSON.stringify({
          tenant,
          access: setting.access,
          origin,
          prefix: `${trust.issuer}${treePrefix(ledgerId, generation)}`,
          size: note === null ? 0 : readTreeHead(readNote(note)?.body ?? '')?.size,
          verifier_keys: verifierKeys(trust, origin, note),
        }),
      );
    });
}

/** Of the keys of the manifest that which signed the newest checkpoint; empty before there is one. */
function verifierKeys(trust: Trust, origin: string, note: string | null): string[] {
  const signed = new Set(readNote(note ?? '')?.signatures.map(({ keyId }) => keyId));
  return logKeys(origin, trust)
    .filter((key) => signed.has(noteKeyId(key)))
    .map(verifierKeyText);
}
