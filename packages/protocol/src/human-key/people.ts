import { isJsonObject } from '../json/value.js';
import { IDENTIFIER } from '../constants.js';

/** The keys of a person that the reader of evidence knows from elsewhere. */
export interface PinnedPerson {
  /** Digest of the person; null where any will do. */
  readonly person: string | null;
  /** RFC 7638 thumbprints. */
  readonly keys: ReadonlySet<string>;
}

/** By principal id. */
export type PinnedPeople = ReadonlyMap<string, PinnedPerson>;

const MOST_PEOPLE = 10_000;
const PERSON = /^sha256:[0-9a-f]{64}$/;
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/**
 * Reads people.json (protocol §19.5): a list of `{principal, person?, keys}`, each principal once. `value` is what a strict
 * reader of JSON made of the file; the fault is a sentence for a person.
 */
export function readPeople(
  value: unknown,
): { readonly people: PinnedPeople } | { readonly people: null; readonly fault: string } {
  const refused = (fault: string) => ({ people: null, fault });
  if (!Array.isArray(value) || value.length > MOST_PEOPLE) {
    return refused(`It is no list of at most ${MOST_PEOPLE} people.`);
  }
  const people = new Map<string, PinnedPerson>();
  for (const [at, entry] of value.entries()) {
    const read = personIn(entry);
    if (read === null) return refused(`Entry ${at + 1} is not {principal, person?, keys}.`);
    if (people.has(read.principal)) return refused(`Entry ${at + 1} names a principal again.`);
    people.set(read.principal, read.pinned);
  }
  return { people };
}

function personIn(
  entry: unknown,
): { readonly principal: string; readonly pinned: PinnedPerson } | null {
  if (!isJsonObject(entry)) return null;
  const { principal, person, keys, ...rest } = entry;
  const isListed =
    Object.keys(rest).length === 0 &&
    typeof principal === 'string' &&
    IDENTIFIER.test(principal) &&
    (person === undefined || (typeof person === 'string' && PERSON.test(person))) &&
    Array.isArray(keys) &&
    keys.every((key): key is string => typeof key === 'string' && THUMBPRINT.test(key));
  return isListed ? { principal, pinned: { person: person ?? null, keys: new Set(keys) } } : null;
}
