import { UsageError } from './exits.js';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `5m`, `4h` and `2d` in milliseconds. @throws UsageError */
export function durationOf(option: string, text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`${option} takes a number with a unit, such as 90s, 5m, 4h or 2d.`);
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

/** The same in whole seconds, one at least. */
export function secondsOf(option: string, text: string): number {
  const seconds = durationOf(option, text) / 1_000;
  if (seconds > 0) return seconds;
  throw new UsageError(`${option} has to be longer than nothing.`);
}

/** `3 min 20 s`. */
export function spoken(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
