import { z } from 'zod';
import { list, loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration } from '@countersign/platform';
import { SCOPE, validate } from '@countersign/protocol';
import type { SigningService } from '@countersign/protocol';

const pem = (what: string) =>
  z.string().includes('-----BEGIN', 'expected a PEM text').describe(what);

/** Variables that every target reads. Each may also be given as `<name>_FILE`. */
const COMMON = {
  MODE: z.enum(['development', 'production']).describe('development or production'),
  ORIGIN: z.url().describe('the exact origin that callers use, such as https://review.example'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected a postgres:// URL')
    .describe('postgres://user:password@host:port/database'),
  NATS_URL: z.string().optional().describe('nats://host:port; without it the bus is this process'),
  REDIS_URL: z.string().optional().describe('redis://host:port'),
  TRUST: z.string().describe('the trust manifest as JSON; usually TRUST_FILE'),
  CALLER_PUBLIC_KEY: pem('the public key that caller tokens are checked with'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('trace, debug, info, warn, error, fatal or silent'),
  QUOTAS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('on; off lifts the quotas of contract §9.2 and is for development only'),
  DATABASE_CONNECTIONS: wholeNumber(1, 200)
    .default(10)
    .describe('the most connections of one service of this process'),
  HEALTH_PORT: wholeNumber(0, 65535)
    .optional()
    .describe('a port for /livez and /readyz of a target that does not listen otherwise'),
  WEBHOOK_HOSTS: list().default([]).describe('host names that webhooks may name, with commas'),
  ANCHOR_DIR: z
    .string()
    .optional()
    .describe('a directory for the local anchor store (development)'),
} as const;

export type CommonConfig = Configuration<typeof COMMON>;

export function commonConfig(env: NodeJS.ProcessEnv): CommonConfig {
  return loadConfig(COMMON, env, (config) =>
    config.MODE === 'production' && config.QUOTAS === 'off'
      ? [
          {
            variable: 'QUOTAS',
            wrong: 'is off in production',
            remedy: 'Quotas can only be lifted in development; remove it.',
          },
        ]
      : [],
  );
}

/** `<SERVICE>_SIGNING_KEY`: the private key of the one service that signs with it. */
export function signingKeyOf(service: SigningService, env: NodeJS.ProcessEnv): string {
  const name = `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`;
  const shape = { [name]: pem(`the Ed25519 private key of the ${service} service, in PEM form`) };
  return loadConfig(shape, env)[name] as string;
}

/** `DATABASE_URL_<ROLE>` where a role logs in by itself, else the common URL. */
export function databaseUrlOf(role: string, config: CommonConfig, env: NodeJS.ProcessEnv): string {
  const name = `DATABASE_URL_${role.toUpperCase().replaceAll('-', '_')}`;
  const shape = {
    [name]: z.string().optional().describe('postgres://user:password@host:port/database'),
  };
  return (loadConfig(shape, env)[name] as string | undefined) ?? config.DATABASE_URL;
}

/** `CALLER_PRIVATE_KEY`: what the gateway alone signs caller tokens with. */
export function callerKeyOf(env: NodeJS.ProcessEnv): string {
  const shape = { CALLER_PRIVATE_KEY: pem('the private key that caller tokens are signed with') };
  return loadConfig(shape, env).CALLER_PRIVATE_KEY;
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
