import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { JsonText } from './text.js';

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/**
 * The RFC 8785 form of a JSON value (protocol §2.2).
 *
 * @throws TypeError for values that JSON cannot hold: undefined, functions, symbols, big integers, NaN and infinities,
 *   holes, lone surrogates, and objects with a class (Date, Map, Buffer, …)
 */
export function canonicalText<Value>(value: Value): JsonText<Value> {
  return canonicalOf(value) as JsonText<Value>;
}

function canonicalOf(value: unknown): string {
  if (isOrdered(value)) {
    // The engine writes members as they stand, and the rest as RFC 8785 does but for lone surrogates, which it escapes.
    const text = JSON.stringify(value);
    if (!text.includes('\\ud')) return text;
  }
  try {
    return canonicalize(value) as string;
  } catch (error) {
    // Lone surrogates, NaN and infinities are left to the package.
    throw new TypeError('not a JSON value', { cause: error });
  }
}

/**
 * The canonical form of an object, some of whose members are canonical texts already: big parts are
 * spliced in instead of being canonicalised again. Member names must not occur in both arguments.
 */
export function canonicalObject(
  members: Readonly<Record<string, unknown>>,
  canonicalMembers: Readonly<Record<string, string>>,
): string {
  const texts = new Map<string, string>(Object.entries(canonicalMembers));
  for (const [key, value] of Object.entries(members)) {
    if (texts.has(key)) throw new TypeError('the same member is given twice');
    texts.set(key, canonicalText(value));
  }
  const keys = [...texts.keys()].sort();
  return `{${keys.map((key) => `${canonicalText(key)}:${texts.get(key)}`).join(',')}}`;
}

/** Digest of the exact UTF-8 bytes of a text: no canonical form, no normalisation (protocol §2.2). */
export function textDigest(text: string): Digest {
  return `sha256:${hash('sha256', text, 'hex')}`;
}

/** Digest of a value: of the UTF-8 bytes of its canonical form (protocol §2.2). */
export function valueDigest(value: unknown): Digest {
  return textDigest(canonicalText(value));
}

const scalars: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/**
 * Whether all members stand in canonical order already. Throws for values that the package would drop, turn into null or
 * write as text that is not JSON.
 */
function isOrdered(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== 'object') {
    if (!scalars.has(typeof value)) throw new TypeError('not a JSON value');
    // The package refuses the numbers that the engine makes null.
    return typeof value !== 'number' || Number.isFinite(value);
  }
  let ordered = true;
  if (Array.isArray(value)) {
    // Not forEach: it would skip holes.
    for (let i = 0; i < value.length; i++) ordered = isOrdered(value[i]) && ordered;
    return ordered;
  }
  if (!isPlain(value)) throw new TypeError('not a JSON value');
  let last = '';
  for (const key of Object.keys(value)) {
    ordered = isOrdered((value as Record<string, unknown>)[key]) && ordered && last <= key;
    last = key;
  }
  return ordered;
}

/** An object of no class, in any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null;
}
