import { Directory } from '@countersign/database';
import type { Saving } from '@countersign/database';
import { NotifierStore } from './store/index.js';

export type ReminderDeps = Saving;

export interface NotifierOptions extends ReminderDeps {
  /** The effect of a reminder here: a mail, or only an event for callers that poll. */
  readonly notification: 'queued' | 'polling-only';
}

export type NotifierDeps = ReturnType<typeof notifierDeps>;

export function notifierDeps(options: NotifierOptions) {
  const { pool } = options;
  return { ...options, store: new NotifierStore(pool), directory: new Directory(pool) };
}
