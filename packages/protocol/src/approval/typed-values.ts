import { Refusal } from '../errors.js';
import { isJsonObject } from '../json/index.js';
import type { JsonValue } from '../json/index.js';
import { TYPED_CHARACTERS } from '../records/index.js';
import type { AttentionPolicy, TypedValue } from '../records/index.js';
import { charactersOf } from './attention.js';

// Values of the payload that a person types before a yes (protocol §18.12). They are private material: compared and dropped.

type Asked = Pick<AttentionPolicy, 'typed'>;

/** Throws `acknowledgement_unresolved` for a payload without a value that can be typed at each pointer. */
export function requireTypable({ typed }: Asked, payload: JsonValue): void {
  for (const { pointer } of typed) {
    if (!isTypable(valueAt(payload, pointer))) throw new Refusal('acknowledgement_unresolved');
  }
}

/** Whether every value that the policy asks for is there; whether it is right is another question. */
export function isAllTyped({ typed: asked }: Asked, typed: readonly TypedValue[]): boolean {
  return (
    typed.length === asked.length &&
    asked.every(({ pointer }) => typed.some((value) => value.pointer === pointer))
  );
}

/** Whether each value is what stands at its pointer in the payload. */
export function areRight(typed: readonly TypedValue[], payload: JsonValue): boolean {
  return typed.every(({ pointer, value }) => isSame(valueAt(payload, pointer), value));
}

/** Texts are compared after NFC and trimming, numbers and booleans as JSON. */
function isSame(expected: JsonValue | undefined, typed: string): boolean {
  if (!isTypable(expected)) return false;
  if (typeof expected === 'string') return plain(expected) === plain(typed);
  try {
    return JSON.parse(typed) === expected;
  } catch {
    return false;
  }
}

function isTypable(value: JsonValue | undefined): value is string | number | boolean {
  if (typeof value !== 'string') return typeof value === 'number' || typeof value === 'boolean';
  const characters = charactersOf(plain(value));
  return characters > 0 && characters <= TYPED_CHARACTERS;
}

const plain = (text: string) => text.normalize('NFC').trim();

/** The value at a JSON Pointer (RFC 6901); undefined where there is none. */
function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const escaped of pointer.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) {
      at = /^(?:0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined;
    } else {
      at = isJsonObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    }
  }
  return at;
}
