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
export function poolOf(role: RoleName, { config, env, log }: PoolSettings): Pool {
  return createPool({
    url: databaseUrlOf(role, config, env),
    role: ROLES[role],
    application: `countersign-${role}`,
    max: config.DATABASE_CONNECTIONS,
    onError: (error) => log.warn({ err: error, role }, 'a database connection broke'),
    around: tracerInUse() === null ? undefined : traceStatement,
  });
}

/** By its name alone: texts and values of statements are private. */
function traceStatement<T>(statement: string, run: () => Promise<T>): Promise<T> {
  return inSpan(statement, { kind: 'client', attributes: POSTGRES }, run);
}
const POSTGRES = { 'db.system.name': 'postgresql' } as const;
