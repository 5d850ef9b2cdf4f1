import { REDIS_SETTINGS, loadConfig, redisFaults, redisServers } from '@countersign/platform';
import type { RedisServers } from '@countersign/platform';
import { refusesPlaintext } from './configuration.js';
import type { CommonConfig } from './configuration.js';
import { plaintextRedis } from './store-transport.js';

/**
 * Where Redis is; undefined where queues are in Postgres and each gateway counts for itself.
 *
 * @throws ConfigurationError for settings that contradict each other, and in production for a server without TLS, unless the
 * network itself is encrypted (protocol R40)
 */
export function redisConfig(
  config: CommonConfig,
  env: NodeJS.ProcessEnv,
): RedisServers | undefined {
  const given = loadConfig(REDIS_SETTINGS, env, (settings) => [
    ...redisFaults(settings),
    ...(refusesPlaintext(config) ? plaintextRedis(settings.REDIS_URL) : []),
  ]);
  return redisServers(given);
}
