import { useEffect, useState } from 'preact/hooks';

import { shared } from '../strings/shared.js';
import { dateAndTime } from '../text/locale.js';
import { now } from './clock.js';
import { fromNow, timeLeft } from '../strings/time.js';
import { urgency } from './urgency.js';

const TICK_MS = 15_000;

/** The service's time, again every 15 s. */
export function useNow(): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return time;
}

export interface MomentProps {
  /** ISO 8601, as on the wire. */
  readonly at: string;
  /** The meaning of the words beside it: a deadline counts down, an event is in the past, `none` leaves them out. */
  readonly as?: 'deadline' | 'event' | 'none';
}

/** A point in time in the reader's zone, with words; pressing it shows the exact UTC. */
export function Moment({ at, as = 'event' }: MomentProps) {
  const [exact, setExact] = useState(false);
  useNow();
  // Newer than the last tick, so that what has just happened is not told as ahead.
  const time = now();
  const stamp = Date.parse(at);
  if (Number.isNaN(stamp)) return <span>{at}</span>;
  const words = as === 'deadline' ? timeLeft(stamp, time) : fromNow(stamp, time);
  return (
    <span class="moment">
      {as !== 'none' && (
        <span class={as === 'deadline' ? `moment-words ${urgency(stamp - time)}` : 'moment-words'}>
          {words}
        </span>
      )}
      <button
        type="button"
        class="moment-exact"
        title={exact ? shared.showLocalTime : at}
        aria-pressed={exact}
        onClick={() => setExact(!exact)}
      >
        <time dateTime={at}>{exact ? at : localTime(stamp, time)}</time>
      </button>
    </span>
  );
}

/** Date and time in the reader's zone and language; the year only when it is another one. */
export function localTime(stamp: number, today = now()): string {
  const date = new Date(stamp);
  const year =
    date.getFullYear() === new Date(today).getFullYear() ? {} : ({ year: 'numeric' } as const);
  return dateAndTime(date, { ...year, timeZoneName: 'short' });
}
