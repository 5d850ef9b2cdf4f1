import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerName } from './find-binary.js';
import type { Owner } from './postgres-owner.js';

/** A server that runs, as a child or in a container. */
export interface RunningServer {
  readonly pid: number;
  readonly exited: Promise<void>;
  signal(signal: NodeJS.Signals): Promise<void>;
  /** It stands still: it keeps its connections and answers nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

/**
 * A program of an image, run on the network of this machine. It sees two folders, at their own paths: its own and that of
 * temporary files, in which tests keep certificates.
 */
export interface ContainedProgram {
  readonly image: string;
  /** Found on the image's PATH. */
  readonly program: string;
  readonly args: readonly string[];
  readonly dir: string;
  /** The user that it runs as; our own when null. */
  readonly owner?: Owner | null;
}

/**
 * The image that a server is started from instead of a program of this machine, or null: those of `TEST_IMAGES`, such as
 * `nats=nats:2.12-alpine,redis=redis:8`. `npm test` sets it for the servers that are not here, where an engine answers.
 */
export function imageOf(server: ServerName): string | null {
  const images = (process.env['TEST_IMAGES'] ?? '').split(',').map((pair) => pair.split('='));
  return images.find(([name]) => name === server)?.[1] ?? null;
}

/** Starts a server in a container, whose output goes to a file. */
export async function startContainer(
  contained: ContainedProgram,
  logFile: string,
): Promise<RunningServer> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const plan = (await planOf(contained)).withLogConsumer((stream) => stream.pipe(log));
  const id = (await plan.start()).getId();
  const client = await getContainerRuntimeClient();
  const container = client.container.getById(id);
  const { State } = await container.inspect();
  const exited = container.wait().then(async () => {
    await container.remove({ force: true }).catch(() => {});
  });
  return {
    pid: State.Pid,
    exited,
    signal: async (signal) => {
      // It may have ended by itself.
      await container.kill({ signal }).catch(() => {});
    },
    pause: () => container.pause(),
    resume: () => container.unpause(),
  };
}

/** Runs a program of an image to its end. Throws when it fails. */
export async function runContained(contained: ContainedProgram): Promise<void> {
  const { Wait } = await import('testcontainers');
  let output = '';
  const plan = (await planOf(contained))
    .withWaitStrategy(Wait.forOneShotStartup())
    .withLogConsumer((stream) => stream.on('data', (data) => (output += String(data))));
  try {
    await (await plan.start()).stop();
  } catch (error) {
    throw new Error(`${contained.program} failed: ${output.trim()}`, { cause: error });
  }
}

async function planOf({ image, program, args, dir, owner }: ContainedProgram) {
  const { GenericContainer } = await import('testcontainers');
  const { uid, gid } = owner ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return new GenericContainer(image)
    .withNetworkMode('host')
    .withUser(`${uid}:${gid}`)
    .withEntrypoint([program])
    .withCommand([...args])
    .withBindMounts([
      ...[...new Set([tmpdir(), dir])].map((folder) => ({ source: folder, target: folder })),
      { source: usersFile(uid, gid), target: '/etc/passwd', mode: 'ro' },
    ]);
}

let usersFolder: string | undefined;

/** PostgreSQL wants a name for the user that it runs as. */
function usersFile(uid: number, gid: number): string {
  if (usersFolder === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'countersign-users-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    usersFolder = made;
  }
  const file = join(usersFolder, `${uid}-${gid}`);
  writeFileSync(file, `countersign:x:${uid}:${gid}::/:/bin/sh\n`);
  return file;
}
