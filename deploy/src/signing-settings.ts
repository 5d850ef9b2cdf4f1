import { readFile } from 'node:fs/promises';
import { kubernetesLogin, loadConfig, wholeNumber } from '@countersign/platform';
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

function vaultPath(usual: string) {
  return z
    .string()
    .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'expected a path')
    .default(usual);
}

/** Variables of a transit engine, read where a key is named as `vault:<name>`. */
export const TRANSIT = {
  VAULT_ADDR: z
    .url({ protocol: /^https?$/ })
    .describe('the address of Vault or OpenBao, such as https://vault.example:8200'),
  VAULT_TOKEN: z
    .string()
    .optional()
    .describe('a token that may read and sign with the keys; usually VAULT_TOKEN_FILE'),
  VAULT_KUBERNETES_ROLE: z
    .string()
    .optional()
    .describe(
      'the role to log in with by the Kubernetes auth method, where VAULT_TOKEN is not given',
    ),
  VAULT_KUBERNETES_MOUNT: vaultPath('kubernetes').describe('the path of that auth method'),
  VAULT_KUBERNETES_JWT: z
    .string()
    .optional()
    .describe(
      "the pod's service account token to log in with; as VAULT_KUBERNETES_JWT_FILE it is read for each login",
    ),
  VAULT_NAMESPACE: z.string().optional().describe('the namespace of the engine, if it has one'),
  VAULT_TRANSIT_MOUNT: vaultPath('transit').describe(
    'the path of the transit engine, such as transit',
  ),
  SIGNER_TIMEOUT_MS: wholeNumber(50, 30_000)
    .default(2000)
    .describe('the longest that a signature may take before the call is refused'),
} as const;

/**
 * Where keys named `vault:<name>` are. The files of the token and of the service account are read again whenever they are
 * needed, for agents and the kubelet renew them.
 */
export function transitOf(
  config: Pick<CommonConfig, 'MODE'>,
  env: NodeJS.ProcessEnv,
): TransitSettings {
  const read = loadConfig(TRANSIT, env, (given) => [
    ...credentialFaults(given),
    ...(config.MODE === 'production' && !isProtected(given.VAULT_ADDR) ? [VAULT_UNPROTECTED] : []),
  ]);
  const { VAULT_KUBERNETES_ROLE: role, VAULT_KUBERNETES_MOUNT: method } = read;
  const address = {
    url: new URL(read.VAULT_ADDR).origin,
    timeoutMs: read.SIGNER_TIMEOUT_MS,
    ...(read.VAULT_NAMESPACE === undefined ? {} : { namespace: read.VAULT_NAMESPACE }),
  };
  const jwt = again(env['VAULT_KUBERNETES_JWT_FILE'], read.VAULT_KUBERNETES_JWT);
  const token =
    role === undefined
      ? again(env['VAULT_TOKEN_FILE'], read.VAULT_TOKEN)
      : kubernetesLogin({ ...address, mount: method, role, jwt });
  return { ...address, mount: read.VAULT_TRANSIT_MOUNT, token };
}

/** The content of the file at that moment, or the given value. */
function again(file: string | undefined, value = ''): () => Promise<string> {
  return async () => (file ? (await readFile(file, 'utf8')).trim() : value);
}

function credentialFaults(given: {
  readonly VAULT_TOKEN?: string | undefined;
  readonly VAULT_KUBERNETES_ROLE?: string | undefined;
  readonly VAULT_KUBERNETES_JWT?: string | undefined;
}): ConfigurationFault[] {
  const { VAULT_TOKEN: token, VAULT_KUBERNETES_ROLE: role, VAULT_KUBERNETES_JWT: jwt } = given;
  if (role === undefined) return token === undefined ? [NO_TOKEN] : [];
  if (token !== undefined) return [TWO_CREDENTIALS];
  return jwt === undefined ? [NO_JWT] : [];
}

const NO_TOKEN: ConfigurationFault = {
  variable: 'VAULT_TOKEN',
  wrong: 'is missing',
  remedy: `Set it to ${TRANSIT.VAULT_TOKEN.description}, or set VAULT_KUBERNETES_ROLE.`,
};

const TWO_CREDENTIALS: ConfigurationFault = {
  variable: 'VAULT_KUBERNETES_ROLE',
  wrong: 'is given beside VAULT_TOKEN',
  remedy: 'Leave one of them out.',
};

const NO_JWT: ConfigurationFault = {
  variable: 'VAULT_KUBERNETES_JWT',
  wrong: 'is missing, and VAULT_KUBERNETES_ROLE is given',
  remedy: 'Set VAULT_KUBERNETES_JWT_FILE to the file of the projected service account token.',
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
