import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Instance } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { kill9, replicasOf, storeOf } from './processes.js';
import type { StoreName } from './processes.js';

const VARIABLES = {
  nats: 'NATS_URL',
  redis: 'REDIS_URL',
  postgres: 'DATABASE_URL',
} as const satisfies Record<StoreName, string>;

/** Holds nothing that may not be lost: everything that it has on disk goes with it. */
const FORGETFUL: readonly StoreName[] = ['nats', 'redis'];

/**
 * kill -9 of a store, and of every one that the launcher starts in its place while `lasts` says so; answers how many.
 * NATS and Redis lose all their data.
 */
export async function keepDown(
  instance: Instance,
  name: StoreName,
  lasts: () => boolean,
): Promise<number> {
  let kills = 0;
  do {
    const server = storeOf(instance, name);
    if (server !== undefined && kill9(server)) {
      kills += 1;
      if (FORGETFUL.includes(name)) {
        const folder = join(instance.dataDirectory, name);
        // Moved first: the next server may start in it while its files are removed.
        if (existsSync(folder)) renameSync(folder, `${folder}-lost`);
        rmSync(`${folder}-lost`, { recursive: true, force: true });
      }
    }
    await delay(10);
  } while (lasts());
  return kills;
}

/** Resolves when the store answers a client from outside. */
export async function untilStoreAnswers(instance: Instance, name: StoreName): Promise<void> {
  const file = readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8');
  const { urls } = JSON.parse(file) as { urls: Record<string, string> };
  const url = urls[VARIABLES[name]] as string;
  await until(
    () => ANSWERS[name](url),
    (answers) => answers,
    30_000,
  );
}

const ANSWERS: Readonly<Record<StoreName, (url: string) => Promise<boolean>>> = {
  nats: (url) => greets(url, '', 'INFO '),
  redis: (url) => greets(url, 'PING\r\n', '+PONG'),
  async postgres(url) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  },
};

function greets(url: string, hello: string, expected: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    const finish = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('close', () => finish(false));
    socket.once('connect', () => socket.write(hello));
    socket.once('data', (data) => finish(data.toString('latin1').startsWith(expected)));
  });
}

/** Takes the whole service away by kill -9; what this gives brings it back, and resolves once it serves. */
export function takeAway(instance: Instance): () => Promise<void> {
  // A launcher that stands still starts nothing in its place.
  instance.launcher.kill('SIGSTOP');
  for (const replica of replicasOf(instance)) kill9(replica);
  return async () => {
    instance.launcher.kill('SIGCONT');
    await until(
      () =>
        fetch(`${instance.demo.origin}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      (serves) => serves,
    );
  };
}

/** Ends the server and starts it again when `work` is done; the targets run on without a database meanwhile. */
export async function whileDatabaseIsDown(instance: Instance, work: () => void): Promise<void> {
  const server = storeOf(instance, 'postgres');
  if (server === undefined) throw new Error('no database server runs');
  // A launcher that stands still starts nothing in its place.
  instance.launcher.kill('SIGSTOP');
  try {
    process.kill(server.pid, 'SIGINT');
    await until(
      async () => existsSync(join(instance.dataDirectory, 'postgres/postmaster.pid')),
      (there) => !there,
    );
    work();
  } finally {
    instance.launcher.kill('SIGCONT');
  }
  await untilStoreAnswers(instance, 'postgres');
}
