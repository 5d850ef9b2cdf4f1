import {
  findNats,
  findPostgres,
  findRedis,
  startNats,
  startPostgres,
  startRedis,
} from '@countersign/dev-servers';
import type { RunningStore } from '@countersign/dev-servers';
import { canInstall, installPackages, isAllowed } from './debian.js';
import { commandOf } from './data-directory.js';
import type { OwnDirectory } from './data-directory.js';
import { PlainError, explain } from '@countersign/deploy/plain-error';
import { STORES_FILE } from '@countersign/deploy/stores-file';
import type { Started, StoreUrls, StoresFile } from '@countersign/deploy/stores-file';

/** The stores of an instance: addresses for its targets, and the servers to stop at the end. */
export interface Stores {
  readonly urls: StoreUrls;
  stop(): Promise<void>;
}

interface Kind {
  readonly variable: 'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL';
  readonly name: string;
  readonly folder: string;
  readonly debianPackage: string;
  find(): unknown;
  start(options: { dir: string; log: string; port?: number }): Promise<RunningStore>;
}

const POSTGRES: Kind = {
  variable: 'DATABASE_URL',
  name: 'PostgreSQL',
  folder: 'postgres',
  debianPackage: 'postgresql',
  find: () => findPostgres(),
  start: startPostgres,
};
const NATS: Kind = {
  variable: 'NATS_URL',
  name: 'NATS',
  folder: 'nats',
  debianPackage: 'nats-server',
  find: findNats,
  start: startNats,
};
const REDIS: Kind = {
  variable: 'REDIS_URL',
  name: 'Redis',
  folder: 'redis',
  debianPackage: 'redis-server',
  find: findRedis,
  start: startRedis,
};

const RESTART_MS = 5000;

/**
 * PostgreSQL always, NATS and Redis with `split`: those that a variable of the environment names, else servers
 * started below the data directory, and started again when they end by themselves. Throws PlainError.
 */
export async function provideStores(
  data: OwnDirectory,
  { split, installPackages: mayInstall }: { split: boolean; installPackages: boolean },
  say: (line: string) => void,
): Promise<Stores> {
  const kinds = split ? [POSTGRES, NATS, REDIS] : [POSTGRES];
  const missing = kinds.filter(({ variable, find }) => !process.env[variable] && find() === null);
  const packages = missing.map(({ debianPackage }) => debianPackage);
  if (canInstall() && packages.length > 0 && (mayInstall || (await isAllowed(packages)))) {
    await installPackages(packages, say);
  }
  endLeftovers(data);

  const kept: KeptStore[] = [];
  const urls: Partial<Record<Kind['variable'], string>> = {};
  const note = (): void => {
    const started = kept.map(({ pid }): Started => ({ pid: pid(), command: commandOf(pid()) }));
    data.write(STORES_FILE, { urls, started } satisfies StoresFile);
  };
  const stop = async (): Promise<void> => {
    // Backwards: PostgreSQL, which holds the state, ends last.
    for (const store of kept.reverse()) await store.stop();
    data.write(STORES_FILE, { urls: {}, started: [] } satisfies StoresFile);
  };
  try {
    for (const kind of kinds) {
      const given = process.env[kind.variable];
      if (given) {
        say(`${kind.name}: the server that ${kind.variable} names`);
        urls[kind.variable] = given;
        continue;
      }
      const store = await keepStore(kind, data, say, note);
      kept.push(store);
      urls[kind.variable] = store.url;
      note();
      say(`${kind.name}: started, data in ${data.at(kind.folder)}`);
    }
    note();
  } catch (error) {
    await stop();
    throw error;
  }
  return { urls: urls as StoreUrls, stop };
}

interface KeptStore {
  readonly url: string;
  pid(): number;
  stop(): Promise<void>;
}

/** Starts a server and, should it end by itself, starts it again on the same port. */
async function keepStore(
  kind: Kind,
  data: OwnDirectory,
  say: (line: string) => void,
  note: () => void,
): Promise<KeptStore> {
  const place = { dir: data.at(kind.folder), log: data.at('logs', `${kind.folder}.log`) };
  let store = await startPlainly(kind, place);
  const { url, port } = store;
  let stopping = false;

  function watch(): void {
    void store.exited.then(async () => {
      if (stopping) return;
      say(`${kind.name} ended by itself; it starts again. Its log: ${place.log}`);
      await again();
    });
  }
  async function again(): Promise<void> {
    try {
      store = await startPlainly(kind, { ...place, port });
      note();
      watch();
    } catch (error) {
      say(`${kind.name} does not start again: ${explain(error)}`);
      if (!stopping) setTimeout(() => void again(), RESTART_MS);
    }
  }

  watch();
  return {
    url,
    pid: () => store.pid,
    async stop() {
      stopping = true;
      await store.stop();
    },
  };
}

/** The errors of a starter name the remedy. */
async function startPlainly(
  { start }: Kind,
  options: Parameters<Kind['start']>[0],
): Promise<RunningStore> {
  try {
    return await start(options);
  } catch (error) {
    throw new PlainError((error as Error).message, { cause: error });
  }
}

/** PostgreSQL sees to its own leftovers; all are recognised by their whole command line, for numbers come back. */
function endLeftovers(data: OwnDirectory): void {
  for (const { pid, command } of data.read<StoresFile>(STORES_FILE)?.started ?? []) {
    if (command !== '' && commandOf(pid) === command) process.kill(pid, 'SIGTERM');
  }
}
