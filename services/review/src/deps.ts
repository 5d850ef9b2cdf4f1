import type { Directory, Saving } from '@countersign/database';
import type { IssuedRecord, SchemaChecks } from '@countersign/platform';
import type { ReviewStore } from './store/index.js';

export interface ReviewDeps extends Saving<IssuedRecord> {
  readonly store: ReviewStore;
  readonly directory: Directory;
  readonly schemas: SchemaChecks;
}
