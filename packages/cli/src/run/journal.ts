import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileJournal } from '@countersign/guard/node';
import type { Journal } from '@countersign/guard/node';
import { Option } from 'commander';

import { UsageError } from '../exits.js';

/** Where `run` keeps what `resume` needs, for this user. */
export function usualJournal(env: NodeJS.ProcessEnv = process.env): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'countersign', 'journal');
}

export const JOURNAL_OPTION = () =>
  new Option(
    '--journal <dir>',
    'folder that outlives this process, on a disk of this machine; otherwise ~/.local/state/countersign/journal',
  ).env('COUNTERSIGN_JOURNAL');

/** @throws UsageError for a folder that cannot be made */
export function journalOf(folder: string = usualJournal()): Journal {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--journal ${folder}: the folder cannot be made (${code}).`);
  }
  return fileJournal(folder);
}
