import { randomUUID } from 'node:crypto';
import { readdir, readlink, rm, symlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { PlainError } from './plain-error.js';

const HOLD = /^hold-\d{8}$/;
/** Bytes of the address of a socket, on the systems that have the shortest. */
const MOST_PATH_BYTES = 100;

/**
 * Takes the exclusive right to a folder for this process; resolves with its release. The holder listens on a socket there, which
 * stops to answer when its process ends, however it ends: Node has no other lock of the kernel. Holds have rising
 * numbers, so that of two processes that find the last holder gone only one gets the next number.
 *
 * @throws PlainError while another process of this machine has it
 */
export async function holdFolder(folder: string): Promise<() => Promise<void>> {
  const holds = (await readdir(folder)).filter((name) => HOLD.test(name)).sort();
  const last = holds.at(-1);
  const taken = new PlainError(`${folder}: another process uses it. End that one first.`);
  if (last !== undefined && (await answers(join(folder, await readlink(join(folder, last)))))) {
    throw taken;
  }
  const socket = `socket-${randomUUID().slice(0, 8)}`;
  const server = await listening(join(folder, socket));
  const next = `hold-${String(Number(last?.slice('hold-'.length) ?? 0) + 1).padStart(8, '0')}`;
  try {
    await symlink(socket, join(folder, next));
  } catch (error) {
    await closed(server);
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken : error;
  }
  await Promise.all(holds.map((name) => removed(folder, name)));
  return () => closed(server);
}

/** A hold whose process is gone, and its socket. The newest one stays: it has the number from which the next is counted. */
async function removed(folder: string, hold: string): Promise<void> {
  const socket = await readlink(join(folder, hold)).catch(() => null);
  if (socket !== null) await rm(join(folder, socket), { force: true });
  await rm(join(folder, hold), { force: true });
}

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
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) {
    throw new PlainError(`${path}: too long a path for a socket; choose a shorter one.`);
  }
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
