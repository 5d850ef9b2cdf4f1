import type { Directory } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { NotifierStore } from './store.js';

export interface ReminderDeps {
  readonly store: NotifierStore;
  readonly notary: Notary;
  /** Tells the ledger that a tenant has something new to chain: a hint, never awaited. */
  readonly chained: (tenant: string) => void;
}

export interface NotifierDeps extends ReminderDeps {
  readonly directory: Directory;
  /** What a reminder can do here: mail it, or only tell who polls. */
  readonly notification: 'queued' | 'polling-only';
}
