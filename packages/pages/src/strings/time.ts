const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in plain words, as a person would say it: "3 hours 20 minutes", "2 days". */
export function spanInWords(milliseconds: number): string {
  const span = Math.abs(milliseconds);
  if (span < MINUTE) return 'less than a minute';
  if (span < HOUR) return count(Math.floor(span / MINUTE), 'minute');
  if (span < DAY) {
    const hours = count(Math.floor(span / HOUR), 'hour');
    const minutes = Math.floor((span % HOUR) / MINUTE);
    return span < 6 * HOUR && minutes > 0 ? `${hours} ${count(minutes, 'minute')}` : hours;
  }
  const days = count(Math.floor(span / DAY), 'day');
  const hours = Math.floor((span % DAY) / HOUR);
  return span < 3 * DAY && hours > 0 ? `${days} ${count(hours, 'hour')}` : days;
}

/** A point in time relative to `at`: "in 3 hours", "5 minutes ago". */
export function fromNow(time: number, at: number): string {
  const left = time - at;
  return left > 0 ? `in ${spanInWords(left)}` : `${spanInWords(left)} ago`;
}

/** The time left until a deadline: "3 hours left", "over for 5 minutes". */
export function timeLeft(deadline: number, at: number): string {
  const left = deadline - at;
  return left > 0 ? `${spanInWords(left)} left` : `over for ${spanInWords(left)}`;
}

/** The same in little room, beside a column's title: "29 min", "3 h 20 min", "2 d". */
export function spanInBrief(milliseconds: number): string {
  const span = Math.abs(milliseconds);
  if (span < MINUTE) return '< 1 min';
  if (span < HOUR) return `${Math.floor(span / MINUTE)} min`;
  if (span >= DAY) return `${Math.floor(span / DAY)} d`;
  const minutes = Math.floor((span % HOUR) / MINUTE);
  return `${Math.floor(span / HOUR)} h${minutes > 0 ? ` ${minutes} min` : ''}`;
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
