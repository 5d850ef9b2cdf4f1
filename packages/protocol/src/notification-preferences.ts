import { Refusal } from './errors.js';
import { MAIL_CHOICES, MAIL_LANGUAGES } from './notification-choices.js';
import type { NotificationPreferences, QuietHours } from './notification-choices.js';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** Every zone's hours begin at a multiple of it. */
const STEP_MINUTES = 15;
const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Throws `invalid_notifications`, which says the member that is wrong. */
export function readNotificationPreferences(value: unknown): NotificationPreferences {
  const given = membersOf(value, ['mails', 'digest_hours', 'quiet', 'time_zone', 'language']);
  const { time_zone: zone } = given;
  if (typeof zone !== 'string' || !isTimeZone(zone)) throw invalid('time_zone names no time zone.');
  const preferences = {
    mails: oneOf(MAIL_CHOICES, given['mails'], 'mails'),
    digest_hours: hoursOf(given['digest_hours']),
    quiet: quietOf(given['quiet']),
    time_zone: zone,
    language: oneOf(MAIL_LANGUAGES, given['language'], 'language'),
  };
  const { mails, digest_hours: hours, quiet } = preferences;
  if (mails === 'digest' && hours.length === 0) throw invalid('digest_hours names no hour.');
  if (mails === 'digest' && hours.some((hour) => isQuiet(quiet, hour * 60))) {
    throw invalid('digest_hours has an hour within the quiet hours.');
  }
  return preferences;
}

function membersOf(value: unknown, names: readonly string[]): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const given = isObject ? Object.keys(value) : [];
  if (given.length !== names.length || !names.every((name) => given.includes(name))) {
    throw invalid(`The body has exactly these members: ${names.join(', ')}.`);
  }
  return value as Record<string, unknown>;
}

function oneOf<Choice extends string>(
  choices: readonly Choice[],
  value: unknown,
  name: string,
): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw invalid(`${name} is none of ${choices.join(', ')}.`);
  return found;
}

function hoursOf(value: unknown): number[] {
  const hours = Array.isArray(value) ? (value as unknown[]) : null;
  const isHour = (hour: unknown, index: number) =>
    Number.isInteger(hour) &&
    (hour as number) >= 0 &&
    (hour as number) <= 23 &&
    (index === 0 || (hour as number) > ((hours as number[])[index - 1] as number));
  if (hours === null || !hours.every(isHour)) {
    throw invalid('digest_hours is a list of different hours from 0 to 23, in ascending order.');
  }
  return hours as number[];
}

function quietOf(value: unknown): QuietHours | null {
  if (value === null) return null;
  const { from, until } = membersOf(value, ['from', 'until']);
  const isTime = (text: unknown): text is string =>
    typeof text === 'string' && TIME_OF_DAY.test(text);
  if (!isTime(from) || !isTime(until) || from === until) {
    throw invalid('quiet has two different times of the day as HH:MM, from and until.');
  }
  return { from, until };
}

function invalid(detail: string): Refusal {
  return new Refusal('invalid_notifications', { detail });
}

/** Offsets such as `+01:00` are none: they know no summer time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    clockIn(name);
    return true;
  } catch {
    return false;
  }
}

/** The minute of the day that a time is at, in that zone. */
function clockIn(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (at) => minutesOf(format.format(at));
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}

function isQuiet(quiet: QuietHours | null, minute: number): boolean {
  if (quiet === null) return false;
  const [from, until] = [minutesOf(quiet.from), minutesOf(quiet.until)];
  return from < until ? minute >= from && minute < until : minute >= from || minute < until;
}

/** When the quiet hours end; null outside of them. Times are epoch milliseconds. */
export function quietUntil(
  { quiet, time_zone: zone }: NotificationPreferences,
  now: number,
): number | null {
  if (quiet === null) return null;
  const clock = clockIn(zone);
  const minute = clock(now);
  if (!isQuiet(quiet, minute)) return null;
  const until = minutesOf(quiet.until);
  const begun = now - (now % MINUTE_MS);
  const end = begun + ahead(minute, until) * MINUTE_MS;
  // The clock may be set meanwhile, for summer time.
  const off = ahead(clock(end), until);
  const set = end + (off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off) * MINUTE_MS;
  return set > now ? set : end;
}

/**
 * The next time for a digest, later than `now`. An hour that the clock skips counts as the one after it; an hour that comes
 * twice counts the first time.
 */
export function nextDigest(
  { digest_hours: hours, time_zone: zone }: NotificationPreferences,
  now: number,
): number {
  const clock = clockIn(zone);
  const step = STEP_MINUTES * MINUTE_MS;
  const begin = now - (now % step);
  for (let before = begin; before < begin + 2 * DAY_MINUTES * MINUTE_MS; before += step) {
    const at = before + step;
    const passed = ahead(clock(before), clock(at));
    const isHour = hours.some((hour) => {
      const into = ahead(clock(before), hour * 60);
      return into > 0 && into <= passed;
    });
    // Set back, the clock passes no hour.
    if (isHour && passed < DAY_MINUTES / 2) return at;
  }
  throw new RangeError('no hour is chosen');
}

/** Minutes from one time of the day to the next other one. */
function ahead(from: number, to: number): number {
  return (to - from + DAY_MINUTES) % DAY_MINUTES;
}
