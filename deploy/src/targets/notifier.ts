import { Directory } from '@countersign/database';
import { NotifierStore, notifierModule } from '@countersign/notifier';
import type { Module } from '@countersign/platform';
import type { Shared } from '../shared.js';

export function notifierModules(shared: Shared): Module[] {
  const pool = shared.pool('notifier');
  return [
    notifierModule(shared.runtime, {
      store: new NotifierStore(pool),
      directory: new Directory(pool),
      notary: shared.notary('notifier'),
      notification: 'polling-only',
      chained: shared.chained,
    }),
  ];
}
