import { z } from 'zod';
import { flag, list, loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration, ConfigurationFault } from '@countersign/platform';
import { SCOPE, validate } from '@countersign/protocol';
import type { WebhookRules } from '@countersign/protocol';
import {
  NATS_TRANSPORT,
  REDIS_CA,
  databaseFaults,
  natsFaults,
  plaintextFaults,
} from './store-transport.js';

const DATABASE =
  'postgres://user:password@host:port/database, in production with ?sslmode=verify-full';

/** Variables that every target reads. Each may also be given as `<name>_FILE`. */
const BUS = {
  MODE: z.enum(['development', 'production']).describe('development or production'),
  NATS_URL: z
    .string()
    .optional()
    .describe('tls://host:port, or nats:// in development; without it the bus is this process'),
  NATS_USER: z.string().optional().describe('the name that this target logs in to NATS with'),
  NATS_PASSWORD: z.string().optional().describe('the password that belongs to NATS_USER'),
  NATS_CREDENTIALS: z
    .string()
    .optional()
    .describe('instead of name and password: the text of a NATS credentials file'),
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
const COMMON = {
  ...BUS,
  ORIGIN: z.url().describe('the exact origin that callers use, such as https://review.example'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected a postgres:// URL')
    .describe(DATABASE),
  REDIS_URL: z.string().optional().describe('rediss://host:port, or redis:// in development'),
  REDIS_CA,
  TRUST: z.string().describe('the trust manifest as JSON; usually TRUST_FILE'),
  QUOTAS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('on; off lifts the quotas of protocol §9.2 and is for development only'),
  DATABASE_CONNECTIONS: wholeNumber(1, 200)
    .default(10)
    .describe('the most connections of one service of this process'),
  SWEEP_SECONDS: wholeNumber(1, 600)
    .default(5)
    .describe('how often a worker looks for deadlines that come soon'),
  SWEEP_BATCH: wholeNumber(1, 10_000)
    .default(1000)
    .describe('how many deadlines a worker reads at once'),
  WORKER_CONCURRENCY: wholeNumber(1, 1000)
    .default(10)
    .describe('how many items one worker of this process does side by side'),
  WORKER_LOCK_SECONDS: wholeNumber(1, 3600)
    .default(30)
    .describe('after how long without a sign of life a worker’s job goes to another'),
  WORKER_PER_SECOND: wholeNumber(0, 100_000)
    .default(0)
    .describe('the most items one worker of this process does in a second; 0: as many as it can'),
  DELETION_CONCURRENCY: wholeNumber(1, 1000)
    .default(2)
    .describe('how many requests one deletion worker deletes side by side; nobody waits for it'),
  DELETION_PER_TENANT: wholeNumber(1, 1_000_000)
    .default(500)
    .describe('how many deadlines of one tenant the deletion worker takes in one sweep'),
  HOUSEKEEPING_SECONDS: wholeNumber(1, 86_400)
    .default(900)
    .describe('how often what is past its age is cleared'),
  HOUSEKEEPING_ROWS: wholeNumber(1, 10_000)
    .default(500)
    .describe(
      'how many rows of one kind and tenant are cleared at once; more follow a second later',
    ),
  WEBHOOK_HOSTS: list().default([]).describe('host names that webhooks may name, with commas'),
  WEBHOOK_ALLOW_PRIVATE: flag()
    .default(false)
    .describe('true lets webhooks reach private addresses and any port; for development only'),
  MAIL_FROM: z
    .string()
    .optional()
    .describe('the sender of mails, such as reviews@example.org; without it nothing is mailed'),
  ANCHOR_DIR: z
    .string()
    .optional()
    .describe('a directory for the local anchor store (development)'),
  ANCHOR_S3_BUCKET: z
    .string()
    .optional()
    .describe('the S3 bucket with Object Lock that checkpoints are kept in (docs/anchoring.md)'),
} as const;

export type CommonConfig = Configuration<typeof COMMON>;

/** What the process itself needs before anything else is known. */
const PROCESS = {
  LOG_LEVEL: BUS.LOG_LEVEL,
  HEALTH_PORT: wholeNumber(0, 65535)
    .optional()
    .describe(
      'a port for /livez, /readyz and /metrics; with it a process that cannot work waits for what it lacks',
    ),
} as const;

export function processConfig(env: NodeJS.ProcessEnv): Configuration<typeof PROCESS> {
  return loadConfig(PROCESS, env);
}

export function commonConfig(env: NodeJS.ProcessEnv): CommonConfig {
  return loadConfig(COMMON, env, (config) => [
    ...(config.MODE === 'production' ? forbiddenInProduction(config) : []),
    ...busFaults(config),
    ...(refusesPlaintext(config) ? plaintextFaults(config) : []),
    ...(config.ANCHOR_DIR !== undefined && config.ANCHOR_S3_BUCKET !== undefined
      ? [TWO_STORES]
      : []),
  ]);
}

function busFaults(config: BusConfig): ConfigurationFault[] {
  const { NATS_URL, NATS_CERT, NATS_KEY } = config;
  return [
    ...(refusesPlaintext(config) ? natsFaults(NATS_URL) : []),
    ...((NATS_CERT === undefined) === (NATS_KEY === undefined) ? [] : [HALF_A_PAIR]),
  ];
}

function refusesPlaintext({ MODE, ALLOW_PLAINTEXT_STORES }: Partial<CommonConfig>): boolean {
  return MODE === 'production' && ALLOW_PLAINTEXT_STORES !== true;
}

const HALF_A_PAIR: ConfigurationFault = {
  variable: 'NATS_CERT',
  wrong: 'and NATS_KEY belong together, and one of them is missing',
  remedy: 'Set both, or none of them.',
};

const TWO_STORES: ConfigurationFault = {
  variable: 'ANCHOR_S3_BUCKET',
  wrong: 'is given beside ANCHOR_DIR',
  remedy: 'There is one anchor store: remove one of the two.',
};

function forbiddenInProduction(config: CommonConfig): ConfigurationFault[] {
  const faults: ConfigurationFault[] = [];
  if (config.ANCHOR_DIR !== undefined) {
    faults.push({
      variable: 'ANCHOR_DIR',
      wrong: 'is set in production',
      remedy: 'A folder proves nothing against its owner: name a bucket by ANCHOR_S3_BUCKET.',
    });
  }
  if (config.QUOTAS === 'off') {
    faults.push({
      variable: 'QUOTAS',
      wrong: 'is off in production',
      remedy: 'Quotas can only be lifted in development; remove it.',
    });
  }
  if (config.WEBHOOK_ALLOW_PRIVATE) {
    faults.push({
      variable: 'WEBHOOK_ALLOW_PRIVATE',
      wrong: 'is true in production',
      remedy: 'Webhooks reach private addresses only in development; remove it.',
    });
  }
  return faults;
}

/** Where webhooks may go (protocol §11.5): `request.configure-principal` refuses others, and so does the sender. */
export function webhookRulesOf(config: CommonConfig): WebhookRules {
  return { hosts: config.WEBHOOK_HOSTS, anyPort: config.WEBHOOK_ALLOW_PRIVATE };
}

/** `SMTP_URL`: how mail leaves, for the one target that sends it. */
export function smtpUrlOf(env: NodeJS.ProcessEnv): string {
  const shape = {
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, 'expected an smtp:// or smtps:// URL')
      .describe('smtps://user:password@host:port, or smtp:// for STARTTLS'),
  };
  return loadConfig(shape, env).SMTP_URL;
}

/** `AUTO_REMINDER_SECONDS`: how long before its deadline a review is reminded of by itself; 0: never. */
export function automaticReminderOf(env: NodeJS.ProcessEnv): number {
  const shape = {
    AUTO_REMINDER_SECONDS: wholeNumber(0, 86_400)
      .default(0)
      .describe('how many seconds before its deadline a review is reminded of; 0: never'),
  };
  return loadConfig(shape, env).AUTO_REMINDER_SECONDS;
}

/** `DATABASE_URL_<ROLE>` where a role logs in by itself, else the common URL. */
export function databaseUrlOf(role: string, config: CommonConfig, env: NodeJS.ProcessEnv): string {
  const name = `DATABASE_URL_${role.toUpperCase().replaceAll('-', '_')}`;
  const shape = {
    [name]: z.string().optional().describe(DATABASE),
  };
  const faults = (given: { readonly [of: string]: unknown }) => {
    const url = given[name] as string | undefined;
    return url !== undefined && refusesPlaintext(config) ? databaseFaults(name, url) : [];
  };
  return (loadConfig(shape, env, faults)[name] as string | undefined) ?? config.DATABASE_URL;
}

/**
 * `OIDC_ISSUER`: where all people log in; `request.configure-principal` takes no human of another issuer (protocol R37).
 */
export function oidcIssuerOf(env: NodeJS.ProcessEnv): string {
  const shape = {
    OIDC_ISSUER: z.string().describe('the issuer address of your identity provider'),
  };
  return loadConfig(shape, env).OIDC_ISSUER;
}

/** `SANDBOX_ORIGIN`: where apps run; the gateway, which listens there, judges it against ORIGIN as well. */
export function sandboxOriginPatternOf(env: NodeJS.ProcessEnv): string {
  const shape = {
    SANDBOX_ORIGIN: z
      .string()
      .refine((given) => validate('AgentUiOrigin', given.replace(SCOPE, 'z')), {
        error: 'expected an origin',
      })
      .describe('the origin of apps on another site: https://{scope}.name'),
  };
  return loadConfig(shape, env).SANDBOX_ORIGIN;
}
