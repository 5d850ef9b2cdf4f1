const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A unit alone, in the plural, and in the plural behind "in" and "vor". */
interface Unit {
  readonly one: string;
  readonly many: string;
  readonly dative: string;
}
const MINUTES: Unit = { one: 'Minute', many: 'Minuten', dative: 'Minuten' };
const HOURS: Unit = { one: 'Stunde', many: 'Stunden', dative: 'Stunden' };
const DAYS: Unit = { one: 'Tag', many: 'Tage', dative: 'Tagen' };

function count(amount: number, unit: Unit, plural: 'many' | 'dative'): string {
  return `${amount} ${amount === 1 ? unit.one : unit[plural]}`;
}

function span(milliseconds: number, plural: 'many' | 'dative'): string {
  const length = Math.abs(milliseconds);
  if (length < MINUTE)
    return plural === 'many' ? 'weniger als eine Minute' : 'weniger als einer Minute';
  if (length < HOUR) return count(Math.floor(length / MINUTE), MINUTES, plural);
  if (length < DAY) {
    const hours = count(Math.floor(length / HOUR), HOURS, plural);
    const minutes = Math.floor((length % HOUR) / MINUTE);
    return length < 6 * HOUR && minutes > 0 ? `${hours} ${count(minutes, MINUTES, plural)}` : hours;
  }
  const days = count(Math.floor(length / DAY), DAYS, plural);
  const hours = Math.floor((length % DAY) / HOUR);
  return length < 3 * DAY && hours > 0 ? `${days} ${count(hours, HOURS, plural)}` : days;
}

/** "3 Stunden 20 Minuten", "2 Tage". */
export function spanInWords(milliseconds: number): string {
  return span(milliseconds, 'many');
}

/** "in 2 Tagen", "vor 5 Minuten". */
export function fromNow(time: number, at: number): string {
  const left = time - at;
  return left > 0 ? `in ${span(left, 'dative')}` : `vor ${span(left, 'dative')}`;
}

/** "noch 2 Tage", "seit 5 Minuten vorbei". */
export function timeLeft(deadline: number, at: number): string {
  const left = deadline - at;
  return left > 0 ? `noch ${span(left, 'many')}` : `seit ${span(left, 'dative')} vorbei`;
}

/** "29 Min.", "3 Std. 20 Min.", "2 T." */
export function spanInBrief(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  if (length < MINUTE) return '< 1 Min.';
  if (length < HOUR) return `${Math.floor(length / MINUTE)} Min.`;
  if (length >= DAY) return `${Math.floor(length / DAY)} T.`;
  const minutes = Math.floor((length % HOUR) / MINUTE);
  return `${Math.floor(length / HOUR)} Std.${minutes > 0 ? ` ${minutes} Min.` : ''}`;
}
