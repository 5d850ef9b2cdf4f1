import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findNats } from './find-binary.js';
import { imageOf } from './server-container.js';
import { greets, onPort, startServerProcess, untilAnswering } from './server-process.js';
import type { RunningStore } from './server-process.js';

export interface NatsOptions {
  /** Holds its configuration; made when missing. */
  dir: string;
  port?: number;
  /** Lines added to its configuration, for example accounts and permissions. */
  config?: string;
  /** File for its output; `<dir>.log` when not given. */
  log?: string;
}

/** Starts a NATS server on 127.0.0.1 and waits until it greets. It stores nothing. */
export async function startNats(options: NatsOptions): Promise<RunningStore> {
  const image = imageOf('nats');
  const command = image === null ? findNats() : 'nats-server';
  if (command === null) {
    throw new Error(
      'nats-server was not found. Install it (Debian: apt-get install nats-server; macOS: brew install nats-server) ' +
        'or put it on PATH, or name a running server by NATS_URL.',
    );
  }
  const dir = resolve(options.dir);
  const logFile = options.log ?? `${dir}.log`;
  mkdirSync(dir, { recursive: true });

  return onPort(options.port, async (port) => {
    const file = join(dir, 'nats.conf');
    writeFileSync(file, `listen: "127.0.0.1:${port}"\nmax_payload: 1MB\n${options.config ?? ''}\n`);
    const server = await startServerProcess({
      command,
      image,
      args: ['-c', file],
      dir,
      logFile,
      stopSignal: 'SIGTERM',
    });
    await untilAnswering('nats-server', server, () => greets(port, '', 'INFO '));
    return { ...server, url: `nats://127.0.0.1:${port}`, port };
  });
}
