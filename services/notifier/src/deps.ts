import { Directory } from '@countersign/database';
import type { Saving } from '@countersign/database';
import { NotifierStore } from './store/index.js';

export interface ReminderDeps extends Saving {
  /** Profiles that the deployment offers beside those of the revision, each with its version (protocol §18.10). */
  readonly offered: Readonly<Record<string, string>>;
}

export interface NotifierOptions extends ReminderDeps {
  /** The effect of a reminder here: a mail, or only an event for callers that poll. */
  readonly notification: 'queued' | 'polling-only';
}

export type NotifierDeps = ReturnType<typeof notifierDeps>;

export function notifierDeps(options: NotifierOptions) {
  const { pool } = options;
  return { ...options, store: new NotifierStore(pool), directory: new Directory(pool) };
}
