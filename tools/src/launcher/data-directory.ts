import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dataDirectory } from '@countersign/deploy/data-directory';
import type { DataDirectory } from '@countersign/deploy/data-directory';
import { PlainError } from '@countersign/deploy/plain-error';

/** A data directory that a launcher writes. */
export interface OwnDirectory extends DataDirectory {
  /** Replaces a JSON file as a whole, readable by its owner only. */
  write(name: string, value: unknown): void;
  /** Lets another launcher have the directory. */
  release(): void;
}

const LOCK = 'launcher.pid';

/** The files of a launcher's instance, without taking the directory. */
export function ownDirectory(path: string): OwnDirectory {
  const data = dataDirectory(path);
  const { at } = data;
  return {
    ...data,
    write(name, value) {
      writeFileSync(at(`${name}.new`), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
      renameSync(at(`${name}.new`), at(name));
    },
    release: () => rmSync(at(LOCK), { force: true }),
  };
}

/** Makes the directory when missing and takes it for this process. Throws PlainError while another one has it. */
export function takeDataDirectory(path: string): OwnDirectory {
  const data = ownDirectory(path);
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
