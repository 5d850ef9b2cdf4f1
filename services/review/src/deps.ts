import { Directory } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type { IssuedRecord, SchemaChecks } from '@countersign/platform';
import { ReviewStore } from './store/index.js';

export interface ReviewOptions extends Saving<IssuedRecord> {
  readonly schemas: SchemaChecks;
}

export type ReviewDeps = ReturnType<typeof reviewDeps>;

export function reviewDeps(options: ReviewOptions) {
  const { pool } = options;
  return { ...options, store: new ReviewStore(pool), directory: new Directory(pool) };
}
