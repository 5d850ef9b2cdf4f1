export type Fault = 'not_json' | 'too_deep' | 'too_big';

export interface Bounds {
  /** Of the UTF-8 bytes of the JSON text. */
  readonly bytes: number;
  /** A value at this depth is accepted, one below it is not; the root is 0. */
  readonly depth: number;
}

/**
 * Whether a value that came by postMessage is JSON within bounds (protocol §12.5); null when it is. Values that structured
 * cloning carries beside JSON are refused: dates, maps, buffers, holes, undefined, big integers, NaN, cycles, lone
 * surrogates. The text itself is never made, and the walk ends at the bound: a few shared objects can stand for a text of
 * any length.
 */
export function faultOf(value: unknown, bounds: Bounds): Fault | null {
  const left = spend(value, bounds.bytes, 0, bounds.depth);
  return typeof left === 'number' ? null : left;
}

/** The bytes that are left of `left` after the value's text. */
function spend(value: unknown, left: number, depth: number, deepest: number): number | Fault {
  if (depth > deepest) return 'too_deep';
  switch (typeof value) {
    case 'string':
      return spendString(value, left);
    case 'number':
      return Number.isFinite(value) ? pay(left, String(value).length) : 'not_json';
    case 'boolean':
      return pay(left, value ? 4 : 5);
    case 'object':
      if (value === null) return pay(left, 4);
      if (Array.isArray(value)) return spendArray(value, left, depth, deepest);
      return spendObject(value, left, depth, deepest);
    default:
      return 'not_json';
  }
}

function pay(left: number, price: number): number | Fault {
  return price > left ? 'too_big' : left - price;
}

function spendArray(
  items: readonly unknown[],
  left: number,
  depth: number,
  deepest: number,
): number | Fault {
  // Before anything is counted: an empty array of any length costs its sender nothing.
  let rest = pay(left, 2 + Math.max(0, items.length - 1));
  if (typeof rest !== 'number') return rest;
  if (Object.keys(items).length !== items.length) return 'not_json';
  for (const item of items) {
    rest = spend(item, rest, depth + 1, deepest);
    if (typeof rest !== 'number') return rest;
  }
  return rest;
}

function spendObject(value: object, left: number, depth: number, deepest: number): number | Fault {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return 'not_json';
  const members = Object.entries(value);
  let rest = pay(left, 2 + Math.max(0, members.length - 1));
  for (const [key, member] of members) {
    if (typeof rest !== 'number') return rest;
    rest = spendString(key, rest);
    if (typeof rest === 'number') rest = pay(rest, 1);
    if (typeof rest === 'number') rest = spend(member, rest, depth + 1, deepest);
  }
  return rest;
}

const SHORT_ESCAPES = new Set([8, 9, 10, 12, 13, 34, 92]);

function spendString(text: string, left: number): number | Fault {
  if (text.length + 2 > left) return 'too_big';
  if (!text.isWellFormed()) return 'not_json';
  let bytes = 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (SHORT_ESCAPES.has(unit)) bytes += 2;
    else if (unit < 0x20) bytes += 6;
    else if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    // Half of a pair, which is four bytes as a whole.
    else if (unit >= 0xd800 && unit <= 0xdfff) bytes += 2;
    else bytes += 3;
  }
  return pay(left, bytes);
}
