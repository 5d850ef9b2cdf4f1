import { readFileSync } from 'node:fs';
import { TransitEngine } from '@countersign/platform';
import type { TransitVersion } from '@countersign/platform';
import { SIGNING_POLICY, addKey, fingerprintWords, revokeKey } from '@countersign/protocol';
import type { NewKey, SigningService, TrustManifest } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { newKey } from '../keys.js';
import { PlainError } from '../plain-error.js';
import { keyInUse } from '../rotation.js';
import { listedAs } from '../service-signer.js';
import { transitOf } from '../signing-settings.js';
import { fingerprintOf, readTrustFile, trustOfConnection, writeTrustFile } from '../trust-file.js';
import { timeOf } from './flags.js';

interface AddOptions {
  readonly trust: string;
  readonly publicKey?: string;
  readonly vault?: string;
  readonly from?: string;
  readonly until?: string;
}

/** `countersign trust`: the manifest that says whose signatures count, and when (protocol §2.4). */
export function addTrustCommand(program: Command): void {
  const trust = program
    .command('trust')
    .description('print and change a trust manifest; services take it at their next start');

  trust
    .command('print')
    .description('list the keys with their validity')
    .requiredOption('--trust <file>', 'the trust manifest')
    .option('--dir <dir>', 'folder of private keys, to mark the listed keys that are in use')
    .action(({ trust: file, dir }: { trust: string; dir?: string }) => {
      const manifest = readTrustFile(file);
      console.log(`issuer ${manifest.issuer}`);
      for (const line of linesOf(manifest, inUse(manifest, dir), Date.now())) console.log(line);
    });

  trust
    .command('fingerprint')
    .description(
      'print SHA-256 of the canonical manifest as hex and as words, to be compared over another way than the manifest came by',
    )
    .option('--trust <file>', 'the trust manifest')
    .addOption(
      new Option('--connection <file>', 'or a connection file, which pins it').conflicts('trust'),
    )
    .action(({ trust: file, connection }: { trust?: string; connection?: string }) => {
      const print = (manifest: TrustManifest) => {
        const fingerprint = fingerprintOf(manifest);
        console.log(`${fingerprint}\n${fingerprintWords(fingerprint)}`);
      };
      if (connection !== undefined) print(trustOfConnection(connection));
      else if (file !== undefined) print(readTrustFile(file));
      else throw new PlainError('Name a manifest with --trust, or a file with --connection.');
    });

  trust
    .command('add')
    .description('list one more public key, from a file or from a transit engine')
    .argument(
      '<key>',
      'its id; for a service’s key the service’s name, a hyphen and a new suffix: review-2. Verifiers accept it for that service’s records only',
    )
    .requiredOption('--trust <file>', 'the trust manifest')
    .option('--public-key <file>', 'the Ed25519 public key in PEM form')
    .option('--vault <name>', 'or the newest version of that key of VAULT_ADDR’s transit engine')
    .option('--from <time>', 'its start, as 2026-05-01T09:00:00Z; default: an hour ago')
    .option('--until <time>', 'its end; default: in a year')
    .action(async (keyId: string, options: AddOptions) => {
      const manifest = readTrustFile(options.trust);
      const key = await keyOf(keyId, options);
      const listed = listedAs(manifest, key.publicPem);
      if (listed !== null) throw new PlainError(`This key is listed already, as ${listed}.`);
      writeTrustFile(options.trust, addKey(manifest, key));
      console.log(`${keyId} is listed in ${options.trust}`);
    });

  trust
    .command('revoke')
    .description(
      'invalidate all records that a key signs from a moment on, such as that of a theft',
    )
    .argument('<key>', 'id of the key, as `trust print` lists it')
    .requiredOption('--trust <file>', 'the trust manifest')
    .option('--at <time>', 'the moment, as 2026-05-01T09:00:00Z; default: now')
    .action((keyId: string, { trust: file, at }: { trust: string; at?: string }) => {
      const moment = timeOf('--at', at) ?? Date.now();
      const revoked = changed(() => revokeKey(readTrustFile(file), keyId, moment));
      writeTrustFile(file, revoked);
      console.log(
        `${keyId} is revoked in ${file} from ${new Date(moment).toISOString()} on. ` +
          'Distribute the manifest; no service starts with that key any more.',
      );
    });
}

async function keyOf(keyId: string, options: AddOptions): Promise<NewKey> {
  const { publicKey, vault } = options;
  if ((publicKey === undefined) === (vault === undefined)) {
    throw new PlainError('Name the key by one of --public-key and --vault.');
  }
  const publicPem = publicKey === undefined ? await newestOf(vault ?? '') : fileOf(publicKey);
  const usual = changed(() => newKey(keyId, publicPem, Date.now()));
  return {
    ...usual,
    keyId,
    notBefore: timeOf('--from', options.from) ?? usual.notBefore,
    notAfter: timeOf('--until', options.until) ?? usual.notAfter,
  };
}

async function newestOf(name: string): Promise<string> {
  let newest: TransitVersion | undefined;
  try {
    const engine = new TransitEngine(transitOf({ MODE: 'development' }, process.env));
    [newest] = await engine.versions(name);
  } catch (error) {
    throw new PlainError(`--vault ${name}: ${(error as Error).message}`);
  }
  if (newest === undefined)
    throw new PlainError(`--vault ${name}: it has no version that can sign.`);
  return newest.publicPem;
}

function fileOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlainError(`${file}: cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** An objection to a change of the manifest is shown to the operator. */
function changed<T>(change: () => T): T {
  try {
    return change();
  } catch (error) {
    if (error instanceof RangeError) throw new PlainError(error.message);
    if (error instanceof PlainError) throw error;
    throw new PlainError('This is no Ed25519 public key in PEM form.');
  }
}

function inUse(manifest: TrustManifest, dir: string | undefined): ReadonlyMap<string, string> {
  const services = dir === undefined ? [] : (Object.keys(SIGNING_POLICY) as SigningService[]);
  return new Map(
    services.flatMap((service): [string, string][] => {
      const keyId = keyInUse(dir ?? '', service, manifest);
      return keyId === null ? [] : [[keyId, service]];
    }),
  );
}

function linesOf(
  manifest: TrustManifest,
  used: ReadonlyMap<string, string>,
  now: number,
): string[] {
  const width = Math.max(...manifest.keys.map(({ key_id }) => key_id.length));
  return manifest.keys.map(({ key_id, not_before, not_after, revoked_at }) => {
    const service = used.get(key_id);
    const state =
      revoked_at !== undefined
        ? `revoked from ${revoked_at} on`
        : now < Date.parse(not_before)
          ? 'not yet valid'
          : now >= Date.parse(not_after)
            ? 'ended'
            : 'valid';
    const use = service === undefined ? '' : `, signs for ${service}`;
    return `${key_id.padEnd(width)}  ${not_before} to ${not_after}  ${state}${use}`;
  });
}
