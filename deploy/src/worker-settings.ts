import { loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration } from '@countersign/platform';

/** Variables of every target that works through deadlines. */
export const WORKER = {
  SWEEP_SECONDS: wholeNumber(1, 600)
    .default(5)
    .describe('how often a worker looks for deadlines that come soon'),
  SWEEP_BATCH: wholeNumber(1, 10_000)
    .default(1000)
    .describe('how many deadlines a worker reads at once'),
  WORKER_CONCURRENCY: wholeNumber(1, 1000)
    .default(10)
    .describe('how many items one worker of this process does side by side'),
  WORKER_LOCK_SECONDS: wholeNumber(1, 3600)
    .default(30)
    .describe('after how long without a sign of life a worker’s job goes to another'),
  WORKER_PER_SECOND: wholeNumber(0, 100_000)
    .default(0)
    .describe('the most items one worker of this process does in a second; 0: as many as it can'),
} as const;

export type WorkerConfig = Configuration<typeof WORKER>;

export function workerConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  return loadConfig(WORKER, env);
}

/** Variables of the target that deletes what is past its time. */
export const DELETION = {
  DELETION_CONCURRENCY: wholeNumber(1, 1000)
    .default(2)
    .describe('how many requests one deletion worker deletes side by side; no call waits for it'),
  DELETION_PER_TENANT: wholeNumber(1, 1_000_000)
    .default(500)
    .describe('how many deadlines of one tenant the deletion worker takes in one sweep'),
  HOUSEKEEPING_SECONDS: wholeNumber(1, 86_400)
    .default(900)
    .describe('how often what is past its age is cleared'),
  HOUSEKEEPING_ROWS: wholeNumber(1, 10_000)
    .default(500)
    .describe(
      'how many rows of one kind and tenant are cleared at once; more follow a second later',
    ),
} as const;

export function deletionConfig(env: NodeJS.ProcessEnv): Configuration<typeof DELETION> {
  return loadConfig(DELETION, env);
}
