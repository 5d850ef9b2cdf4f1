import { escaped } from './shape.js';

/** The deepest level at which a value may stand, the root being 0 (protocol §2.1). */
const MAX_DEPTH = 64;
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * The JSON text of a body, made once for all attempts.
 *
 * @throws TypeError for a value that is no JSON or that the service would read otherwise; its message has the JSON Pointer and
 *   never the value
 */
export function bodyText(body: unknown): string {
  check(body, '', 0, new Set());
  return JSON.stringify(body);
}

function check(value: unknown, pointer: string, depth: number, enclosing: Set<object>): void {
  if (depth > MAX_DEPTH) throw fault(pointer, `is nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'boolean':
      return;
    case 'string':
      if (LONE_SURROGATE.test(value)) throw fault(pointer, 'holds a surrogate without its partner');
      return;
    case 'number':
      if (!Number.isFinite(value)) throw fault(pointer, 'is no finite number');
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw fault(pointer, 'is beyond the safe integers');
      return;
    case 'object':
      if (value !== null) checkMembers(value, pointer, depth, enclosing);
      return;
    default:
      throw fault(pointer, `is ${typeof value}, which is no JSON`);
  }
}

function checkMembers(value: object, pointer: string, depth: number, enclosing: Set<object>): void {
  if (enclosing.has(value)) throw fault(pointer, 'contains itself');
  enclosing.add(value);
  if (Array.isArray(value)) {
    // Not forEach: it would skip holes.
    for (let at = 0; at < value.length; at += 1)
      check(value[at], `${pointer}/${at}`, depth + 1, enclosing);
  } else {
    if (!isPlain(value)) throw fault(pointer, 'is an object of a class');
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${escaped(name)}`;
      if (LONE_SURROGATE.test(name)) throw fault(pointer, 'has a name with half a character');
      check(member, at, depth + 1, enclosing);
    }
  }
  enclosing.delete(value);
}

/** An object of no class, in any realm, which writes itself as it stands. */
function isPlain(value: object): boolean {
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  );
}

function fault(pointer: string, what: string): TypeError {
  return new TypeError(`the body ${what} at ${pointer === '' ? 'its root' : pointer}`);
}
