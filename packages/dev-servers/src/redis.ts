import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { findRedis } from './find-binary.js';
import { imageOf } from './server-container.js';
import { greets, onPort, startServerProcess, untilAnswering } from './server-process.js';
import type { RunningStore } from './server-process.js';

export interface RedisOptions {
  /** Its working directory; made when missing. */
  dir: string;
  port?: number;
  /** Server settings beside ours. */
  settings?: Readonly<Record<string, string>>;
  /** The path of a Sentinel's configuration, which names its port: the server is that Sentinel. */
  sentinel?: string;
  /** File for its output; `<dir>.log` when not given. */
  log?: string;
}

/**
 * Starts a Redis server on 127.0.0.1 that never evicts, and waits until it answers. It writes nothing to disk: sweeps
 * restore the contents of Redis, and waiting for a busy disk would delay the queues.
 */
export async function startRedis(options: RedisOptions): Promise<RunningStore> {
  const image = imageOf('redis');
  const command = image === null ? findRedis() : 'redis-server';
  if (command === null) {
    throw new Error(
      'redis-server was not found. Install it (Debian: apt-get install redis-server; macOS: brew install redis) ' +
        'or put it on PATH, or name a running server by REDIS_URL.',
    );
  }
  const dir = resolve(options.dir);
  const logFile = options.log ?? `${dir}.log`;
  mkdirSync(dir, { recursive: true });

  return onPort(options.port, async (port) => {
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir,
      save: '',
      appendonly: 'no',
      'maxmemory-policy': 'noeviction',
      ...options.settings,
    };
    const args =
      options.sentinel === undefined
        ? Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
        : [options.sentinel, '--sentinel'];
    const server = await startServerProcess({
      command,
      image,
      args,
      dir,
      logFile,
      stopSignal: 'SIGTERM',
    });
    await untilAnswering('redis-server', server, () => greets(port, 'PING\r\n', '+PONG'));
    return { ...server, url: `redis://127.0.0.1:${port}`, port };
  });
}
