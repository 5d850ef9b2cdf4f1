import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { open, readFile, readdir } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';

import { JournalInvalid } from '../errors.js';
import { writeOnce } from './written.js';

/** An exclusive right within a folder, which the kernel ends with its process. */
export interface FileHold {
  isHeld(): boolean;
  release(): Promise<void>;
}

const HOLD = /^hold-(\d{8})$/;
/** Bytes of the address of a socket, on the systems that have the shortest. */
const MOST_PATH_BYTES = 100;

/**
 * Takes the hold of a folder; null while another process has it. A holder listens on a socket of its own, which stops to
 * answer when its process ends, however it ends: Node has no other lock of the kernel. Holds have rising numbers, so that of
 * two processes that find the last holder gone only one gets the next number.
 */
export async function takeHold(folder: string): Promise<FileHold | null> {
  // The address of a socket is short, so it goes through the open folder where the system allows that.
  const handle = await open(folder, constants.O_RDONLY);
  const server = await takenIn(folder, addressIn(folder, handle.fd)).catch(
    async (fault: unknown) => {
      await handle.close();
      throw fault;
    },
  );
  if (server === null) {
    await handle.close();
    return null;
  }
  return {
    isHeld: () => server.listening,
    async release() {
      await closed(server);
      await handle.close();
    },
  };
}

type Address = (name: string) => string;

function addressIn(folder: string, fd: number): Address {
  const isShort = existsSync(`/proc/self/fd/${fd}`);
  return (name) => {
    const path = join(isShort ? `/proc/self/fd/${fd}` : folder, name);
    if (Buffer.byteLength(path) > MOST_PATH_BYTES)
      throw new JournalInvalid(folder, 'has too long a path for a socket: choose a shorter one');
    return path;
  };
}

async function takenIn(folder: string, address: Address): Promise<Server | null> {
  const last = (await readdir(folder))
    .filter((name) => HOLD.test(name))
    .sort()
    .at(-1);
  if (last !== undefined) {
    const text = await readFile(join(folder, last), 'utf8');
    const { socket } = JSON.parse(text) as { socket: string };
    if (await answers(address(socket))) return null;
  }
  const socket = `socket-${randomUUID().slice(0, 8)}`;
  const server = await listening(address(socket));
  const number = Number(last?.slice('hold-'.length) ?? 0) + 1;
  const name = `hold-${String(number).padStart(8, '0')}`;
  try {
    if (await writeOnce(folder, name, JSON.stringify({ socket }))) return server;
  } catch (fault) {
    await closed(server);
    throw fault;
  }
  await closed(server);
  return null;
}

/** Whether a process listens there. One that is stopped does too. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => end(true));
    // Only these two prove that there is none; everything else counts as alive.
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    );
  });
}

function listening(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  // A hold keeps no process running.
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
