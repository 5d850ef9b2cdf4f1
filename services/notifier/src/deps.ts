import type { Directory, Saving } from '@countersign/database';
import type { NotifierStore } from './store/index.js';

export type ReminderDeps = Saving;

export interface NotifierDeps extends ReminderDeps {
  readonly store: NotifierStore;
  readonly directory: Directory;
  /** The effect of a reminder here: a mail, or only an event for callers that poll. */
  readonly notification: 'queued' | 'polling-only';
}
