/** Bounds of response schemas and of judging them (protocol §10). */
export const SCHEMA_LIMITS = {
  /** JSON values of a schema; the content of const, enum, default and examples counts as one (R31). */
  syntaxNodes: 9999,
  /** Deepest JSON value of a schema, the root being 0. */
  depth: 31,
  /** Evaluations when every keyword and reference is followed; see `schemaWork`. */
  work: 10_000,
  /** Response nodes × work. */
  responseWork: 5_000_000,
  /** UTF-8 bytes of schema and response together. */
  jobBytes: 524_544,
  /** From the call to the answer, time in the queue included. */
  jobMilliseconds: 1500,
  workers: 2,
  queuedJobs: 8,
  /** Of one worker, for `resourceLimits` of node:worker_threads. */
  worker: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
} as const;
