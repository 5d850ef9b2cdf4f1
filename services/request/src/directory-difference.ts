import { canonicalText, valueDigest } from '@countersign/protocol';

type Config = Readonly<Record<string, unknown>>;

/** Names of the members that differ, sorted; those of `limits` one by one, as `limits.review_seconds`. Never a value. */
export function changedMembers(before: object | null, after: object): string[] {
  const [old, now] = [flat(before ?? {}), flat(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].filter((name) => !same(old[name], now[name])).sort();
}

/** Digest of a configuration's canonical form: tells two of them apart without revealing their content. */
export function configDigest(config: object | null): string | null {
  return config === null ? null : valueDigest(config);
}

function flat(config: object): Config {
  const { limits, ...others } = config as Config;
  const named = Object.entries((limits ?? {}) as Config).map(([name, value]) => [
    `limits.${name}`,
    value,
  ]);
  return { ...others, ...Object.fromEntries(named) };
}

function same(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalText(one) === canonicalText(other);
}
