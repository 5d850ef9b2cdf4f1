/** The values that an authenticator answers with. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | readonly CborValue[]
  | CborMap;
export type CborMap = ReadonlyMap<number | string, CborValue>;

/** As deep as CTAP 2.1 §8 lets messages be nested. */
const MOST_DEPTH = 4;

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

class CborFault extends Error {}

/**
 * Reads one CBOR item at the start of the bytes, and how many bytes it has. Strict in the way of CTAP's canonical form: lengths
 * are definite and heads as short as they can be, no key occurs twice, texts are UTF-8. Tags, floating-point numbers and
 * integers of 64 bits are no part of what authenticators answer. Null for anything else.
 */
export function readCbor(
  bytes: Uint8Array,
): { readonly value: CborValue; readonly length: number } | null {
  const cursor = { bytes, at: 0 };
  try {
    const value = readItem(cursor, 0);
    return { value, length: cursor.at };
  } catch (fault) {
    if (fault instanceof CborFault) return null;
    throw fault;
  }
}

function readItem(cursor: Cursor, depth: number): CborValue {
  const initial = take(cursor, 1)[0] as number;
  const major = initial >> 5;
  if (major === 7) return simpleOf(initial);
  if (depth > MOST_DEPTH) throw new CborFault();
  const argument = readArgument(cursor, initial & 0x1f);
  switch (major) {
    case 0:
      return argument;
    case 1:
      return -1 - argument;
    case 2:
      return take(cursor, argument);
    case 3:
      return textOf(take(cursor, argument));
    case 4:
      return readArray(cursor, argument, depth + 1);
    case 5:
      return readMap(cursor, argument, depth + 1);
    default:
      throw new CborFault();
  }
}

function readArgument(cursor: Cursor, low: number): number {
  if (low < 24) return low;
  // 24, 25 and 26 announce 1, 2 and 4 bytes.
  if (low > 26) throw new CborFault();
  const value = take(cursor, 1 << (low - 24)).reduce((sum, byte) => sum * 256 + byte, 0);
  const least = [24, 0x100, 0x10000][low - 24] as number;
  if (value < least) throw new CborFault();
  return value;
}

function readArray(cursor: Cursor, length: number, depth: number): CborValue[] {
  const items: CborValue[] = [];
  // Every item takes a byte, so a huge length ends at the end of the bytes.
  while (items.length < length) items.push(readItem(cursor, depth));
  return items;
}

function readMap(cursor: Cursor, length: number, depth: number): CborMap {
  const map = new Map<number | string, CborValue>();
  while (map.size < length) {
    const key = readItem(cursor, depth);
    if ((typeof key !== 'number' && typeof key !== 'string') || map.has(key)) {
      throw new CborFault();
    }
    map.set(key, readItem(cursor, depth));
  }
  return map;
}

function simpleOf(initial: number): boolean | null {
  if (initial === 0xf4) return false;
  if (initial === 0xf5) return true;
  if (initial === 0xf6) return null;
  throw new CborFault();
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CborFault();
  }
}

function take(cursor: Cursor, length: number): Uint8Array {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw new CborFault();
  const part = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return part;
}
