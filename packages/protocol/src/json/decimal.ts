/** A number as it is written: ±digits × 10^exponent. Zero has no digits; others neither start nor end with 0. */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const ZERO = 0x30;

/** Reads a JSON number, or the text that `String` makes of a finite number, without rounding. */
export function decimalOf(text: string): Decimal {
  const negative = text.startsWith('-');
  const start = negative ? 1 : 0;
  const e = text.search(/e/i);
  const end = e === -1 ? text.length : e;
  const point = text.indexOf('.');
  const digits =
    point === -1 ? text.slice(start, end) : text.slice(start, point) + text.slice(point + 1, end);

  // Loops, because /0+$/ is quadratic on text that a caller chooses.
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) first++;
  if (first === digits.length) return { negative, digits: '', exponent: 0 };
  let last = digits.length;
  while (digits.charCodeAt(last - 1) === ZERO) last--;

  const written = e === -1 ? 0 : Number(text.slice(e + 1));
  const fraction = point === -1 ? 0 : end - point - 1;
  return {
    negative,
    digits: digits.slice(first, last),
    exponent: written - fraction + (digits.length - last),
  };
}

/**
 * Whether a written JSON number survives binary64 (protocol §2.1): it equals the shortest decimal
 * that reads back as the same number, and lies within ±(2^53 − 1) when its value is integral.
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const printed = String(value);
  if (printed === text) return true;
  const written = decimalOf(text);
  const shortest = decimalOf(printed);
  return written.digits === shortest.digits && written.exponent === shortest.exponent;
}

/** Whether `value` is a whole multiple of `step`, both taken as the decimals they print as. */
export function isMultipleOf(value: number, step: number): boolean {
  const a = decimalOf(String(value));
  const b = decimalOf(String(step));
  if (a.digits === '') return true;
  if (b.digits === '') return false;
  const shared = Math.min(a.exponent, b.exponent);
  return scaled(a, shared) % scaled(b, shared) === 0n;
}

function scaled(decimal: Decimal, exponent: number): bigint {
  return BigInt(decimal.digits) * 10n ** BigInt(decimal.exponent - exponent);
}
