import type { Directory, Saving } from '@countersign/database';
import type { NotifierStore } from './store.js';

export type ReminderDeps = Saving;

export interface NotifierDeps extends ReminderDeps {
  readonly store: NotifierStore;
  readonly directory: Directory;
  /** What a reminder can do here: mail it, or only tell who polls. */
  readonly notification: 'queued' | 'polling-only';
}
