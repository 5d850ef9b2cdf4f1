import { performance } from 'node:perf_hooks';

const BEAT_MS = 25;
/** Shorter pauses are the daily life of an event loop. */
const TOLERATED_MS = 100;
/** A loop that waited for input this long within one beat has read all there was. */
const CAUGHT_UP_MS = 5;

/** Tells how long messages may have lain in a socket's buffer while this process could not read. */
export interface StallWatch {
  /** Milliseconds; 0 in ordinary times. */
  lateMs(): number;
  stop(): void;
}

/**
 * Time-outs are relative, so a message says nothing about when it was sent. After this process stood still (paused,
 * starved, a long computation), the messages that it then reads may be as old as the pause: until it has caught up, every
 * message counts as that old.
 */
export function watchStalls(): StallWatch {
  let last = performance.now();
  let late = 0;
  let idle = performance.eventLoopUtilization().idle;

  const beat = setInterval(() => {
    const now = performance.now();
    const pause = now - last - BEAT_MS;
    const idleNow = performance.eventLoopUtilization().idle;
    if (pause > TOLERATED_MS) late = Math.max(late, pause);
    else if (idleNow - idle > CAUGHT_UP_MS) late = 0;
    last = now;
    idle = idleNow;
  }, BEAT_MS);
  beat.unref();

  return {
    lateMs() {
      const pause = performance.now() - last - BEAT_MS;
      return pause > TOLERATED_MS ? Math.max(late, pause) : late;
    },
    stop: () => clearInterval(beat),
  };
}
