import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from './plain-error.js';

/** Where `npm start` keeps its data when nothing else is said. */
export const DEFAULT_DATA = fileURLToPath(new URL('../../.countersign', import.meta.url));

/** The files that a later start finds again. */
export interface DataDirectory {
  readonly path: string;
  at(...names: string[]): string;
  /** The content of a JSON file, or null when there is none. */
  read<T>(name: string): T | null;
  /** Replaces a JSON file as a whole, readable by its owner only. */
  write(name: string, value: unknown): void;
  /** Lets another launcher have the directory. */
  release(): void;
}

/** The directory for reading, which may be in use by a running instance. */
export function dataDirectory(path: string): DataDirectory {
  const root = resolve(path);
  const at = (...names: string[]): string => join(root, ...names);
  return {
    path: root,
    at,
    read: <T>(name: string) =>
      existsSync(at(name)) ? (JSON.parse(readFileSync(at(name), 'utf8')) as T) : null,
    write(name, value) {
      writeFileSync(at(`${name}.new`), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
      renameSync(at(`${name}.new`), at(name));
    },
    release: () => rmSync(at(LOCK), { force: true }),
  };
}

const LOCK = 'launcher.pid';

/** Makes the directory when missing and takes it for this process. Throws PlainError while another one has it. */
export function takeDataDirectory(path: string): DataDirectory {
  const data = dataDirectory(path);
  // Others may pass through, for Postgres runs as another user than root, but not look around.
  mkdirSync(data.path, { recursive: true, mode: 0o711 });
  mkdirSync(data.at('logs'), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      writeFileSync(data.at(LOCK), `${process.pid}\n`, { flag: 'wx' });
      return data;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = Number(readFileSync(data.at(LOCK), 'utf8'));
    if (commandOf(holder).includes('start.mjs') && holder !== process.pid) {
      throw new PlainError(
        `Countersign is running already on ${data.path} (process ${holder}). ` +
          'Stop it first, or give this one a directory of its own: npm start -- --data DIR --port 0 --sandbox-port 0',
      );
    }
    rmSync(data.at(LOCK), { force: true });
  }
}

/** The command line of a running process, empty when there is none of that number. */
export function commandOf(pid: number): string {
  if (!Number.isInteger(pid) || pid <= 1) return '';
  try {
    return existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
