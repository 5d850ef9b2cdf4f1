import type { Target } from './load/lifecycle.js';

export const MODES = ['yardstick', 'all', 'split'] as const;
/** `all` = the product in one process, `split` = one process per target. */
export type Mode = (typeof MODES)[number];

/** A running system that is measured. */
export interface Side {
  readonly name: Mode;
  readonly target: Target;
  /** The processes below which all of it runs, its database included. */
  readonly roots: readonly number[];
  /** Its database, as the owner. */
  readonly databaseUrl: string;
}
