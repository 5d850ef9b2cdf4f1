import { Approvers, Directory, Persons, Readings } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type {
  ApprovalMetrics,
  IssuedRecord,
  KeyMetrics,
  Notary,
  SchemaChecks,
} from '@countersign/platform';
import { SUPPORTED_PROFILES } from '@countersign/protocol';
import type { Trust } from '@countersign/protocol';
import { AttentionStore } from './store/attention.js';
import { ReviewStore } from './store/index.js';
import { SigningStore } from './store/signing.js';

export interface ReviewOptions extends Saving<IssuedRecord> {
  readonly notary: Notary;
  readonly schemas: SchemaChecks;
  /** For signed texts that are read back. */
  readonly trust: Trust;
  /** Profiles that the deployment offers beside those of the revision, each with its version (protocol §18.10). */
  readonly offered: Readonly<Record<string, string>>;
  readonly votes: ApprovalMetrics;
  readonly keys: KeyMetrics;
}

export type ReviewDeps = ReturnType<typeof reviewDeps>;

export function reviewDeps(options: ReviewOptions) {
  const { pool, trust, offered } = options;
  return {
    ...options,
    store: new ReviewStore(pool),
    signing: new SigningStore(pool),
    attention: new AttentionStore(pool),
    readings: new Readings(pool),
    directory: new Directory(pool),
    persons: new Persons(pool, trust),
    approvers: new Approvers(pool, trust),
    /** Of requests that this service handles. */
    profiles: { ...SUPPORTED_PROFILES, ...offered },
  };
}
