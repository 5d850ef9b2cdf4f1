import type { RoleName } from '@countersign/database';
import { loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration, ConfigurationFault, ConfigurationShape } from '@countersign/platform';
import {
  EXTENSION_PROFILES,
  HOLD_CAPABILITY,
  KEY_PROFILE,
  profilesAmong,
} from '@countersign/protocol';
import { z } from 'zod';
import { NATS_TRANSPORT, databaseFaults, natsFaults } from './store-transport.js';

const DATABASE =
  'postgres://user:password@host:port/database, in production with ?sslmode=verify-full';

const USERNAME = 'the user name, instead of one in the URL';
const PASSWORD = 'the password, instead of one in the URL';

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
  CAPABILITIES: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((name) => name.trim() || []))
    .describe(
      'names of capabilities that the deployment offers, separated by commas; development only in this release: proto.approval; with it proto.human-key and proto.legal-hold',
    ),
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

/** How all roles log in, where none has variables of its own. */
export const LOGIN = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected a postgres:// URL')
    .describe(DATABASE),
  DATABASE_USERNAME: z.string().optional().describe(USERNAME),
  DATABASE_PASSWORD: z.string().optional().describe(PASSWORD),
} as const;

/** Variables that every target with a database reads. */
export const COMMON = {
  ...BUS,
  ORIGIN: z.url().describe('the exact origin that callers use, such as https://review.example'),
  ...LOGIN,
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
    ...capabilityFaults(config),
  ];
}

/** A deployment's capabilities, each with its version (protocol §18.10). */
export function offeredCapabilities({ CAPABILITIES }: BusConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(KNOWN_CAPABILITIES).filter(([name]) => CAPABILITIES.includes(name)),
  );
}

/** The profiles among them (protocol §18). */
export function offeredProfiles(config: BusConfig): Readonly<Record<string, string>> {
  return profilesAmong(offeredCapabilities(config));
}

function capabilityFaults({ MODE, CAPABILITIES }: BusConfig): ConfigurationFault[] {
  if (CAPABILITIES.some((name) => !Object.hasOwn(KNOWN_CAPABILITIES, name))) {
    return [UNKNOWN_CAPABILITY];
  }
  // All others belong to it: seats and custodians are members of its groups.
  if (CAPABILITIES.length > 0 && !CAPABILITIES.includes('proto.approval')) {
    return [INCOMPLETE_CAPABILITY];
  }
  return CAPABILITIES.length > 0 && MODE === 'production' ? [UNFINISHED_CAPABILITY] : [];
}

/** Whether stores must be reached by TLS (protocol R40). */
export function refusesPlaintext({ MODE, ALLOW_PLAINTEXT_STORES }: Partial<BusConfig>): boolean {
  return MODE === 'production' && ALLOW_PLAINTEXT_STORES !== true;
}

const KNOWN_CAPABILITIES = { ...EXTENSION_PROFILES, ...KEY_PROFILE, ...HOLD_CAPABILITY } as const;

const UNKNOWN_CAPABILITY: ConfigurationFault = {
  variable: 'CAPABILITIES',
  wrong: 'names a capability that this release does not know',
  remedy: `Use names of this list, separated by commas: ${Object.keys(KNOWN_CAPABILITIES).join(', ')}.`,
};

const INCOMPLETE_CAPABILITY: ConfigurationFault = {
  variable: 'CAPABILITIES',
  wrong: 'names a capability without proto.approval, which it belongs to',
  remedy: 'Add proto.approval, or leave the others out.',
};

/** A request that several people decide could be created, and never be decided (decisions/0036). */
const UNFINISHED_CAPABILITY: ConfigurationFault = {
  variable: 'CAPABILITIES',
  wrong: 'names a capability whose operations are not complete, and MODE is production',
  remedy: 'Leave it empty in production. docs/upgrades.md says when it may be set.',
};

const HALF_A_PAIR: ConfigurationFault = {
  variable: 'NATS_CERT',
  wrong: 'and NATS_KEY belong together, and one of them is missing',
  remedy: 'Set both, or none of them.',
};

/** `DATABASE_URL_<ROLE>`, `DATABASE_USERNAME_<ROLE>`, `DATABASE_PASSWORD_<ROLE>`: how a role logs in by itself. */
export function databaseLoginShape(role: RoleName): ConfigurationShape {
  const { url, username, password } = loginVariables(role);
  return {
    [url]: z.string().optional().describe(DATABASE),
    [username]: z.string().optional().describe(USERNAME),
    [password]: z.string().optional().describe(PASSWORD),
  };
}

/**
 * The URL with which a role logs in: by its own variables where there are any, else by the common ones. Files are read
 * again with every call, for passwords change.
 *
 * @throws ConfigurationError for a file that cannot be read, and in production for a URL without verified TLS
 */
export function databaseUrlOf(
  role: RoleName,
  config: CommonConfig,
  env: NodeJS.ProcessEnv,
): string {
  const names = loginVariables(role);
  const read = (shape: ConfigurationShape, variable: string) =>
    loadConfig(shape, env, (given) => {
      const url = given[variable] as string | undefined;
      return url !== undefined && refusesPlaintext(config) ? databaseFaults(variable, url) : [];
    }) as Readonly<Record<string, string | undefined>>;
  const common = read(LOGIN, 'DATABASE_URL');
  const own = read(databaseLoginShape(role), names.url);
  // The common login belongs to the common URL.
  const login = own[names.url] === undefined ? common : {};
  return withCredentials(
    own[names.url] ?? (common['DATABASE_URL'] as string),
    own[names.username] ?? login['DATABASE_USERNAME'],
    own[names.password] ?? login['DATABASE_PASSWORD'],
  );
}

function loginVariables(role: RoleName): Record<'url' | 'username' | 'password', string> {
  const suffix = role.toUpperCase().replaceAll('-', '_');
  return {
    url: `DATABASE_URL_${suffix}`,
    username: `DATABASE_USERNAME_${suffix}`,
    password: `DATABASE_PASSWORD_${suffix}`,
  };
}

/** The client takes parameters before what stands in front of the host, where not every URL has room for a name. */
export function withCredentials(url: string, username?: string, password?: string): string {
  if (username === undefined && password === undefined) return url;
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  if (username !== undefined) parameters.set('user', username);
  if (password !== undefined) parameters.set('password', password);
  return `${address}?${parameters.toString()}`;
}
