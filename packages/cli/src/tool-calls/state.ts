import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Option } from 'commander';

import { UsageError } from '../exits.js';

/** What outlives a process that puts calls of tools before people: a folder for its owner alone. */
export interface State {
  readonly folder: string;
  /** Of this folder: two machines do not take each other's calls for the same. */
  readonly name: string;
}

export const STATE_OPTION = () =>
  new Option(
    '--state <dir>',
    'folder that outlives this process, on a disk of this machine; otherwise one in ~/.local/state/countersign',
  );

/** @throws UsageError for a folder that cannot be made */
export function stateIn(folder: string | undefined, ...usual: readonly string[]): State {
  const root = process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  const path = resolve(folder ?? join(root, 'countersign', ...usual));
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const name = join(path, 'name');
    writeOnce(name, randomBytes(9).toString('base64url'));
    return { folder: path, name: readFileSync(name, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--state ${path}: the folder cannot be used (${code}).`);
  }
}

/** Makes a file that is whole, unless there is one of that name; says whether it made it. */
export function writeOnce(path: string, text: string): boolean {
  const whole = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(whole, text, { mode: 0o600, flush: true });
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(whole);
  }
}
