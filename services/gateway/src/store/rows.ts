import type { ScopedPool } from '@countersign/database';

/** One statement under a name of its own, about the tenants of that pool. */
export type Rows = <Row extends object>(
  pool: ScopedPool,
  name: string,
  text: string,
  values: readonly unknown[],
) => Promise<Row[]>;
