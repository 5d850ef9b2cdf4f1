import { readFileSync } from 'node:fs';
import {
  addAuditor,
  addOperator,
  disableOperator,
  listOperators,
  retireToken,
  rotateOperator,
} from '@countersign/database';
import type { KnownOperator, OperatorScope, OwnerPool } from '@countersign/database';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { newToken } from '../bearer-token.js';
import { asOwner } from '../database.js';
import { PlainError } from '../plain-error.js';
import { databaseOf } from './database-of.js';
import type { DatabaseOptions } from './database-of.js';

interface TenantOptions extends DatabaseOptions {
  tenant: string;
}

interface OperatorOptions extends TenantOptions {
  id: string;
}

interface TokenOptions extends OperatorOptions {
  tokenFile?: string;
  expires?: number;
}

interface AddOptions extends TokenOptions {
  scope: OperatorScope;
  subject?: string;
  issuer?: string;
  name?: string;
}

/**
 * `countersign operator`: operators with a token (protocol R42), and auditors with a token or a login (R41). A token is
 * printed once, and is in no argument and no log.
 */
export function addBearerOperatorCommands(program: Command): void {
  const operator = program
    .command('operator')
    .description(
      'add, rotate, disable and list a tenant’s operators with a token, and its auditors',
    );

  ofOne(operator.command('add'))
    .description(
      'create an operator with a token, and print the token, once; or an auditor who logs in',
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'its rights: all; metrics (ledger.metrics, gateway.metrics-text), for Prometheus; or the security log, for an auditor',
      )
        .choices(['all', 'metrics', 'security-log'])
        .default('all'),
    )
    .option('--expires <time>', 'lifetime of the token, such as 90d, 12h or 30m', secondsOf)
    .option('--token-file <file>', 'read the token from a file, and do not print it')
    .addOption(
      new Option(
        '--subject <subject>',
        'with --scope security-log: no token, but a person who logs in, by the subject at the identity provider',
      ).conflicts(['tokenFile', 'expires']),
    )
    .addOption(
      new Option(
        '--issuer <issuer>',
        'with --subject: the identity provider, as OIDC_ISSUER has it',
      ).env('OIDC_ISSUER'),
    )
    .option('--name <name>', 'with --subject: the person’s name on the pages')
    .action(({ scope, ...options }: AddOptions) =>
      options.subject === undefined
        ? withToken(options, (pool, made) => addOperator(pool, made, scope))
        : addPerson(scope, options, options.subject),
    );

  ofOne(operator.command('rotate'))
    .description(
      'give an operator a new token, and print it; the old one stays valid until --keep is over or --retire',
    )
    .option('--keep <time>', 'lifetime of the old token from now on, such as 1h', secondsOf)
    .option('--expires <time>', 'lifetime of the new token, such as 90d', secondsOf)
    .option('--token-file <file>', 'read the new token from a file, and do not print it')
    .addOption(
      new Option('--retire', 'end all tokens but the newest, without creating one')
        .default(false)
        .conflicts(['keep', 'expires', 'tokenFile']),
    )
    .action(({ keep, retire, ...options }: TokenOptions & { keep?: number; retire: boolean }) =>
      retire
        ? withDatabase(options, async (pool) =>
            print(options, await retireToken(pool, options.tenant, options.id)),
          )
        : withToken(options, (pool, made) => rotateOperator(pool, made, keep ?? null)),
    );

  ofOne(operator.command('disable'))
    .description('end an operator or auditor with its tokens and sessions, for good')
    .action((options: OperatorOptions) =>
      withDatabase(options, async (pool) =>
        print(options, await disableOperator(pool, options.tenant, options.id)),
      ),
    );

  ofTenant(operator.command('list'))
    .description('list a tenant’s operators with a token, and its auditors, one a line')
    .action((options: TenantOptions) =>
      withDatabase(options, async (pool) => {
        for (const known of await listOperators(pool, options.tenant)) print(options, known);
      }),
    );
}

function ofTenant(command: Command): Command {
  return command
    .requiredOption('--tenant <name>', 'name of the tenant')
    .option(
      '--data <dir>',
      'instead of DATABASE_URL: data directory of an instance that runs here',
    );
}

function ofOne(command: Command): Command {
  return ofTenant(command).requiredOption('--id <id>', 'principal id of the operator');
}

function withDatabase(
  options: DatabaseOptions,
  work: (pool: OwnerPool) => Promise<void>,
): Promise<void> {
  return asOwner(databaseOf(options).url, 'operator', work);
}

async function withToken(
  options: TokenOptions,
  work: (
    pool: OwnerPool,
    made: { tenant: string; id: string; token: string; expiresInSeconds: number | null },
  ) => Promise<KnownOperator>,
): Promise<void> {
  const { tenant, id, tokenFile, expires } = options;
  const token = tokenFile === undefined ? newToken() : readFileSync(tokenFile, 'utf8').trim();
  await withDatabase(options, async (pool) => {
    const known = await work(pool, { tenant, id, token, expiresInSeconds: expires ?? null });
    print(options, known, tokenFile === undefined ? token : undefined);
  });
}

/** The issuer must be the gateway's: with another one, the login would not find the person. */
async function addPerson(
  scope: OperatorScope,
  { issuer, name, ...options }: Omit<AddOptions, 'scope'>,
  subject: string,
): Promise<void> {
  if (scope !== 'security-log') {
    throw new PlainError(
      '--subject is for --scope security-log: request.configure-principal creates other people.',
    );
  }
  const configured = process.env['OIDC_ISSUER'];
  if (!issuer) throw new PlainError('Give --issuer, or set OIDC_ISSUER.');
  if (configured && configured !== issuer) {
    throw new PlainError(`--issuer is not OIDC_ISSUER, which is ${configured}.`);
  }
  const { tenant, id } = options;
  await withDatabase(options, async (pool) =>
    print(
      options,
      await addAuditor(pool, { tenant, id, name: name ?? null, person: { issuer, subject } }),
    ),
  );
}

function print({ tenant }: TenantOptions, known: KnownOperator, token?: string): void {
  const { id, scope, enabled, tokenSince, expiresAt, former, person } = known;
  console.log(
    JSON.stringify({
      tenant,
      id,
      scope,
      enabled,
      token_since: timeOf(tokenSince),
      expires_at: timeOf(expiresAt),
      former_token: former === null ? null : { valid_until: timeOf(former.until) },
      ...(person === null ? {} : { person }),
      ...(token === undefined ? {} : { token }),
    }),
  );
}

function timeOf(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `90d` in seconds. */
function secondsOf(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined) {
    throw new InvalidArgumentError('Give a number and s, m, h or d, such as 90d.');
  }
  return Number(amount) * seconds;
}
