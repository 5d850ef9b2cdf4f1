import type { Jobs, NewJob } from './jobs.js';
import type { Logger } from './log.js';
import type { Module } from './module.js';
import { startLoop } from './loop.js';
import type { Loop } from './loop.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** A deadline of a request; `due` in epoch milliseconds. */
export interface DueItem {
  readonly tenant: string;
  readonly requestId: string;
  readonly kind: string;
  readonly due: number;
}

/** A deadline with how long it has yet, by the database's clock; negative when it has come. */
export type UpcomingItem = DueItem & { readonly inMs: number };

/** Where the deadlines are: rows of the database, the only truth about them. */
export interface DeadlineSource {
  /** Items that are not done and due within `aheadMs`, in the order of time, after the last item of the page before. */
  upcoming(aheadMs: number, after: DueItem | null, most: number): Promise<UpcomingItem[]>;
  overdue(): Promise<{ count: number; oldestMs: number }>;
  /** Counts a failure of the item and lets it rest; opens an incident when it keeps failing. */
  failed(item: DueItem): Promise<void>;
}

/** `later`: its time has not come by the database's clock; the sweep finds it again. */
export type Effect = (item: DueItem) => Promise<{ lateMs: number } | 'later'>;

export interface WorkerSettings {
  readonly sweepMs: number;
  /** How far ahead deadlines become delayed jobs. */
  readonly aheadMs: number;
  /** Rows of one page of the sweep. */
  readonly batch: number;
  readonly concurrency: number;
  /** Most items a second in this process; 0 = as many as it can. */
  readonly perSecond: number;
}

/** The services that every worker needs. */
export interface WorkerRuntime {
  /** The target's name, and its queue's. */
  readonly name: string;
  readonly jobs: Jobs;
  readonly settings: WorkerSettings;
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

export interface DeadlineWorkerParts extends WorkerRuntime {
  readonly source: DeadlineSource;
  readonly effect: Effect;
}

/** An overdue item whose job ran or was lost is put back no sooner. */
const AGAIN_MS = 5_000;

/**
 * A sweep turns deadline rows that come soon into delayed jobs, and the worker does due ones (docs/architecture.md,
 * "The path of a deadline"). Jobs are hints: a flushed queue costs one sweep, a doubled job asks the database and finds nothing
 * to do, and an overdue item gets a job of its own, so that a job that sleeps too long after a jump of the clock delays
 * nothing.
 */
export function deadlineWorker(parts: DeadlineWorkerParts): Module {
  const { name, jobs, settings, metrics, log } = parts;
  let loop: Loop | undefined;
  return {
    name,
    async start() {
      await jobs.work(name, (data) => work(parts, data as unknown as DueItem), {
        concurrency: settings.concurrency,
        perSecond: settings.perSecond,
      });
      const sweep = createSweep(parts);
      loop = startLoop(settings.sweepMs, async () => {
        try {
          const { count, oldestMs } = await parts.source.overdue();
          metrics.overdue(count, oldestMs);
          await sweep();
        } catch (error) {
          log.warn({ err: error, worker: name }, 'the sweep failed; the next one retries');
        }
      });
    },
    stop: async () => {
      await loop?.stop();
    },
  };
}

async function work(parts: DeadlineWorkerParts, item: DueItem): Promise<void> {
  const { name, effect, source, metrics, log } = parts;
  try {
    const done = await effect(item);
    if (done !== 'later') metrics.done(done.lateMs);
  } catch (error) {
    metrics.failed();
    const { tenant, requestId, kind } = item;
    log.error({ err: error, worker: name, tenant, request: requestId, kind }, 'deadline failed');
    await source.failed(item);
  }
}

/**
 * One pass over the deadlines that come soon. Remembers the jobs that it has queued, so that a long backlog is not added
 * again.
 */
function createSweep({ name, jobs, source, settings }: DeadlineWorkerParts): () => Promise<void> {
  const { aheadMs, batch } = settings;
  const remembered = new Map<string, number>();

  return async () => {
    const now = performance.now();
    for (const [id, until] of remembered) if (until <= now) remembered.delete(id);
    let last: UpcomingItem | null = null;
    for (;;) {
      const page: UpcomingItem[] = await source.upcoming(aheadMs, last, batch);
      const fresh = page
        .map((item) => ({ item, job: jobOf(item) }))
        .filter(({ job }) => !remembered.has(job.jobId));
      await jobs.enqueueAll(
        name,
        fresh.map(({ job }) => job),
      );
      for (const { item, job } of fresh) {
        remembered.set(job.jobId, now + Math.max(AGAIN_MS, item.inMs));
      }
      if (page.length < batch) return;
      last = page.at(-1) as UpcomingItem;
    }
  };
}

/** The one job of an item, for callers that know of it before the sweep. */
export function jobOf({ tenant, requestId, kind, due, inMs }: UpcomingItem): NewJob {
  return {
    jobId: `${kind}.${tenant}.${requestId}.${due}${inMs <= 0 ? '.overdue' : ''}`,
    data: { tenant, requestId, kind, due },
    delayMs: inMs,
  };
}
