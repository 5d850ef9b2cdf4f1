import { readFileSync } from 'node:fs';
import { createOwnerPool, treeStatus } from '@countersign/database';
import type { TreeAccess } from '@countersign/database';
import {
  loadTrust,
  logKeys,
  noteKeyId,
  parseStrictJson,
  readNote,
  readTreeHead,
  treeOrigin,
  treePrefix,
  verifierKeyText,
} from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { plainly } from '../database.js';
import { PlainError } from '../plain-error.js';
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
      const trust = trustIn(file);
      const pool = createOwnerPool({ url, application: 'countersign tree', max: 1 });
      try {
        const setting = await plainly(url, () => treeStatus(pool, tenant, access));
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
      } finally {
        await pool.end();
      }
    });
}

/** Of the keys of the manifest that which signed the newest checkpoint; empty before there is one. */
function verifierKeys(trust: Trust, origin: string, note: string | null): string[] {
  const signed = new Set(readNote(note ?? '')?.signatures.map(({ keyId }) => keyId));
  return logKeys(origin, trust)
    .filter((key) => signed.has(noteKeyId(key)))
    .map(verifierKeyText);
}

function trustIn(file: string): Trust {
  try {
    return loadTrust(parseStrictJson(readFileSync(file)));
  } catch {
    throw new PlainError(`${file}: this is no trust manifest.`);
  }
}
