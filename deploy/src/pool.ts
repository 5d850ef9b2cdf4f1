import { ROLES, createPool } from '@countersign/database';
import type { Pool, RoleName } from '@countersign/database';
import { inSpan, tracerInUse } from '@countersign/platform';
import type { Logger } from '@countersign/platform';
import { databaseUrlOf } from './configuration.js';
import type { CommonConfig } from './configuration.js';

/** The settings of a pool of connections. */
export interface PoolSettings {
  readonly config: CommonConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** Connections that act as one database role. */
export function poolOf(role: RoleName, settings: PoolSettings): Pool {
  const { config, log } = settings;
  return createPool({
    url: databaseUrl(role, settings),
    role: ROLES[role],
    application: `countersign-${role}`,
    max: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error, role }, 'a database connection broke'),
    around: tracerInUse() === null ? undefined : traceStatement,
  });
}

/**
 * Reads the URL again with each call, for passwords change; while it cannot be read, as during the change, the last one is
 * given. Throws ConfigurationError when there is none at first.
 */
export function databaseUrl(role: RoleName, { config, env, log }: PoolSettings): () => string {
  let known = databaseUrlOf(role, config, env);
  return () => {
    try {
      known = databaseUrlOf(role, config, env);
    } catch (error) {
      log.warn({ err: error, role }, 'the login to the database cannot be read again');
    }
    return known;
  };
}

/** By its name alone: texts and values of statements are private. */
function traceStatement<T>(statement: string, run: () => Promise<T>): Promise<T> {
  return inSpan(statement, { kind: 'client', attributes: POSTGRES }, run);
}
const POSTGRES = { 'db.system.name': 'postgresql' } as const;
