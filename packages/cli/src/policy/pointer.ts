import type { JsonValue } from '@countersign/client/node';

/** The steps of a JSON Pointer (RFC 6901); null for a text that is none. */
export function stepsOf(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The value at a pointer; undefined where there is none. */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let at: JsonValue | undefined = value;
  for (const step of stepsOf(pointer) ?? []) {
    if (typeof at !== 'object' || at === null) return undefined;
    if (Array.isArray(at)) {
      if (!/^(0|[1-9]\d*)$/.test(step)) return undefined;
      at = at[Number(step)];
    } else {
      at = Object.hasOwn(at, step) ? (at as Record<string, JsonValue>)[step] : undefined;
    }
  }
  return at;
}
