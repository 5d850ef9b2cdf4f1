import { Directory } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type { IssuedRecord } from '@countersign/platform';
import { SUPPORTED_PROFILES } from '@countersign/protocol';
import { ExecutionStore } from './store/index.js';

export interface ExecutionOptions extends Saving<IssuedRecord> {
  /** Profiles that the deployment offers beside those of the revision, each with its version (protocol §18.10). */
  readonly offered: Readonly<Record<string, string>>;
}

export type ExecutionDeps = ReturnType<typeof executionDeps>;

export function executionDeps(options: ExecutionOptions) {
  const { pool, offered } = options;
  return {
    ...options,
    store: new ExecutionStore(pool),
    directory: new Directory(pool),
    /** Of requests that this service handles. */
    profiles: { ...SUPPORTED_PROFILES, ...offered },
  };
}
