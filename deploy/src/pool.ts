import { ROLES, createPool } from '@countersign/database';
import type { Pool, RoleName } from '@countersign/database';
import { changing, inSpan, tracerInUse } from '@countersign/platform';
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

/** The URL with which a role logs in, as its files have it now: passwords change. Throws ConfigurationError when it has none. */
export function databaseUrl(role: RoleName, { config, env, log }: PoolSettings): () => string {
  return changing(() => databaseUrlOf(role, config, env), `login of ${role}`, log).again;
}

/** By its name alone: texts and values of statements are private. */
function traceStatement<T>(statement: string, run: () => Promise<T>): Promise<T> {
  return inSpan(statement, { kind: 'client', attributes: POSTGRES }, run);
}
const POSTGRES = { 'db.system.name': 'postgresql' } as const;
