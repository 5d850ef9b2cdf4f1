import type { S3AnchorSettings } from '@countersign/ledger';
import { flag, loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration, ConfigurationFault } from '@countersign/platform';
import { z } from 'zod';

const DAY_MS = 86_400_000;

/** Which anchor store there is, if any. */
export const ANCHOR_STORE = {
  ANCHOR_DIR: z
    .string()
    .optional()
    .describe('a directory for the local anchor store (development)'),
  ANCHOR_S3_BUCKET: z
    .string()
    .optional()
    .describe('the S3 bucket with Object Lock for checkpoints (docs/anchoring.md)'),
} as const;

type AnchorStoreConfig = Configuration<typeof ANCHOR_STORE>;

export function anchorStoreConfig(
  env: NodeJS.ProcessEnv,
  mode: 'development' | 'production',
): AnchorStoreConfig {
  return loadConfig(ANCHOR_STORE, env, ({ ANCHOR_DIR, ANCHOR_S3_BUCKET }) => [
    ...(mode === 'production' && ANCHOR_DIR !== undefined ? [FOLDER_IN_PRODUCTION] : []),
    ...(ANCHOR_DIR !== undefined && ANCHOR_S3_BUCKET !== undefined ? [TWO_STORES] : []),
  ]);
}

const FOLDER_IN_PRODUCTION: ConfigurationFault = {
  variable: 'ANCHOR_DIR',
  wrong: 'is set in production',
  remedy: 'A folder proves nothing against its owner: set ANCHOR_S3_BUCKET.',
};

const TWO_STORES: ConfigurationFault = {
  variable: 'ANCHOR_S3_BUCKET',
  wrong: 'is given beside ANCHOR_DIR',
  remedy: 'There is only one anchor store: remove one of the two.',
};

/** Variables of an anchor store in S3. Each may also be given as `<name>_FILE`. */
export const ANCHOR_S3 = {
  ANCHOR_S3_PREFIX: z
    .string()
    .regex(/^[\w.-]+(?:\/[\w.-]+)*$/, 'expected names with slashes between them')
    .default('checkpoints')
    .describe('the prefix of all checkpoint keys, such as checkpoints'),
  ANCHOR_S3_REGION: z.string().default('us-east-1').describe('the region of the bucket'),
  ANCHOR_S3_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('the URL of an S3-compatible store, such as https://minio.example:9000'),
  ANCHOR_S3_PATH_STYLE: flag()
    .default(false)
    .describe(
      'true puts the bucket into the path instead of the host, as most S3-compatible stores need',
    ),
  ANCHOR_S3_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('the id of the access key; without it the credentials of the environment are used'),
  ANCHOR_S3_SECRET_ACCESS_KEY: z
    .string()
    .optional()
    .describe('the secret of the access key; usually ANCHOR_S3_SECRET_ACCESS_KEY_FILE'),
  ANCHOR_S3_SESSION_TOKEN: z
    .string()
    .optional()
    .describe('the session token of a temporary access key'),
  ANCHOR_S3_RETENTION_DAYS: wholeNumber(90, 36_500)
    .default(400)
    .describe('days from its issue in which a checkpoint cannot be deleted; at least 90'),
  ANCHOR_S3_TIMEOUT_MS: wholeNumber(500, 60_000)
    .default(10_000)
    .describe('the longest that the worker waits for an answer of the store'),
} as const;

/** Where an S3 store is and how it is spoken to; `https` where an answer decides over authority. */
export function anchorS3Settings(
  bucket: string,
  env: NodeJS.ProcessEnv,
  mode: 'development' | 'production',
): S3AnchorSettings {
  const config = loadConfig(ANCHOR_S3, env, (read) => [
    ...half(read),
    ...(mode === 'production' && read.ANCHOR_S3_ENDPOINT?.startsWith('http:') ? [UNPROTECTED] : []),
  ]);
  const {
    ANCHOR_S3_ENDPOINT: endpoint,
    ANCHOR_S3_ACCESS_KEY_ID: accessKeyId,
    ANCHOR_S3_SECRET_ACCESS_KEY: secretAccessKey,
    ANCHOR_S3_SESSION_TOKEN: sessionToken,
  } = config;
  return {
    bucket,
    prefix: config.ANCHOR_S3_PREFIX,
    region: config.ANCHOR_S3_REGION,
    pathStyle: config.ANCHOR_S3_PATH_STYLE,
    retentionMs: config.ANCHOR_S3_RETENTION_DAYS * DAY_MS,
    timeoutMs: config.ANCHOR_S3_TIMEOUT_MS,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
  };
}

/** Where the security log's checkpoints are: `security` in the place of the prefix's last name. */
export function securitySettings<S extends { readonly prefix: string }>(settings: S): S {
  return { ...settings, prefix: settings.prefix.replace(/[^/]+$/, 'security') };
}

function half(config: Configuration<typeof ANCHOR_S3>): ConfigurationFault[] {
  const { ANCHOR_S3_ACCESS_KEY_ID: id, ANCHOR_S3_SECRET_ACCESS_KEY: secret } = config;
  if ((id === undefined) === (secret === undefined)) return [];
  const missing = id === undefined ? 'ANCHOR_S3_ACCESS_KEY_ID' : 'ANCHOR_S3_SECRET_ACCESS_KEY';
  return [
    {
      variable: missing,
      wrong: 'is missing beside the other half of the access key',
      remedy: 'Set both, or neither to use the credentials of the environment.',
    },
  ];
}

const UNPROTECTED: ConfigurationFault = {
  variable: 'ANCHOR_S3_ENDPOINT',
  wrong: 'begins with http: in production',
  remedy: 'The answers of the store decide about authority: use https.',
};
