import { readFile } from 'node:fs/promises';
import { loadConfig, wholeNumber } from '@countersign/platform';
import type {
  ConfigurationFault,
  ConfigurationShape,
  TransitSettings,
} from '@countersign/platform';
import type { SigningService } from '@countersign/protocol';
import { z } from 'zod';
import type { CommonConfig } from './configuration.js';

/** `REVIEW_SIGNING_KEY` for `review`. */
export function signingKeyVariable(service: SigningService): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_SIGNING_KEY`;
}

export function signingKeyShape(service: SigningService): ConfigurationShape {
  return {
    [signingKeyVariable(service)]: z
      .string()
      .refine((given) => given.includes('-----BEGIN') || VAULT_KEY.test(given), {
        error: 'expected a PEM text, or vault:<name>',
      })
      .describe(
        `the Ed25519 private key of the ${service} service in PEM form, or vault:<name> of one in a transit engine`,
      ),
  };
}

/**
 * `<SERVICE>_SIGNING_KEY`: the private key of the one service that signs with it, or the name of one that stays in a key
 * service, as `vault:<name>`.
 */
export function signingKeyOf(
  service: SigningService,
  env: NodeJS.ProcessEnv,
): { pem: string } | { vaultKey: string } {
  const given = loadConfig(signingKeyShape(service), env)[signingKeyVariable(service)] as string;
  const [, vaultKey] = VAULT_KEY.exec(given) ?? [];
  return vaultKey === undefined ? { pem: given } : { vaultKey };
}

const VAULT_KEY = /^vault:([\w.-]{1,128})$/;

/** Variables of a transit engine, read where a key is named as `vault:<name>`. */
export const TRANSIT = {
  VAULT_ADDR: z
    .url({ protocol: /^https?$/ })
    .describe('the address of Vault or OpenBao, such as https://vault.example:8200'),
  VAULT_TOKEN: z
    .string()
    .optional()
    .describe('a token that may read and sign with the keys; usually VAULT_TOKEN_FILE'),
  VAULT_NAMESPACE: z.string().optional().describe('the namespace of the engine, if it has one'),
  VAULT_TRANSIT_MOUNT: z
    .string()
    .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'expected a path')
    .default('transit')
    .describe('the path of the transit engine, such as transit'),
  SIGNER_TIMEOUT_MS: wholeNumber(50, 30_000)
    .default(2000)
    .describe('the longest that a signature may take before the call is refused'),
} as const;

/** Where keys named `vault:<name>` are. The token's file is read again whenever it is needed, for agents renew it. */
export function transitOf(
  config: Pick<CommonConfig, 'MODE'>,
  env: NodeJS.ProcessEnv,
): TransitSettings {
  const { VAULT_TOKEN_FILE: tokenFile } = env;
  const read = loadConfig(TRANSIT, env, (given) => [
    ...(given.VAULT_TOKEN === undefined ? [NO_TOKEN] : []),
    ...(config.MODE === 'production' && !isProtected(given.VAULT_ADDR) ? [VAULT_UNPROTECTED] : []),
  ]);
  return {
    url: new URL(read.VAULT_ADDR).origin,
    mount: read.VAULT_TRANSIT_MOUNT,
    timeoutMs: read.SIGNER_TIMEOUT_MS,
    token: async () =>
      (tokenFile ? (await readFile(tokenFile, 'utf8')).trim() : read.VAULT_TOKEN) ?? '',
    ...(read.VAULT_NAMESPACE === undefined ? {} : { namespace: read.VAULT_NAMESPACE }),
  };
}

const NO_TOKEN: ConfigurationFault = {
  variable: 'VAULT_TOKEN',
  wrong: 'is missing',
  remedy: `Set it to ${TRANSIT.VAULT_TOKEN.description}.`,
};

const VAULT_UNPROTECTED: ConfigurationFault = {
  variable: 'VAULT_ADDR',
  wrong: 'begins with http: in production',
  remedy: 'Every call carries the token: use https, or an agent on 127.0.0.1.',
};

function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
