import { wholeNumber } from '@countersign/platform';
import type { Configuration } from '@countersign/platform';

/** Variables of every target that works through deadlines. */
export const WORKER = {
  SWEEP_SECONDS: wholeNumber(1, 600)
    .default(5)
    .describe('seconds between searches of a worker for upcoming deadlines'),
  SWEEP_BATCH: wholeNumber(1, 10_000)
    .default(1000)
    .describe('deadlines that a worker reads at once'),
  WORKER_CONCURRENCY: wholeNumber(1, 1000)
    .default(10)
    .describe('items that one worker of this process handles concurrently'),
  WORKER_LOCK_SECONDS: wholeNumber(1, 3600)
    .default(30)
    .describe('seconds without a sign of life after which another worker takes over a job'),
  WORKER_PER_SECOND: wholeNumber(0, 100_000)
    .default(0)
    .describe('the most items that one worker of this process handles in a second; 0: no limit'),
} as const;

export type WorkerConfig = Configuration<typeof WORKER>;

/** Variables of the target that deletes rows after their time. */
export const DELETION = {
  DELETION_CONCURRENCY: wholeNumber(1, 1000)
    .default(2)
    .describe('requests that one deletion worker deletes concurrently; no call waits for it'),
  DELETION_PER_TENANT: wholeNumber(1, 1_000_000)
    .default(500)
    .describe('deadlines of one tenant that the deletion worker takes in one sweep'),
  HOUSEKEEPING_SECONDS: wholeNumber(1, 86_400)
    .default(900)
    .describe('seconds between clearings of expired data'),
  HOUSEKEEPING_ROWS: wholeNumber(1, 10_000)
    .default(500)
    .describe('rows of one kind and tenant that are cleared at once; more follow a second later'),
} as const;
