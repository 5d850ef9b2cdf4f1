import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { KEY_HOLDERS, SERVICES, VALID_DAYS, ensureKeys, trustManifest } from '../keys.js';
import type { KeyHolder } from '../keys.js';
import { PlainError } from '../plain-error.js';
import { readTrustFile, writeTrustFile } from '../trust-file.js';

interface KeygenOptions {
  readonly dir: string;
  readonly issuer: string;
  readonly only?: readonly KeyHolder[];
  readonly trust?: string;
  readonly validDays: number;
}

/** `countersign keygen`: the keys of an installation, all in one folder or each holder's in its own (docs/keys.md). */
export function addKeygenCommand(program: Command): void {
  program
    .command('keygen')
    .description(
      'create missing keys: signing keys of services, keys between gateway and services, and the trust manifest',
    )
    .requiredOption('--dir <dir>', 'folder of the private keys')
    .requiredOption(
      '--issuer <origin>',
      'exact origin of the service, for example https://review.example',
    )
    .addOption(
      new Option('--only <holders...>', 'only the keys of these, in a folder of their own').choices(
        KEY_HOLDERS,
      ),
    )
    .option('--trust <file>', 'trust manifest for new keys; default: trust.json in the folder')
    .addOption(validDaysOption())
    .action(keygen);
}

/** How long a new key is valid. */
export function validDaysOption(): Option {
  return new Option('--valid-days <days>', 'validity of a new signing key in days')
    .default(VALID_DAYS)
    .argParser((text) => {
      const days = Number(text);
      if (Number.isInteger(days) && days >= 1 && days <= 3650) return days;
      throw new InvalidArgumentError('Give a number of days from 1 to 3650.');
    });
}

function keygen({ dir, issuer, only = KEY_HOLDERS, trust, validDays }: KeygenOptions): void {
  ensureKeys(dir, only);
  console.log(`keys of ${only.join(', ')} in ${dir}`);
  const services = SERVICES.filter((service) => only.includes(service));
  if (services.length === 0) return;
  const file = trust ?? join(dir, 'trust.json');
  const known = existsSync(file) ? readTrustFile(file) : null;
  if (known !== null && known.issuer !== issuer) {
    throw new PlainError(
      `${file} is of the issuer ${known.issuer}: name that one, or another file.`,
    );
  }
  writeTrustFile(file, trustManifest(dir, issuer, known, Date.now(), services, validDays));
  console.log(`trust manifest in ${file}`);
}
