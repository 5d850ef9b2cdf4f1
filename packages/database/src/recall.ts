import type { Lifecycle } from '@countersign/protocol';
import { Refusal } from '@countersign/protocol';
import type { RequestRow } from './request-row.js';
import { StaleRead } from './fresh-state.js';
import type { Saved } from './transition.js';

/** A state that a step was decided with although it was not read for it: `marks` and time are compared by the save. */
export interface Recalled {
  readonly marks: string;
  /** Service time that the step was decided at, epoch milliseconds: the save must come within a second of it. */
  readonly at: number;
}

/** Longest time between a step and the one that recalls it; grants and reviews that take longer are read again. */
const LONGEST_MS = 60_000;
const MOST_KEPT = 1000;
/** Characters of a request; longer ones are read again. */
const LONGEST_KEPT = 32_768;

/** The clock is known for as long as nothing can have moved it far. */
const CLOCK_MS = 1000;

/**
 * The database's clock between two readings, never ahead of it: what it said when it was last asked, and the time that has
 * passed since on a clock that never jumps. Null when that is too long ago.
 */
class DatabaseClock {
  #ahead = -Infinity;
  #notedAt = -Infinity;

  note(now: number): void {
    const at = performance.now();
    const ahead = now - at;
    // The answer that was quickest tells best.
    if (ahead < this.#ahead && at - this.#notedAt < CLOCK_MS) return;
    this.#ahead = ahead;
    this.#notedAt = at;
  }

  now(): number | null {
    const at = performance.now();
    return at - this.#notedAt < 2 * CLOCK_MS ? Math.floor(this.#ahead + at) : null;
  }
}

interface Kept<Row> {
  readonly row: Row;
  readonly at: number;
}

/** What a step left behind. */
export interface Left<Row> {
  readonly row: Row;
  /** Of the step's save. */
  readonly saved: Saved;
  /** The lifecycle as the step moved it; not given when it stayed. */
  readonly next?: Lifecycle;
}

/**
 * What this process's last step on a request left behind, for the caller's next one: a load less. Nothing rests on it. The
 * save compares the rows themselves ({@link Recalled}), and what is not a success is decided again on what is read then.
 */
export class Recollection<Row extends RequestRow> {
  readonly #kept = new Map<string, Kept<Row>>();
  readonly #clock = new DatabaseClock();
  #sweeping: NodeJS.Timeout | undefined;

  /** Tells the time that a load read. */
  noteTime(now: number): void {
    this.#clock.note(now);
  }

  /** Takes it out: it serves once. */
  take(tenant: string, request: string, caller: string): Row | undefined {
    const key = keyOf(tenant, request, caller);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    const now = this.#clock.now();
    if (now === null || performance.now() - kept.at > LONGEST_MS) return undefined;
    const { row } = kept;
    const at = Math.max(now, row.now);
    return { ...row, now: at, recalled: { marks: row.marks ?? '', at } };
  }

  keep(tenant: string, caller: string, { row, saved, next }: Left<Row>): void {
    this.#clock.note(saved.now);
    if (row.request_id === null || row.marks === undefined) return;
    if (row.canonical.length > LONGEST_KEPT) return;
    const moved = next === undefined ? {} : movedTo(next, row, saved.mark);
    const left = { ...row, ...moved, ...NO_REPLAY, now: row.now, recalled: null };
    if (this.#kept.size >= MOST_KEPT) {
      // The first key is the one that was put in longest ago.
      this.#kept.delete(this.#kept.keys().next().value ?? '');
    }
    this.#kept.set(keyOf(tenant, row.request_id, caller), { row: left, at: performance.now() });
    if (this.#sweeping === undefined) this.#sweepLater();
  }

  /** What nobody asked for is let go of: some of it is private. */
  #sweep(): void {
    this.#sweeping = undefined;
    const from = performance.now() - LONGEST_MS;
    for (const [key, { at }] of this.#kept) if (at < from) this.#kept.delete(key);
    if (this.#kept.size > 0) this.#sweepLater();
  }

  #sweepLater(): void {
    this.#sweeping = setTimeout(() => this.#sweep(), LONGEST_MS).unref();
  }
}

const NO_REPLAY = { replay_digest: null, replay_status: null, replay_result: null };

function keyOf(tenant: string, request: string, caller: string): string {
  return `${tenant}\u0000${request}\u0000${caller}`;
}

/** The row as the save left it: `mark` takes the place of the lifecycle row's own, see {@link marksOf}. */
function movedTo(next: Lifecycle, row: RequestRow, mark: string): Partial<RequestRow> {
  const [, ...others] = (row.marks ?? '').split(',');
  return {
    decision: next.decision,
    audit: next.audit,
    grant_state: next.grant,
    execution: next.execution,
    revision: next.revision,
    invalidated: next.invalidated,
    review_deadline: next.reviewDeadline,
    grant_deadline: next.grantDeadline,
    private_delete_at: next.privateDeleteAt,
    material_deleted: next.materialDeleted,
    reminded_at: next.remindedAt,
    admissions: next.admissions,
    version: row.version + 1,
    marks: [mark, ...others].join(','),
  };
}

/**
 * A step on what is recalled, if anything is. Where that ends in a refusal or finds that somebody else was there, it is
 * decided again on what `load` reads: no caller is refused for what this process remembers. Throws {@link StaleRead} when that
 * was too late as well.
 */
export async function withKnownState<Row, T>(
  recalled: Row | undefined,
  load: () => Promise<Row | undefined>,
  attempt: (row: Row | undefined) => Promise<T>,
): Promise<T> {
  if (recalled !== undefined) {
    try {
      return await attempt(recalled);
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof StaleRead)) throw error;
    }
  }
  return attempt(await load());
}
