import type { RoleName } from '@countersign/database';
import { loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration, ConfigurationFault, ConfigurationShape } from '@countersign/platform';
import { z } from 'zod';
import { NATS_TRANSPORT, databaseFaults, natsFaults } from './store-transport.js';

const DATABASE =
  'postgres://user:password@host:port/database, in production with ?sslmode=verify-full';

/** Variables that every target reads, in production and development. Each may also be given as `<name>_FILE`. */
export const BUS = {
  MODE: z.enum(['development', 'production']).describe('development or production'),
  NATS_URL: z
    .string()
    .optional()
    .describe('tls://host:port, or nats:// in development; without it the bus is this process'),
  NATS_USER: z.string().optional().describe('the name of this target’s NATS login'),
  NATS_PASSWORD: z.string().optional().describe('the password that belongs to NATS_USER'),
  NATS_CREDENTIALS: z
    .string()
    .optional()
    .describe('the text of a NATS credentials file, instead of name and password'),
  ...NATS_TRANSPORT,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('trace, debug, info, warn, error, fatal or silent'),
} as const;

export type BusConfig = Configuration<typeof BUS>;

/** All settings of a target without a database and without keys. */
export function busConfig(env: NodeJS.ProcessEnv): BusConfig {
  return loadConfig(BUS, env, busFaults);
}

/** Variables that every target with a database reads. */
export const COMMON = {
  ...BUS,
  ORIGIN: z.url().describe('the exact origin that callers use, such as https://review.example'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected a postgres:// URL')
    .describe(DATABASE),
  TRUST: z.string().describe('the trust manifest as JSON; usually TRUST_FILE'),
  DATABASE_CONNECTIONS: wholeNumber(1, 200)
    .default(10)
    .describe('the most connections of one service of this process'),
} as const;

export type CommonConfig = Configuration<typeof COMMON>;

/** The settings that the process itself needs first. */
export const PROCESS = {
  LOG_LEVEL: BUS.LOG_LEVEL,
  HEALTH_PORT: wholeNumber(0, 65535)
    .optional()
    .describe(
      'a port for /livez, /readyz and /metrics; with it a process that misses something waits instead of exiting',
    ),
} as const;

export function processConfig(env: NodeJS.ProcessEnv): Configuration<typeof PROCESS> {
  return loadConfig(PROCESS, env);
}

export function commonConfig(env: NodeJS.ProcessEnv): CommonConfig {
  return loadConfig(COMMON, env, (config) => [
    ...busFaults(config),
    ...(refusesPlaintext(config) ? databaseFaults('DATABASE_URL', config.DATABASE_URL) : []),
  ]);
}

function busFaults(config: BusConfig): ConfigurationFault[] {
  const { NATS_URL, NATS_CERT, NATS_KEY } = config;
  return [
    ...(refusesPlaintext(config) ? natsFaults(NATS_URL) : []),
    ...((NATS_CERT === undefined) === (NATS_KEY === undefined) ? [] : [HALF_A_PAIR]),
  ];
}

/** Whether stores must be reached by TLS (protocol R40). */
export function refusesPlaintext({ MODE, ALLOW_PLAINTEXT_STORES }: Partial<BusConfig>): boolean {
  return MODE === 'production' && ALLOW_PLAINTEXT_STORES !== true;
}

const HALF_A_PAIR: ConfigurationFault = {
  variable: 'NATS_CERT',
  wrong: 'and NATS_KEY belong together, and one of them is missing',
  remedy: 'Set both, or none of them.',
};

/** `DATABASE_URL_<ROLE>`: how a role logs in by itself. */
export function databaseUrlShape(role: RoleName): ConfigurationShape {
  return { [databaseUrlVariable(role)]: z.string().optional().describe(DATABASE) };
}

/** `DATABASE_URL_<ROLE>` where a role logs in by itself, else the common URL. */
export function databaseUrlOf(
  role: RoleName,
  config: CommonConfig,
  env: NodeJS.ProcessEnv,
): string {
  const name = databaseUrlVariable(role);
  const faults = (given: { readonly [of: string]: unknown }) => {
    const url = given[name] as string | undefined;
    return url !== undefined && refusesPlaintext(config) ? databaseFaults(name, url) : [];
  };
  const given = loadConfig(databaseUrlShape(role), env, faults)[name] as string | undefined;
  return given ?? config.DATABASE_URL;
}

function databaseUrlVariable(role: RoleName): string {
  return `DATABASE_URL_${role.toUpperCase().replaceAll('-', '_')}`;
}
