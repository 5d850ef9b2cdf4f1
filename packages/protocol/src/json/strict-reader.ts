import { isExactNumber } from './decimal.js';
import type { JsonObject, JsonValue } from './value.js';
import { LONE_SURROGATE, MAX_JSON_DEPTH } from './value.js';

/** How much a text may hold before a value is built of it. */
export interface JsonBounds {
  /** The deepest level at which a value may stand, the root being 0. */
  readonly depth: number;
  /** Values in all, containers among them. */
  readonly values: number;
  /** Members of one object. */
  readonly members: number;
}

/** Of a request body (protocol §2.1, R35): building and sorting more would cost seconds and hundreds of megabytes. */
export const BODY_BOUNDS: JsonBounds = {
  depth: MAX_JSON_DEPTH,
  values: 500_000,
  members: 100_000,
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_A = 0x61;
const LOWER_U = 0x75;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** Decimals of so many digits always come back from binary64 as they were written. */
const SAFE_DIGITS = 15;

/** A text that is no JSON as the rules want it, or holds too much. Its message names the rule and never quotes the text. */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';

  constructor(
    message: string,
    readonly isTooLarge = false,
  ) {
    super(message);
  }
}

/** Keeps a byte-order mark, which no JSON text may start with (R14). */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The facts that the engine's own parser does not report. */
interface Scan {
  /** Members as written, in all objects together. */
  readonly members: number;
  /** Some string holds a `\u` escape, so it may spell a lone surrogate. */
  readonly unicodeEscapes: boolean;
  /** Some number may be -0. */
  readonly negativeZero: boolean;
}

/**
 * Reads a request body by the rules of protocol §2.1, R14 and R35. Linear in the size of the body. `-0` reads as 0; keys
 * such as `__proto__` become ordinary own members.
 *
 * One pass over the bytes checks the rules that `JSON.parse` does not (bounds, numbers, escapes); `JSON.parse` then checks
 * the grammar and builds the value; a walk over the value finds duplicate keys by counting: each lost one leaves fewer
 * members than were written.
 *
 * @param bounds more than a body's only for documents that enclose parts of bodies
 * @throws JsonFault
 */
export function readStrictJson(bytes: Uint8Array, bounds: JsonBounds = BODY_BOUNDS): JsonValue {
  if (bytes.length === 0) throw refuse('The body is empty.');
  const scan = scanBytes(bytes, bounds);
  const value = parse(decode(bytes));
  const kept =
    scan.unicodeEscapes || scan.negativeZero
      ? inspect(value)
      : scan.members === 0
        ? 0
        : countMembers(value);
  if (kept !== scan.members) throw refuse('An object holds the same key twice.');
  return Object.is(value, -0) ? 0 : value;
}

/** Tolerates any text: `JSON.parse` refuses faults of the grammar later. */
function scanBytes(bytes: Uint8Array, bounds: JsonBounds): Scan {
  const end = bytes.length;
  const maxDepth = bounds.depth;
  // A key counts for the value that follows it, so the number of values is `begun - members`.
  const most = bounds.values;
  let begun = 0;
  let open = 0;
  let members = 0;
  /** Members of each object around, by its level; too short a text has no need of them. */
  const inside = end > bounds.members ? new Uint32Array(maxDepth + 2) : null;
  let unicodeEscapes = false;
  let negativeZero = false;
  let i = 0;
  while (i < end) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) {
      if (open > maxDepth) throw tooDeep(maxDepth);
      if (++begun - members > most) throw tooMany(`${most} values`);
      for (i++; bytes[i] !== QUOTE; i++) {
        if (bytes[i] === BACKSLASH) {
          i++;
          if (bytes[i] === LOWER_U) unicodeEscapes = true;
        }
        if (i >= end) throw refuse('A string is not closed.');
      }
      i++;
    } else if (byte === COLON) {
      members++;
      if (inside !== null) {
        const count = (inside[open] ?? 0) + 1;
        if (count > bounds.members) throw tooMany(`${bounds.members} members of one object`);
        inside[open] = count;
      }
      i++;
    } else if (byte === COMMA || byte <= 0x20) {
      i++;
    } else if (byte === 0x7d || byte === 0x5d) {
      open--;
      i++;
    } else if (open > maxDepth) {
      // With the usual limit: 65 containers are open, so the next token is a value at depth 65.
      throw tooDeep(maxDepth);
    } else if (++begun - members > most) {
      throw tooMany(`${most} values`);
    } else if (byte === 0x7b || byte === 0x5b) {
      open++;
      if (inside !== null) inside[open] = 0;
      i++;
    } else if (byte === MINUS || (byte >= DIGIT_0 && byte <= DIGIT_9)) {
      const start = i;
      let digits = byte === MINUS ? 0 : 1;
      let exponent = false;
      for (i++; i < end; i++) {
        const next = bytes[i] as number;
        if (next >= DIGIT_0 && next <= DIGIT_9) digits++;
        else if (next === 0x65 || next === 0x45 || next === 0x2b || next === MINUS) exponent = true;
        else if (next !== POINT) break;
      }
      if (byte === MINUS && bytes[start + 1] === DIGIT_0) negativeZero = true;
      if ((exponent || digits > SAFE_DIGITS) && !isExactNumber(ascii(bytes, start, i))) {
        throw refuse(
          'A number is outside the safe integers, or not the shortest form of its value.',
        );
      }
    } else {
      // The letters of a literal, or an unknown word.
      for (i++; isOfWord(bytes[i] ?? 0);) i++;
    }
  }
  return { members, unicodeEscapes, negativeZero };
}

function isOfWord(byte: number): boolean {
  return byte >= LOWER_A && byte !== 0x7b && byte !== 0x7d;
}

/** Not Node's own, which clients in other places do not have. */
const latin1 = new TextDecoder('latin1');

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return latin1.decode(bytes.subarray(start, end));
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw refuse('The body is not valid UTF-8.');
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // The engine's message quotes the body.
    throw refuse('The body is not JSON as RFC 8259 defines it.');
  }
}

function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === 'object' && item !== null) members += countMembers(item);
    }
    return members;
  }
  const keys = Object.keys(value);
  members = keys.length;
  for (const key of keys) {
    const item = value[key];
    if (typeof item === 'object' && item !== null) members += countMembers(item);
  }
  return members;
}

/** As `countMembers`, and refuses lone surrogates and turns -0 into 0: the rarer walk. */
function inspect(value: JsonValue): number {
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw refuse('A string holds a surrogate without its partner.');
    return 0;
  }
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (value[i] === 0) value[i] = 0;
      else members += inspect(value[i] as JsonValue);
    }
    return members;
  }
  for (const key of Object.keys(value)) {
    inspect(key);
    if (value[key] === 0) setOwn(value, key, 0);
    else members += inspect(value[key] as JsonValue);
    members++;
  }
  return members;
}

/** Plain assignment to `__proto__` would be swallowed by its setter if the member were not there. */
function setOwn(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function tooMany(what: string): JsonFault {
  return new JsonFault(`It holds more than ${what}.`, true);
}

function tooDeep(maxDepth: number): JsonFault {
  return refuse(`A value is nested deeper than ${maxDepth} levels.`);
}

function refuse(message: string): JsonFault {
  return new JsonFault(message);
}
