import { z } from 'zod';
import { flag } from './config.js';
import type { Configuration, ConfigurationFault } from './config.js';

/** Where Redis is: one server, the Sentinels that know its primary, or nodes of a cluster. */
export interface RedisServers {
  /** redis:// or rediss:// URLs, at least one; credentials and number of the database are read from the first. */
  readonly urls: readonly string[];
  /** Takes the place of the user name in the URL. */
  readonly username?: string | undefined;
  /** Takes the place of the password in the URL. */
  readonly password?: string | undefined;
  /** Certificates (PEM) that rediss:// servers are verified with; the usual ones when not given. */
  readonly ca?: string | undefined;
  /** The client's certificate and its private key (PEM), both or none. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Name of the primary; the URLs are those of its Sentinels then. */
  readonly sentinel?: string | undefined;
  /** The password of the Sentinels themselves. */
  readonly sentinelPassword?: string | undefined;
  /** The URLs are those of some nodes of a cluster. */
  readonly cluster?: boolean | undefined;
}

const pem = z.string().includes('-----BEGIN', 'expected a PEM text');
const addresses = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^rediss?$/, error: 'expected redis:// or rediss:// URLs' })));

/** Variables of the gateway, which counts rates in Redis, and of the workers, which keep their queues there. */
export const REDIS_SETTINGS = {
  REDIS_URL: addresses
    .optional()
    .describe(
      'rediss://host:port, or redis:// in development; several Sentinels or nodes of a cluster separated by commas',
    ),
  REDIS_USERNAME: z.string().optional().describe('the user name, instead of one in REDIS_URL'),
  REDIS_PASSWORD: z.string().optional().describe('the password, instead of one in REDIS_URL'),
  REDIS_CA: pem
    .optional()
    .describe('the certificate authorities for rediss:// servers; by default the usual ones'),
  REDIS_CERT: pem.optional().describe('the client certificate for Redis, if it requires one'),
  REDIS_KEY: pem.optional().describe('the private key that belongs to REDIS_CERT'),
  REDIS_SENTINEL: z
    .string()
    .optional()
    .describe('the name of the primary; REDIS_URL has the addresses of its Sentinels then'),
  REDIS_SENTINEL_PASSWORD: z
    .string()
    .optional()
    .describe('the password of the Sentinels themselves'),
  REDIS_CLUSTER: flag()
    .default(false)
    .describe('true where REDIS_URL has the addresses of nodes of a Redis cluster'),
} as const;

type Given = Configuration<typeof REDIS_SETTINGS>;

/** The servers that the settings name; undefined without REDIS_URL. */
export function redisServers(given: Given): RedisServers | undefined {
  const { REDIS_URL: urls } = given;
  if (urls === undefined) return undefined;
  return {
    urls,
    username: given.REDIS_USERNAME,
    password: given.REDIS_PASSWORD,
    ca: given.REDIS_CA,
    cert: given.REDIS_CERT,
    key: given.REDIS_KEY,
    sentinel: given.REDIS_SENTINEL,
    sentinelPassword: given.REDIS_SENTINEL_PASSWORD,
    cluster: given.REDIS_CLUSTER,
  };
}

/** Settings that contradict each other. */
export function redisFaults(given: Given): ConfigurationFault[] {
  const { REDIS_URL: urls = [], REDIS_SENTINEL: sentinel, REDIS_CLUSTER: cluster } = given;
  const faults: ConfigurationFault[] = [];
  if (urls.length > 1 && sentinel === undefined && !cluster) {
    faults.push({
      variable: 'REDIS_URL',
      wrong: 'names several servers',
      remedy:
        'Set REDIS_SENTINEL where they are Sentinels, or REDIS_CLUSTER where they are nodes of a cluster.',
    });
  }
  if (sentinel !== undefined && cluster) {
    faults.push({
      variable: 'REDIS_SENTINEL',
      wrong: 'and REDIS_CLUSTER exclude each other',
      remedy: 'Remove one of the two.',
    });
  }
  if ((given.REDIS_CERT === undefined) !== (given.REDIS_KEY === undefined)) {
    faults.push({
      variable: given.REDIS_CERT === undefined ? 'REDIS_CERT' : 'REDIS_KEY',
      wrong: 'is missing',
      remedy: 'A client certificate is REDIS_CERT and REDIS_KEY together.',
    });
  }
  if (new Set(urls.map((url) => new URL(url).protocol)).size > 1) {
    faults.push({
      variable: 'REDIS_URL',
      wrong: 'mixes redis:// and rediss://',
      remedy: 'Reach all servers in the same way.',
    });
  }
  if (cluster && /^\/[1-9]/.test(new URL(urls[0] ?? 'redis://-').pathname)) {
    faults.push({
      variable: 'REDIS_URL',
      wrong: 'names a database of a cluster, which has only number 0',
      remedy: 'Remove the path.',
    });
  }
  return faults;
}
