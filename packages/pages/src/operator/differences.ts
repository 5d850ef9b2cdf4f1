/** One member that a change would move, as texts for a reader; null where there is none. */
export interface Difference {
  readonly member: string;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * The differences between two configurations, member by member, in the order of the names given; members of objects one
 * level down are named `outer.inner`. The order within lists does not count, as it does not to the service.
 */
export function differencesOf(before: object | null, after: object): Difference[] {
  const [old, next] = [flat(before ?? {}), flat(after)];
  return [...new Set([...Object.keys(next), ...Object.keys(old)])].flatMap((member) => {
    const [from, to] = [old[member] ?? null, next[member] ?? null];
    return from === to ? [] : [{ member, from, to }];
  });
}

function flat(value: object): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, member] of Object.entries(value)) {
    if (isObject(member)) {
      for (const [inner, text] of Object.entries(member)) found[`${name}.${inner}`] = textOf(text);
    } else {
      found[name] = textOf(member);
    }
  }
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).sort().join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
