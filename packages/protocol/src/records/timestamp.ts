const pattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

const EMITTED_LENGTH = '2026-05-01T09:00:00.000Z'.length;

function daysOf(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * Epoch milliseconds of an RFC 3339 date-time, or null when it is none: days exist in the calendar,
 * an offset is given, finer fractions are cut off. A leap second is refused: nothing here can
 * compare it with a clock.
 */
export function parseTimestamp(text: string): number | null {
  // The form that we emit is nearly all that is ever read: the engine's own parser reads it, and writes it again.
  if (text.length === EMITTED_LENGTH) {
    const emitted = Date.parse(text);
    if (!Number.isNaN(emitted) && formatTimestamp(emitted) === text) return emitted;
  }
  const parts = pattern.exec(text);
  if (parts === null) return null;
  const at = (index: number): number => Number(parts[index] ?? 0);
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(at) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59 || at(9) > 23 || at(10) > 59) return null;
  // The Date constructor would take the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Number((parts[7] ?? '.0').slice(1, 4).padEnd(3, '0')));
  const offset = (at(9) * 60 + at(10)) * 60_000;
  return date.getTime() - (parts[8] === '-' ? -offset : offset);
}

export function isTimestamp(text: string): boolean {
  return parseTimestamp(text) !== null;
}

/** The form of every emitted timestamp: UTC, three fractional digits, `Z` (protocol §1). */
export function formatTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
