import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNats } from '../nats.js';
import { startPostgres } from '../postgres.js';
import type { RunningPostgres } from '../postgres.js';
import { startRedis } from '../redis.js';
import type { RunningStore } from '../server-process.js';

/** A store of a test: it can be killed and brought back on the same port with the same data. */
export interface TestStore<T extends RunningStore = RunningStore> {
  readonly url: string;
  readonly port: number;
  /** The running server; another one after a `restart`. */
  server(): T;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Asks it to end. */
  stop(): Promise<void>;
  /** Starts it again after `kill` or `stop`. */
  restart(): Promise<void>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** A NATS server on a free port; `config` is added to its configuration file. */
export function testNats(config = ''): Promise<TestStore> {
  return testStore((dir, port) => startNats({ dir, config, ...port }));
}

/** A Redis server on a free port. */
export function testRedis(): Promise<TestStore> {
  return testStore((dir, port) => startRedis({ dir, ...port }));
}

/**
 * A PostgreSQL server on a free port with an empty database `countersign`; on the data that `prepare` puts into its folder,
 * if it does.
 */
export function testPostgres(
  settings: Readonly<Record<string, string>> = {},
  prepare?: (dir: string) => void,
): Promise<TestStore<RunningPostgres>> {
  return testStore((dir, port) => startPostgres({ dir, settings, ...port }), prepare);
}

async function testStore<T extends RunningStore>(
  start: (dir: string, port: { port?: number }) => Promise<T>,
  prepare?: (dir: string) => void,
): Promise<TestStore<T>> {
  // `npm test` makes room in memory (tools/test-servers.mjs).
  const home = mkdtempSync(join(process.env['TEST_DATA'] ?? tmpdir(), 'countersign-test-'));
  // PostgreSQL's own user must get through.
  chmodSync(home, 0o755);
  const dir = join(home, 'data');
  prepare?.(dir);
  let running = await start(dir, {});
  const { url, port } = running;
  return {
    url,
    port,
    server: () => running,
    kill: () => running.kill(),
    stop: () => running.stop(),
    async restart() {
      running = await start(dir, { port });
    },
    async remove() {
      await running.kill();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Resolves once `condition` holds; rejects after `timeoutMs`, which is there to end a test that hangs. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not so within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
