import { producersNamed } from '@countersign/database';
import type { KnownProducer } from '@countersign/database';
import { IDENTIFIER } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { DEFAULT_DATA, dataDirectory } from '../data-directory.js';
import { asOwner } from '../database.js';
import { PlainError } from '../plain-error.js';
import { fingerprintOf, readTrustFile } from '../trust-file.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';
import { writeWhole } from './whole-file.js';

interface ConnectionOptions extends DatabaseOptions {
  readonly producer: string;
  readonly out: string;
  readonly tenant?: string;
  readonly trust?: string;
  readonly tokenEnv?: string;
  readonly tokenFile?: string;
  readonly anchorStore?: string;
}

/** All that a producer's program needs to call the service and to verify its records, but for the token. */
export interface ConnectionFile {
  /** The issuer of the manifest: the exact origin of the service. */
  readonly origin: string;
  readonly tenant: string;
  readonly producer: string;
  /** Pinned: the program never fetches it from the service that it judges. */
  readonly trust: TrustManifest;
  /** Where the program finds the token: an environment variable, or a file. */
  readonly token_env?: string;
  readonly token_file?: string;
  /** The folder of the anchor store's copy, on the machine of the program. */
  readonly anchor_store?: string;
}

const DEFAULT_TOKEN_ENV = 'COUNTERSIGN_TOKEN';

/** `countersign connection`: writes the file that a producer's program is given. It holds nothing secret. */
export function addConnectionCommand(program: Command): void {
  program
    .command('connection')
    .description('write the file by which a producer’s program reaches and verifies the service')
    .requiredOption('--producer <id>', 'principal id of the producer')
    .requiredOption('--out <file>', 'the file to write, such as countersign.json')
    .option(
      '--tenant <name>',
      'name of its tenant; needed when several tenants have such a producer',
    )
    .addOption(
      new Option('--trust <file>', 'the trust manifest; default: that of --data').env('TRUST_FILE'),
    )
    .option(
      '--token-env <name>',
      `the environment variable of the program that holds the token; default: ${DEFAULT_TOKEN_ENV}`,
    )
    .addOption(
      new Option(
        '--token-file <file>',
        'or the file that holds it, where the program runs; it is not read here',
      ).conflicts('tokenEnv'),
    )
    .option(
      '--anchor-store <dir>',
      'folder of the anchor store’s copy, where the program runs (docs/anchoring.md)',
    )
    .option('--data <dir>', 'instead of DATABASE_URL: data directory of an instance that runs here')
    .action(writeConnection)
    .addHelpText(
      'after',
      '\nThe token is never in the file: hand it over by another way. Send the printed fingerprint of the trust manifest by\n' +
        'another way too, so that its receiver can compare it with that of the file: `countersign trust fingerprint`.',
    );
}

async function writeConnection(options: ConnectionOptions): Promise<void> {
  if (options.tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(options.tokenEnv)) {
    // The name is not quoted: it may be the token itself.
    throw new PlainError('--token-env takes the name of an environment variable, not the token.');
  }
  const trust = readTrustFile(trustFileOf(options));
  const producer = await producerOf(options);
  const connection: ConnectionFile = {
    origin: trust.issuer,
    tenant: producer.tenant,
    producer: producer.id,
    trust,
    ...(options.tokenFile === undefined
      ? { token_env: options.tokenEnv ?? DEFAULT_TOKEN_ENV }
      : { token_file: options.tokenFile }),
    ...(options.anchorStore === undefined ? {} : { anchor_store: options.anchorStore }),
  };
  writeWhole(options.out, `${JSON.stringify(connection, null, 2)}\n`, 0o644);
  console.log(
    `${options.out}: ${producer.id} of ${producer.tenant} at ${trust.issuer}, ${producer.owner === null ? 'without an owner' : `owned by ${producer.owner}`}`,
  );
  console.log(`trust ${fingerprintOf(trust)}`);
}

function trustFileOf({ trust, data }: ConnectionOptions): string {
  if (trust !== undefined) return trust;
  if (data === undefined && process.env['DATABASE_URL'] !== undefined)
    throw new PlainError('Name the trust manifest with --trust, or set TRUST_FILE.');
  return dataDirectory(data ?? DEFAULT_DATA).at('trust.json');
}

async function producerOf(options: ConnectionOptions): Promise<KnownProducer> {
  const { producer: id, tenant } = options;
  if (!IDENTIFIER.test(id)) throw new PlainError('--producer takes the id of a principal.');
  const found = await asOwner(databaseOf(options).url, 'connection', (pool) =>
    producersNamed(pool, id, tenant ?? null),
  );
  const [producer, another] = found;
  if (producer === undefined) {
    const where = tenant === undefined ? 'No tenant has an' : `The tenant ${tenant} has no`;
    throw new PlainError(
      `${where} enabled producer ${id}. An operator configures one with PUT /v2/admin/principals/${id}.`,
    );
  }
  if (another !== undefined) {
    const names = found.map((each) => each.tenant).join(', ');
    throw new PlainError(
      `Several tenants have a producer ${id}: ${names}. Name one with --tenant.`,
    );
  }
  return producer;
}
