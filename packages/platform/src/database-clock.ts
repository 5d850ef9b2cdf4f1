import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '@countersign/protocol';
import type { Logger } from './log.js';
import type { Module } from './module.js';

/** The database's clock as this process knows it, independent of its machine's clock. */
export interface DatabaseClock {
  /** Epoch milliseconds. Throws `service_unavailable` before the first reading. */
  now(): number;
}

/** A clock that is compared with that of the machine. */
export interface ComparedClock extends DatabaseClock {
  /** Milliseconds by which this machine's clock is ahead of the database's; null before the first reading. */
  offsetMs(): number | null;
}

export interface DatabaseClockOptions {
  /** Asks the database, epoch milliseconds. */
  readonly read: () => Promise<number>;
  readonly log: Logger;
  /** A clock that never jumps; the process's own when not given. */
  readonly monotonicMs?: () => number;
  /** The machine's clock, epoch milliseconds. */
  readonly machineMs?: () => number;
}

const EVERY_MS = 10_000;
const RETRY_MS = 500;
/** The database answered at some moment of the round trip, so half of it is how wrong a reading may be. */
const LONGEST_ROUND_TRIP_MS = 2000;
/** A machine that is further off judges the times of keys and of logins wrongly. */
const LARGEST_OFFSET_MS = 5000;

/**
 * Adds a monotonic clock to the last reading, so a machine whose clock is set does not matter. While the database is away
 * the last reading stays good: monotonic clocks lose less than 2 s an hour. A slow reading is thrown away.
 */
export function createDatabaseClock(options: DatabaseClockOptions): ComparedClock & Module {
  const { read, log } = options;
  const { monotonicMs = () => performance.now(), machineMs = () => Date.now() } = options;
  /** The database's time at 0 of the monotonic clock. */
  let origin: number | null = null;
  let wasOff = false;
  let asking = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> = Promise.resolve();

  async function measure(): Promise<void> {
    // One question at a time: each holds a connection for as long as the database hangs.
    if (!asking) await ask();
    if (stopped) return;
    timer = setTimeout(
      () => {
        reading = measure();
      },
      origin === null ? RETRY_MS : EVERY_MS,
    );
    timer.unref();
  }

  async function ask(): Promise<void> {
    const begin = monotonicMs();
    asking = true;
    const answer = read().finally(() => (asking = false));
    try {
      const shown = await Promise.race([answer, late()]);
      const end = monotonicMs();
      if (shown !== null && end - begin <= LONGEST_ROUND_TRIP_MS) {
        origin = shown - (begin + end) / 2;
        sayOffset();
      }
    } catch (error) {
      log.debug({ err: error }, 'the clock of the database could not be read');
    }
  }

  function offsetMs(): number | null {
    return origin === null ? null : machineMs() - (origin + monotonicMs());
  }

  function sayOffset(): void {
    const offset = offsetMs() ?? 0;
    const isOff = Math.abs(offset) > LARGEST_OFFSET_MS;
    if (isOff && !wasOff) {
      log.warn(
        { offsetSeconds: Math.round(offset / 1000) },
        `the clock of this machine differs from the database's: synchronise both (NTP)`,
      );
    }
    wasOff = isOff;
  }

  return {
    name: 'database clock',
    offsetMs,
    now() {
      if (origin === null) {
        throw new Refusal('service_unavailable', {
          cause: new Error('the clock of the database has not been read yet'),
        });
      }
      return origin + monotonicMs();
    },
    async start() {
      reading = measure();
      await reading;
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await reading;
    },
    async ready() {
      if (origin === null) throw new Error('the clock of the database has not been read yet');
    },
  };
}

/** A database that hangs must hold up neither the next reading nor the end of the process. */
function late(): Promise<null> {
  return delay(LONGEST_ROUND_TRIP_MS, null, { ref: false });
}
