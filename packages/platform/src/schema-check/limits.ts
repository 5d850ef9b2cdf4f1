/** Protocol §10: of one process of the target `schema`. */
export const SCHEMA_CHECK_LIMITS = {
  /** Processes that check, one job at a time each. */
  seats: 2,
  queued: 8,
  /** From a job's arrival to its answer. */
  totalMs: 1500,
  /** UTF-8 bytes of schema and response together. */
  jobBytes: 524_544,
  /** After so many jobs that cost their process within that time, a tenant's new ones of the same kind wait. */
  breaks: 3,
  withinMs: 60_000,
  oldHeapMb: 64,
  /** The young heap is three of these. */
  semiSpaceMb: 4,
  stackKb: 3904,
} as const;

export type SchemaCheckLimits = { readonly [limit in keyof typeof SCHEMA_CHECK_LIMITS]: number };
