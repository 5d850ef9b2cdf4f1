import type { JsonValue } from '@countersign/client';

const MAX_DEPTH = 60;
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * A frozen copy of a JSON value. Each member is read once, so that the copy is what was checked: getters and proxies that
 * answer differently later, and later changes of the original, do not reach it.
 *
 * @param name of the value, for the error
 * @throws TypeError for a value that is no JSON; its message has the JSON Pointer and never the value
 */
export function snapshotOf(value: unknown, name: string): JsonValue {
  return copy(value, { name, runtime: new Set() }, '', 0);
}

interface Copying {
  readonly name: string;
  readonly runtime: Set<object>;
}

function copy(value: unknown, copying: Copying, pointer: string, depth: number): JsonValue {
  const fault = (what: string) =>
    new TypeError(`${copying.name} ${what} at ${pointer === '' ? 'the root' : pointer}`);
  if (depth > MAX_DEPTH) throw fault(`are nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      if (LONE_SURROGATE.test(value)) throw fault('hold half a character');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw fault('hold a number that is not finite');
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        throw fault('hold a number beyond the safe integers');
      return Object.is(value, -0) ? 0 : value;
    case 'object':
      break;
    default:
      throw fault(`hold ${typeof value}, which is no JSON,`);
  }
  if (value === null) return null;
  if (copying.runtime.has(value)) throw fault('contain themselves');
  copying.runtime.add(value);
  const made = Array.isArray(value)
    ? copyList(value, copying, pointer, depth)
    : copyMembers(value, copying, pointer, depth, fault);
  copying.runtime.delete(value);
  return Object.freeze(made);
}

function copyList(
  list: readonly unknown[],
  copying: Copying,
  pointer: string,
  depth: number,
): JsonValue[] {
  // By its length: a hole is no JSON, and the iterator of a list can be replaced.
  return Array.from({ length: list.length }, (_, at) =>
    copy(list[at], copying, `${pointer}/${at}`, depth + 1),
  );
}

function copyMembers(
  value: object,
  copying: Copying,
  pointer: string,
  depth: number,
  fault: (what: string) => TypeError,
): Record<string, JsonValue> {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null;
  if (!isPlain) throw fault('hold an object of a class');
  const members: [string, JsonValue][] = Object.keys(value).map((name) => {
    if (LONE_SURROGATE.test(name)) throw fault('have a name with half a character');
    const at = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return [name, copy((value as Record<string, unknown>)[name], copying, at, depth + 1)];
  });
  return Object.fromEntries(members);
}
