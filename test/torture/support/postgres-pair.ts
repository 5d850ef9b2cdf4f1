import { execFile } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres, postgresOwner, startPostgres } from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import { until } from '../../support/requests.js';
import { startLink } from './link.js';
import type { Link } from './link.js';
import { fillDisk, mountSmallDisk, unmountSmallDisk } from './small-disk.js';

/** A primary, and a standby that has every commit before it is acknowledged. */
export interface PostgresPair {
  /** Of the server that is the primary now. */
  url(): string;
  port(): number;
  /** The primary is killed at once and the standby takes over; resolves once it takes writes. Another standby follows later. */
  failOver(): Promise<void>;
  /** The primary is killed at once and starts again on its data. */
  restart(): Promise<void>;
  /** The standby's way to the primary: commits wait for what passes on it. Null while there is no standby. */
  copying(): Link | null;
  /** Statements of its owner on the primary; gives the rows of the last. */
  ask(...statements: string[]): Promise<readonly Record<string, unknown>[]>;
  /** Whether the primary takes a connection now. */
  answers(): Promise<boolean>;
  /** Opens connections until the primary takes no more; resolves to what closes them. */
  takeConnections(): Promise<() => Promise<void>>;
  /** The primary has no room left on its disk; resolves to what makes room again, or to null where it has none of its own. */
  fillDisk(): Promise<(() => Promise<void>) | null>;
  stop(): Promise<void>;
}

const SYNCHRONOUS = "ALTER SYSTEM SET synchronous_standby_names = '*'";
const ALONE = 'ALTER SYSTEM RESET synchronous_standby_names';
const RELOAD = 'SELECT pg_reload_conf()';
const CONNECTIONS = 400;
const SETTINGS = { max_connections: String(CONNECTIONS), fsync: 'off' };
const IN_STEP_WITHIN_MS = 120_000;
const ANSWERS_WITHIN_MS = 60_000;

/**
 * Data is below `dir`. Starts the standby too, and leaves no primary without it. With `disks` each server has one of its own,
 * as root on Linux.
 */
export async function startPostgresPair(
  dir: string,
  logs: string,
  { disks = false }: { readonly disks?: boolean } = {},
): Promise<PostgresPair> {
  let generation = 0;
  const placeOf = (number: number): string => join(dir, `server-${number}`);
  const makePlace = (number: number): void => {
    if (disks) mountSmallDisk(placeOf(number));
    else mkdirSync(placeOf(number), { mode: 0o700 });
  };
  const dropPlace = (number: number): void => {
    if (disks) unmountSmallDisk(placeOf(number));
    rmSync(placeOf(number), { recursive: true, force: true });
  };
  const start = (number: number, port?: number): Promise<RunningStore> =>
    startPostgres({
      dir: placeOf(number),
      log: join(logs, `postgres-${number}`),
      settings: SETTINGS,
      ...(port === undefined ? {} : { port }),
    });
  mkdirSync(dir, { recursive: true });
  makePlace(0);
  let primary = { server: await start(0), number: 0 };
  let standby: { server: RunningStore; number: number } | null = null;
  let copying: Link | null = null;
  let following = Promise.resolve();
  /** A server that is stopped while it starts again would go on without its owner. */
  let starting = Promise.resolve();

  /** On a busy machine a server that others call as well may be late to take a connection. */
  async function connect(withinMs: number): Promise<pg.Client> {
    const end = Date.now() + withinMs;
    for (;;) {
      const client = new pg.Client({
        connectionString: primary.server.url,
        connectionTimeoutMillis: 5000,
      });
      client.on('error', () => {});
      try {
        await client.connect();
        return client;
      } catch (error) {
        await client.end().catch(() => {});
        if (Date.now() > end) throw error;
        await delay(100);
      }
    }
  }
  const ask: PostgresPair['ask'] = async (...statements) => {
    const client = await connect(ANSWERS_WITHIN_MS);
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query(statement));
      return rows;
    } finally {
      await client.end().catch(() => {});
    }
  };
  const isInStep = async (): Promise<boolean> => {
    const [row] = await ask(
      `SELECT count(*)::int AS many FROM pg_stat_replication WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')`,
    );
    return row?.['many'] === 1;
  };

  /** Commits wait for it from then on. */
  async function follow(): Promise<void> {
    generation += 1;
    const number = generation;
    const target = placeOf(number);
    const { server, number: from } = primary;
    const { directory } = findPostgres() ?? {};
    if (directory === undefined) throw new Error('The torture needs Postgres on this machine.');
    // Beside the server itself, of which the folder may have only a link.
    const programs = dirname(realpathSync(join(directory, 'postgres')));
    const owner = postgresOwner();
    makePlace(number);
    if (owner !== null) chownSync(target, owner.uid, owner.gid);
    await copying?.stop();
    copying = await startLink(server.port);
    const url = new URL(server.url);
    url.port = String(copying.port);
    const args = ['-D', target, '-d', url.href, '--write-recovery-conf', '--checkpoint=fast'];
    await promisify(execFile)(join(programs, 'pg_basebackup'), args, { cwd: '/', ...owner });
    copyFileSync(`${placeOf(from)}.password`, `${target}.password`);
    standby = { server: await start(number), number };
    await until(
      () => ask("SELECT FROM pg_stat_replication WHERE state = 'streaming'"),
      (rows) => rows.length > 0,
      IN_STEP_WITHIN_MS,
    );
    await ask(SYNCHRONOUS, RELOAD);
    await until(isInStep, (inStep) => inStep, IN_STEP_WITHIN_MS);
  }
  const answers = (): Promise<boolean> =>
    connect(0).then(
      (client) => client.end().then(() => true),
      () => false,
    );
  async function restart(): Promise<void> {
    await following;
    starting = killAndStart();
    await starting;
  }
  async function killAndStart(): Promise<void> {
    const { number, server } = primary;
    await server.kill();
    primary = { server: await start(number, server.port), number };
  }
  async function stop(): Promise<void> {
    await following.catch(() => {});
    await starting.catch(() => {});
    await standby?.server.kill();
    await primary.server.kill();
    await copying?.stop();
    if (standby !== null) dropPlace(standby.number);
    dropPlace(primary.number);
  }
  try {
    await follow();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    url: () => primary.server.url,
    port: () => primary.server.port,
    copying: () => (standby === null ? null : copying),
    ask,
    answers,
    async failOver() {
      await following;
      await until(isInStep, (inStep) => inStep, IN_STEP_WITHIN_MS);
      const [before, next] = [primary, standby];
      if (next === null) throw new Error('there is no standby');
      await before.server.kill();
      primary = next;
      standby = null;
      await until(
        () => ask('SELECT pg_promote()', ALONE, RELOAD, 'SELECT pg_is_in_recovery() AS follows'),
        ([row]) => row?.['follows'] === false,
        IN_STEP_WITHIN_MS,
      );
      dropPlace(before.number);
      following = follow();
      // It is looked at by the next failover.
      following.catch(() => {});
    },
    restart,
    async fillDisk() {
      if (!disks) return null;
      await following;
      const makeRoom = fillDisk(placeOf(primary.number));
      return async () => {
        makeRoom();
        // Without room for its log a server ends, and cannot start again by itself.
        if (!(await answers())) await restart();
      };
    },
    async takeConnections() {
      // A standby that cannot connect never follows.
      await following;
      const opened = await Promise.allSettled(
        Array.from({ length: CONNECTIONS }, async () => {
          const client = new pg.Client({ connectionString: primary.server.url });
          client.on('error', () => {});
          await client.connect();
          return client;
        }),
      );
      const taken = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      return async () => void (await Promise.all(taken.map((client) => client.end())));
    },
    stop,
  };
}
