import pg from 'pg';
import { inTurns } from './in-turns.js';
import { StatementBatcher } from './statement-batcher.js';
import type { PointQuery, PreparedStatement } from './statement-batcher.js';
import {
  ALL_TENANTS,
  CLOSED_AT_START,
  NO_TENANT_AT_ALL,
  ScopedConnections,
  scopeOfTenant,
} from './scope.js';
import type { Scope } from './scope.js';
import { statement, valuesFor } from './statement.js';
import type { Statement, Values } from './statement.js';
import { watchStatements } from './watched-statements.js';
import type { AroundStatement } from './watched-statements.js';

/**
 * The database role of each service, of the deletion worker and of the sender of the security log: rights are granted to
 * that role, not to a login.
 */
export const ROLES = {
  gateway: 'countersign_gateway',
  request: 'countersign_request',
  review: 'countersign_review',
  'execution-authority': 'countersign_execution',
  ledger: 'countersign_ledger',
  notifier: 'countersign_notifier',
  deletion: 'countersign_deletion',
  'security-log': 'countersign_security_log',
} as const;

/** Has BullMQ's tables, where queues are in Postgres, and nothing of ours. */
export const QUEUES_ROLE = 'countersign_queues';

export type RoleName = keyof typeof ROLES;
export type DatabaseRole = (typeof ROLES)[RoleName];

export interface PoolOptions {
  /** `postgres://…`; its user must be a member of `role`. A function is called for each new connection. */
  url: string | (() => string);
  /** Acted as by every connection. Without one the connection acts as the URL's user. */
  role?: DatabaseRole;
  /** Most connections; 10 when not given. */
  max?: number;
  /** Shown in pg_stat_activity. */
  application: string;
  /** Longest wait for a free or new connection. */
  connectionTimeoutMs?: number;
  /** Longest run of one statement; the client stops waiting one second later, should the server not answer at all. */
  statementTimeoutMs?: number;
  /** Called for connections that broke while idle; the pool has replaced them already. */
  onError?: (error: Error) => void;
  /** Runs each statement and gets its name: to trace it. */
  around?: AroundStatement | undefined;
}

/** A process that stands still in mid-transaction must not hold row locks for ever. */
const IDLE_IN_TRANSACTION_MS = 30_000;
/** A machine that is lost says nothing: Postgres, and we, notice within some six seconds, and its row locks are free. */
const SILENT_MACHINES =
  '-c tcp_keepalives_idle=3 -c tcp_keepalives_interval=1 -c tcp_keepalives_count=3 -c tcp_user_timeout=6000';
const KEEP_ALIVE_AFTER_MS = 3000;

/**
 * Connections that act as a service. Every statement says whose rows it is about, and Postgres keeps all others from it
 * (decisions/0023).
 */
export interface Pool {
  /** About one tenant. Throws a TypeError for a value that is no tenant's id. */
  of(tenant: string): ScopedPool;
  /** About many tenants, or one that is not known yet: `test/database/tenants.test.ts` lists who may ask so. */
  readonly acrossTenants: ScopedPool;
  /** About no tenant's rows. */
  readonly ofNoTenant: ScopedPool;
  /** Connections, for metrics: all, unused, and calls waiting for one. */
  gauges(): { total: number; idle: number; waiting: number };
  end(): Promise<void>;
}

/** A pool in one scope; it sends the point queries of concurrent callers in batches. */
export interface ScopedPool {
  query<Row extends pg.QueryResultRow>(
    query: string | (pg.QueryConfig & { readonly pointQuery?: never }),
    values?: unknown[],
  ): Promise<pg.QueryResult<Row>>;
  /** As `query`, for a statement that reads or writes a few rows by their keys. */
  pointQuery<Row extends object>(statement: PointQuery): Promise<{ rows: Row[] }>;
  /**
   * One after the other in one transaction and one message: all of them happen, or none. Rejects with the error of the
   * statement that failed.
   */
  together(statements: readonly PreparedStatement[]): Promise<{ rows: object[] }[]>;
  /**
   * Reads values of up to 20 MB, on one of {@link LARGE_CONNECTIONS} apart from all others, so that small calls always find
   * a connection. Tenants take turns, with one read each at a time in this process.
   */
  large<Row extends object>(statement: PreparedStatement & ReadOptions): Promise<{ rows: Row[] }>;
  /** For a transaction. The caller releases it. */
  connect(): Promise<pg.PoolClient>;
}

/** How the client reads an answer. */
export interface ReadOptions {
  /** Rows that the server sends before it is asked for more; all of them when not given. */
  readonly rows?: number;
  /** Those of the pool when not given. */
  readonly types?: pg.CustomTypesConfig;
}

/** Connections of a service for large reads, beside those of its pool; opened when they are needed. */
export const LARGE_CONNECTIONS = 2;

/** Of all services in this process: one thread parses their results. */
const largeReads = inTurns(LARGE_CONNECTIONS);

/** The part of a client that single statements need: a pool in one scope, the owner's connections, or one connection. */
export interface Asking {
  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>>;
}

/** A statement with its values, as one connection is asked it. Throws a TypeError unless they are just those that it names. */
export function asked({ name, text, names }: Statement, values: Values) {
  return { name, text, values: valuesFor(names, values) };
}

/** Asks a statement about those whom it is about, the way that it is made for. */
export function ask<Row extends object>(
  pool: Pool,
  statement: Statement,
  values: Values,
  options?: Pick<PointQuery, 'holds' | 'query_timeout'> & ReadOptions,
): Promise<{ rows: Row[] }> {
  const scoped = scopedFor(pool, statement, values);
  const question = { ...asked(statement, values), ...options };
  return statement.pointQuery ? scoped.pointQuery<Row>(question) : scoped.query<Row>(question);
}

/** As {@link ask}, for the first row; undefined where there is none. */
export async function askOne<Row extends object>(
  pool: Pool,
  statement: Statement,
  values: Values,
): Promise<Row | undefined> {
  const { rows } = await ask<Row>(pool, statement, values);
  return rows[0];
}

/** The connections that a statement is asked on. */
function scopedFor(pool: Pool, { about }: Statement, { tenant }: Values): ScopedPool {
  if (about === 'all') return pool.acrossTenants;
  return about === 'none' ? pool.ofNoTenant : pool.of(tenant as string);
}

/** How values arrive: int8 as a safe number, timestamptz as epoch milliseconds, date as text, json and jsonb parsed. */
export function createPool(options: PoolOptions): Pool {
  const pool = plainPool(options, options.max ?? 10);
  const largePool = plainPool(options, LARGE_CONNECTIONS);
  const connections = new ScopedConnections(pool);
  const largeConnections = new ScopedConnections(largePool);
  const batcher = new StatementBatcher(connections, options.around);
  const inScope = (scope: Scope): ScopedPool => ({
    query: (query, values) => connections.query(scope, configOf(query, values)),
    pointQuery: (statement) => batcher.ask(scope, statement),
    together: (statements) => batcher.inOrder(scope, statements),
    large: (statement) =>
      largeReads(scope, () =>
        largeConnections.query(scope, { ...statement, values: [...statement.values] }),
      ),
    connect: () => connections.connect(scope),
  });
  return {
    of: (tenant) => inScope(scopeOfTenant(tenant)),
    acrossTenants: inScope(ALL_TENANTS),
    ofNoTenant: inScope(NO_TENANT_AT_ALL),
    gauges: () => poolGauges(pool),
    end: async () => {
      await Promise.all([pool.end(), largePool.end()]);
    },
  };
}

function configOf(query: string | pg.QueryConfig, values?: unknown[]): pg.QueryConfig {
  return typeof query === 'string' ? { text: query, ...(values && { values }) } : query;
}

export type OwnerPool = pg.Pool;

/** Connections of the database's owner, for commands: no row policy holds for it. Values arrive as in {@link createPool}. */
export function createOwnerPool(options: Omit<PoolOptions, 'role'>): OwnerPool {
  return plainPool(options, options.max ?? 10);
}

function plainPool(options: PoolOptions, max: number): pg.Pool {
  const { statementTimeoutMs } = options;
  const { url } = options;
  const startup = startupOptions(options.role);
  const pool = new pg.Pool({
    ...(typeof url === 'string'
      ? withStartupOptions(url, startup)
      : { Client: clientOf(() => withStartupOptions(url(), startup)) }),
    max,
    application_name: options.application,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...(statementTimeoutMs === undefined
      ? {}
      : { statement_timeout: statementTimeoutMs, query_timeout: statementTimeoutMs + 1000 }),
    types: { getTypeParser },
  });
  // Without a listener a broken idle connection would end the process.
  pool.on('error', (error) => options.onError?.(error));
  // Nor must one that breaks in use: its statements fail, and their callers get the error.
  pool.on('connect', (client) => client.on('error', () => {}));
  if (options.around !== undefined) watchStatements(pool, options.around);
  return pool;
}

/** Connections of a pool whose settings are asked for with each of them: a password that changed needs no restart. */
function clientOf(settings: () => pg.ClientConfig): typeof pg.Client {
  return class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super({ ...(config as pg.ClientConfig), ...settings() });
    }
  };
}

/**
 * Services ask for rows by key, through indexes that are there. A plan that Postgres cached while a table was small, or
 * before it was ever analysed, may scan all of it; these settings keep such plans from being made.
 */
const POINT_QUERIES = [
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  // A bitmap has no order: it reads all that the newest one is looked for in.
  '-c enable_bitmapscan=off',
  '-c plan_cache_mode=force_generic_plan',
].join(' ');

/** A role that the user may not act as fails the connection itself, not a later statement. */
function startupOptions(role: DatabaseRole | undefined): string {
  const settings = `-c TimeZone=UTC -c DateStyle=ISO -c jit=off ${SILENT_MACHINES}`;
  return role === undefined
    ? settings
    : `${settings} ${CLOSED_AT_START} ${POINT_QUERIES} -c role=${role}`;
}

/** The URL's own `options` come first, so that ours win. */
function withStartupOptions(
  url: string,
  added: string,
): { connectionString: string; options: string } {
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
  const own = parameters.get('options');
  if (own === null) return { connectionString: url, options: added };
  parameters.delete('options');
  return {
    connectionString: `${url.slice(0, start)}?${parameters.toString()}`,
    options: `${own} ${added}`,
  };
}

const INT8 = 20;
const DATE = 1082;
const TIMESTAMPTZ = 1184;

const asText = (text: string): string => text;

// The types of `pg` describe one parser per type id; the result type of a parser is known only here.
const getTypeParser: typeof pg.types.getTypeParser = ((oid: number, format?: 'text' | 'binary') => {
  if (format !== 'binary') {
    if (oid === INT8) return safeNumber;
    if (oid === TIMESTAMPTZ) return epochMilliseconds;
    if (oid === DATE) return asText;
  }
  return pg.types.getTypeParser(oid, format);
}) as typeof pg.types.getTypeParser;

function safeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer`);
  return value;
}

/** `2026-11-20 18:55:01.123456+00`, the session being in UTC; parts of a millisecond are dropped. */
function epochMilliseconds(text: string): number {
  const value = Date.parse(`${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, 'Z')}`);
  if (Number.isNaN(value)) throw new RangeError(`${text} is not a time`);
  return value;
}

/** Connections of a pool, for metrics: all, unused, and calls waiting for one. */
function poolGauges(pool: pg.Pool): { total: number; idle: number; waiting: number } {
  return { total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount };
}

export const CLOCK_READ = statement('database.now', 'SELECT clock_timestamp() AS now', {
  about: 'none',
});

/** The one clock that decides: the database's, epoch milliseconds. */
export async function databaseNow(pool: Asking): Promise<number> {
  const { rows } = await pool.query<{ now: number }>(asked(CLOCK_READ, {}));
  return rows[0]?.now as number;
}
