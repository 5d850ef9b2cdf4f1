/** Exact shapes: an object has the members that are listed, and no others. */

export type Check = (value: unknown) => boolean;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function exactly(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  const names = Object.keys(required);
  return (value) =>
    isObject(value) &&
    names.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, member]) => {
      const check = Object.hasOwn(required, name)
        ? required[name]
        : Object.hasOwn(optional, name)
          ? optional[name]
          : undefined;
      return check !== undefined && check(member);
    });
}

export const anything: Check = () => true;
export const aString: Check = (value) => typeof value === 'string';

export function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function matching(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value);
}

export function everyOf(item: Check): Check {
  return (value) => Array.isArray(value) && value.every(item);
}

/** A string by its number of code points. */
export function text(least: number, most: number): Check {
  return (value) => {
    if (typeof value !== 'string' || value.length > 2 * most) return false;
    const length = [...value].length;
    return length >= least && length <= most;
  };
}

/** The first `most` code points. */
export function cut(value: string, most: number): string {
  return [...value.slice(0, 2 * most)].slice(0, most).join('');
}
