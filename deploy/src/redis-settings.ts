import { loadConfig } from '@countersign/platform';
import type { Configuration } from '@countersign/platform';
import { z } from 'zod';
import { refusesPlaintext } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { pem, redisFaults } from './store-transport.js';

/** Variables of the gateway, which counts rates in Redis, and of the workers, which keep their queues there. */
export const REDIS = {
  REDIS_URL: z.string().optional().describe('rediss://host:port, or redis:// in development'),
  REDIS_CA: pem('the certificate authorities for a rediss:// server; by default the usual ones'),
} as const;

/** @throws ConfigurationError in production for a server without TLS, unless the network itself is encrypted (protocol R40) */
export function redisConfig(
  config: CommonConfig,
  env: NodeJS.ProcessEnv,
): Configuration<typeof REDIS> {
  return loadConfig(REDIS, env, ({ REDIS_URL }) =>
    refusesPlaintext(config) ? redisFaults(REDIS_URL) : [],
  );
}
