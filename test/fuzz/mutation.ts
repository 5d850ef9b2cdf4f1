import fc from 'fast-check';
import { json, number, word } from './values.js';

/** One fault in a valid body: its place (any place of the value, counted round), and its kind. */
export type Mutation = { readonly place: number } & (
  | { readonly does: 'drop' }
  | { readonly does: 'add'; readonly name: string; readonly value: unknown }
  | { readonly does: 'set'; readonly value: unknown }
  | { readonly does: 'swap'; readonly other: number }
  | { readonly does: 'repeat'; readonly times: number }
);

const place = fc.nat(1000);

/** Edges of the schemas' bounds: lengths of texts and names, numbers of seconds, safe integers. */
const edges = fc.constantFrom<unknown>(
  '',
  ' ',
  'x'.repeat(160),
  'x'.repeat(161),
  'x'.repeat(300),
  '😀'.repeat(300),
  'x'.repeat(301),
  'x'.repeat(5000),
  'x'.repeat(70_000),
  0,
  1,
  -1,
  3600,
  3601,
  86400,
  86401,
  1.5,
  Number.MAX_SAFE_INTEGER,
  true,
  null,
  [],
  {},
  [[]],
  '2026-02-29T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '0000-01-01T00:00:00Z',
  `sha256:${'0'.repeat(64)}`,
  '00000000-0000-0000-0000-000000000000',
);

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ place, does: fc.constant('drop' as const) }),
  fc.record({
    place,
    does: fc.constant('set' as const),
    value: fc.oneof(edges, json, number, word),
  }),
  fc.record({ place, does: fc.constant('add' as const), name: word, value: fc.oneof(edges, json) }),
  fc.record({ place, does: fc.constant('swap' as const), other: place }),
  fc.record({ place, does: fc.constant('repeat' as const), times: fc.constantFrom(2, 11, 200) }),
);

interface Spot {
  readonly holder: Record<string, unknown>;
  readonly name: string;
}

/** Every place of a value that something can be done to, the outermost first. */
function spotsOf(holder: Record<string, unknown>): Spot[] {
  return Object.keys(holder).flatMap((name) => {
    const value = holder[name];
    const own = { holder, name };
    return value !== null && typeof value === 'object'
      ? [own, ...spotsOf(value as Record<string, unknown>)]
      : [own];
  });
}

/** The value with one fault; the given one stays as it is. */
export function mutated(value: unknown, { place, ...fault }: Mutation): unknown {
  const root: Record<string, unknown> = { body: structuredClone(value) };
  const spots = spotsOf(root);
  const at = (index: number) => spots[index % spots.length] as Spot;
  const { holder, name } = at(place);
  const old = holder[name];
  switch (fault.does) {
    case 'drop':
      if (holder === root) holder[name] = null;
      else if (Array.isArray(holder)) holder.splice(Number(name), 1);
      else delete holder[name];
      break;
    case 'set':
      holder[name] = fault.value;
      break;
    case 'add': {
      const inner = old !== null && typeof old === 'object' ? old : holder;
      if (Array.isArray(inner)) inner.push(fault.value);
      else define(inner as Record<string, unknown>, fault.name, fault.value);
      break;
    }
    case 'swap': {
      const other = at(fault.other);
      const [one, two] = [structuredClone(old), structuredClone(other.holder[other.name])];
      holder[name] = two;
      other.holder[other.name] = one;
      break;
    }
    case 'repeat':
      holder[name] =
        typeof old === 'string'
          ? old.repeat(fault.times)
          : Array.from({ length: fault.times }, () => structuredClone(old));
  }
  return root['body'];
}

/** A member of any name, `__proto__` too. */
function define(holder: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(holder, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** Ways in which a text is no acceptable JSON, or none at all (protocol §2.1). */
export const brokenTexts: Readonly<Record<string, (text: string) => string>> = {
  empty: () => '',
  cut: (text) => text.slice(0, Math.floor(text.length / 2)),
  trailing: (text) => `${text} x`,
  comment: (text) => `${text} // c`,
  mark: (text) => `\ufeff${text}`,
  space: (text) => `\u00a0${text}`,
  twice: (text) => text.replace(/^\{("[^"]*":)/, '{$1null,$1'),
  surrogate: (text) => text.replace(/^\{/, '{"\\ud800":1,'),
  huge: (text) => text.replace(/^\{/, '{"n":9007199254740992,'),
  precise: (text) => text.replace(/^\{/, '{"n":0.100000000000000001,'),
  deep: () => `${'['.repeat(66)}${']'.repeat(66)}`,
  deeper: () => '['.repeat(60_000),
  bare: () => 'undefined',
};
